//! One direction of a link, with a clock that the test sets.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "it is all tests")]

use fetchoff_link::{Counts, Direction, Profile, Wire};
use proptest::prelude::*;

const MS: u64 = 1_000_000;
const PACKET: usize = 1500;

fn wire(profile: &str) -> Wire {
    Wire::new(Direction::Up, 1500, parameters(profile))
}

fn parameters(profile: &str) -> fetchoff_link::Parameters {
    serde_json::from_str::<Profile>(profile).unwrap().parameters().unwrap()
}

/// Offers a packet whose first four bytes are its number.
fn offer(wire: &mut Wire, now_ns: u64, number: u32, bytes: usize) {
    wire.space()[..4].copy_from_slice(&number.to_be_bytes());
    wire.offer(now_ns, 0, bytes, 0);
}

/// Lets every packet leave exactly when it is due. Returns the moments and the packets' numbers.
fn run_out(wire: &mut Wire) -> Vec<(u64, u32)> {
    let mut left = Vec::new();
    while let Some(due_ns) = wire.next_due_ns() {
        let frame = wire.due(due_ns).expect("it is due");
        left.push((due_ns, u32::from_be_bytes(frame[..4].try_into().unwrap())));
        wire.left(due_ns);
    }
    left
}

fn numbers(left: &[(u64, u32)]) -> Vec<u32> {
    left.iter().map(|(_, number)| *number).collect()
}

#[test]
fn a_delay_is_exact() {
    let mut wire = wire(r#"{"delay_ms":45}"#);
    offer(&mut wire, 7, 1, PACKET);
    assert!(wire.due(45 * MS + 6).is_none());
    assert_eq!(run_out(&mut wire), [(45 * MS + 7, 1)]);
}

#[test]
fn a_rate_spaces_packets_and_the_delay_comes_after_it() {
    let mut wire = wire(r#"{"delay_ms":10,"rate_mbit_s":12}"#);
    for number in 0..3 {
        offer(&mut wire, 0, number, PACKET);
    }
    assert_eq!(run_out(&mut wire), [(11 * MS, 0), (12 * MS, 1), (13 * MS, 2)]);
    assert_eq!(wire.counts().queue_high_water_bytes, 4500);
    assert_eq!(wire.counts().queue_high_water_packets, 3);
}

#[test]
fn a_full_queue_drops_what_comes_last() {
    let mut wire = wire(r#"{"rate_mbit_s":12,"queue":{"packets":4}}"#);
    for number in 0..10 {
        offer(&mut wire, 0, number, PACKET);
    }
    offer(&mut wire, MS, 10, PACKET);
    assert_eq!(numbers(&run_out(&mut wire)), [0, 1, 2, 3, 10]);
    assert_eq!((wire.counts().queue_dropped, wire.counts().queue_high_water_packets), (6, 4));
}

#[test]
fn a_seed_loses_the_same_numbers_whatever_else_happens() {
    let survivors = |profile: &str, pause_ns: u64| {
        let mut wire = wire(profile);
        for number in 0..20_000 {
            offer(&mut wire, u64::from(number) * pause_ns, number, 100);
        }
        numbers(&run_out(&mut wire))
    };
    let plain = survivors(r#"{"loss":{"independent":0.01},"seed":3}"#, 10);
    let slow = r#"{"loss":{"independent":0.01},"seed":3,"delay_ms":9,"jitter_ms":5,"rate_mbit_s":1,
                   "queue":{"packets":100000}}"#;
    assert_eq!(plain, survivors(slow, 1000));
    assert_ne!(plain, survivors(r#"{"loss":{"independent":0.01},"seed":4}"#, 10));
    // 200 ± 4.4 standard deviations of the binomial distribution.
    assert!((138..=262).contains(&(20_000 - plain.len())), "{}", plain.len());
}

#[test]
fn directions_of_one_seed_lose_different_numbers() {
    let lost = |direction| {
        let mut wire = Wire::new(direction, 1500, parameters(r#"{"loss":{"independent":0.1}}"#));
        for number in 0..1000 {
            offer(&mut wire, 0, number, 100);
        }
        numbers(&run_out(&mut wire))
    };
    assert_ne!(lost(Direction::Up), lost(Direction::Down));
}

#[test]
fn a_black_hole_swallows_and_lets_go() {
    let mut wire = wire(r#"{"delay_ms":5}"#);
    offer(&mut wire, 0, 0, PACKET);
    wire.set_black_hole(true);
    offer(&mut wire, 1, 1, PACKET);
    wire.set_black_hole(false);
    offer(&mut wire, 2, 2, PACKET);
    assert_eq!(numbers(&run_out(&mut wire)), [0, 2], "what was under way arrives");
    assert_eq!(wire.counts().black_holed, 1);
}

#[test]
fn new_terms_let_nothing_overtake() {
    let mut wire = wire(r#"{"delay_ms":100}"#);
    offer(&mut wire, 0, 0, PACKET);
    wire.set_parameters(parameters(r#"{"delay_ms":1}"#));
    offer(&mut wire, 1, 1, PACKET);
    offer(&mut wire, 200 * MS, 2, PACKET);
    assert_eq!(run_out(&mut wire), [(100 * MS, 0), (100 * MS, 1), (201 * MS, 2)]);
}

#[test]
fn packets_above_the_mtu_are_told_where_packets_count() {
    let mut plain = wire(r#"{"delay_ms":1}"#);
    offer(&mut plain, 0, 0, 60_000);
    assert_eq!(plain.counts().oversized, 0);
    let mut lossy = wire(r#"{"loss":{"independent":0.5}}"#);
    offer(&mut lossy, 0, 0, 60_000);
    assert_eq!(lossy.counts().oversized, 1);
}

#[test]
fn what_there_is_no_memory_for_is_told() {
    let mut wire = Wire::with_memory(Direction::Up, 1500, parameters(r#"{"delay_ms":1}"#), 1 << 20);
    for number in 0..20 {
        offer(&mut wire, 0, number, 65_536);
    }
    assert_eq!(numbers(&run_out(&mut wire)), (0..15).collect::<Vec<_>>());
    assert_eq!(wire.counts().overflowed, 5);
    offer(&mut wire, 0, 20, PACKET);
    assert_eq!(numbers(&run_out(&mut wire)), [20], "there is room again");
}

#[test]
fn what_the_kernel_refuses_is_told() {
    let mut wire = wire("{}");
    offer(&mut wire, 0, 0, PACKET);
    wire.refused();
    assert_eq!((wire.counts().refused, wire.counts().delivered_packets), (1, 0));
    assert_eq!(wire.under_way(), 0);
}

#[test]
fn lateness_is_what_the_clock_says() {
    let mut wire = wire(r#"{"delay_ms":1}"#);
    offer(&mut wire, 0, 0, PACKET);
    offer(&mut wire, 0, 1, PACKET);
    wire.left(MS + 20_000);
    wire.left(MS + 3_000_000);
    let summary = wire.lateness().summary();
    assert_eq!((summary.packets, summary.over_1ms), (2, 1));
}

#[test]
fn what_a_packet_may_have_waited_to_be_read_is_lateness_too_and_delays_nothing() {
    let mut wire = wire(r#"{"delay_ms":1}"#);
    for waited_ns in [0, 3 * MS] {
        wire.offer(0, waited_ns, PACKET, 0);
        assert_eq!(wire.next_due_ns(), Some(MS));
        wire.left(MS + MS / 2);
    }
    let summary = wire.lateness().summary();
    assert_eq!((summary.packets, summary.over_1ms), (2, 1));
    assert!((3500..=3550).contains(&summary.max_us), "{summary:?}");
}

proptest! {
    #[test]
    fn order_is_kept_and_every_packet_is_accounted_for(
        pauses in prop::collection::vec(0_u64..2_000_000, 1..500),
        jitter_ms in 0.0_f64..20.0,
        rate_mbit_s in prop::option::of(0.5_f64..200.0),
        probability in 0.0_f64..0.5,
        seed in any::<u64>(),
    ) {
        let rate = rate_mbit_s.map_or_else(|| "null".to_owned(), |rate| rate.to_string());
        let mut wire = wire(&format!(
            r#"{{"delay_ms":20,"jitter_ms":{jitter_ms},"rate_mbit_s":{rate},
                 "loss":{{"independent":{probability}}},"seed":{seed}}}"#
        ));
        let mut now_ns = 0;
        let mut sent_ns = Vec::new();
        for (number, pause_ns) in pauses.iter().enumerate() {
            now_ns += pause_ns;
            sent_ns.push(now_ns);
            offer(&mut wire, now_ns, number as u32, PACKET);
        }
        let left = run_out(&mut wire);
        prop_assert!(left.windows(2).all(|pair| pair[0].0 <= pair[1].0 && pair[0].1 < pair[1].1));
        #[allow(clippy::cast_sign_loss)]
        let earliest_ns = ((20.0 - jitter_ms) * 1e6) as u64 - 1;
        for (due_ns, number) in &left {
            prop_assert!(due_ns - sent_ns[*number as usize] >= earliest_ns);
        }
        let Counts { packets, delivered_packets, lost, queue_dropped, .. } = *wire.counts();
        prop_assert_eq!(packets, pauses.len() as u64);
        prop_assert_eq!(packets, delivered_packets + lost + queue_dropped);
        prop_assert_eq!(wire.under_way(), 0);
    }
}
