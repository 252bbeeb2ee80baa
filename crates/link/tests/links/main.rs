//! Real links: real namespaces, real devices, real packets.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "it is all tests")]

mod emulator;
mod loopbacks;
mod names;

use std::fs;
use std::thread;
use std::time::{Duration, Instant};

use fetchoff_link::{Direction, Profile, Wire};
use rustix::process::Signal;
use serde_json::{Value, json};

use crate::emulator::{Emulator, in_every_mode};

const PORT: u16 = 4000;
const LONGEST: Duration = Duration::from_secs(10);

fn ipv4(end: &Value) -> String {
    format!("{}:{PORT}", end["ipv4"].as_str().unwrap())
}

fn ipv6(end: &Value) -> Option<String> {
    end["ipv6"].as_str().map(|address| format!("[{address}]:{PORT}"))
}

/// The addresses of an end, IPv6 included if the kernel supports it.
fn addresses(end: &Value) -> Vec<String> {
    [Some(ipv4(end)), ipv6(end)].into_iter().flatten().collect()
}

/// Round-trip times in microseconds; `None` for lost packets.
fn ping(emulator: &Emulator, link: &Value, address: &str, packets: u32) -> Vec<Option<u64>> {
    let mut ping = emulator.traffic(&link["near"], &["ping", address, &packets.to_string()]);
    ping.line().split(' ').map(|time| time.parse().ok()).collect()
}

#[test]
fn packets_of_both_versions_come_back_and_never_too_early() {
    in_every_mode(|emulator| {
        let link = emulator.open(&json!({"delay_ms": 12}), &json!({"delay_ms": 8}));
        for address in addresses(&link["far"]) {
            let _echo = emulator.traffic(&link["far"], &["echo", &address]);
            for time in ping(emulator, &link, &address, 5) {
                assert!(time.is_some_and(|us| us >= 20_000), "{address}: {time:?}");
            }
        }
        let counted = emulator.read(&link);
        let packets = 5 * addresses(&link["far"]).len();
        for direction in ["up", "down"] {
            assert_eq!(counted[direction]["packets"], packets, "{direction}: {counted}");
            assert_eq!(counted[direction]["delivered_packets"], packets, "{direction}: {counted}");
            assert_eq!(
                counted[direction]["lateness"]["packets"], packets,
                "{direction}: {counted}"
            );
            assert_eq!(counted[direction]["overruns"], 0, "{direction}: {counted}");
        }
    });
}

#[test]
fn streams_arrive_whole_whatever_the_size_of_segments() {
    const BYTES: usize = 3_000_000;
    let shaped = json!({"delay_ms": 1, "rate_mbit_s": 200, "queue": {"bytes": 300_000}});
    in_every_mode(|emulator| {
        for profile in [json!({}), shaped.clone()] {
            let link = emulator.open(&profile, &profile);
            for address in addresses(&link["far"]) {
                let mut sink = emulator.traffic(&link["far"], &["sink", &address]);
                let pour = ["pour", &address, &BYTES.to_string()];
                drop(emulator.traffic(&link["near"], &pour).line());
                assert_eq!(sink.line(), BYTES.to_string(), "{address} {profile}");
            }
            let up = &emulator.read(&link)["up"];
            assert_eq!((&up["oversized"], &up["refused"]), (&json!(0), &json!(0)), "{up}");
            let packets = up["packets"].as_u64().unwrap();
            let bytes = up["bytes"].as_u64().unwrap();
            if profile == shaped {
                assert!(bytes <= packets * 1500, "a packet is at most 1500 bytes: {up}");
                assert!(up["queue_high_water_bytes"].as_u64().unwrap() <= 300_000, "{up}");
            }
        }
    });
}

#[test]
fn the_asked_packets_are_lost_and_no_others() {
    const PACKETS: u32 = 3000;
    let profile = json!({"delay_ms": 1, "loss": {"independent": 0.02}, "seed": 11});
    let mut predicted = Wire::new(Direction::Up, 1500, parameters(&profile));
    for number in 0..PACKETS {
        predicted.space()[..4].copy_from_slice(&number.to_be_bytes());
        predicted.offer(0, 0, 4, 0);
    }
    let mut expected = Vec::new();
    while let Some(frame) = predicted.due(u64::MAX) {
        expected.push(u32::from_be_bytes(frame.try_into().unwrap()).to_string());
        predicted.left(0);
    }
    in_every_mode(|emulator| {
        let link = emulator.open(&profile, &json!({}));
        let address = ipv4(&link["far"]);
        let mut collect = emulator.traffic(&link["far"], &["collect", &address]);
        let mut number = emulator.traffic(&link["near"], &["number", &address, "3000"]);
        assert_eq!(number.line(), "sent");
        assert_eq!(collect.line(), expected.join(" "), "{:?}", emulator.mode);
        let up = &emulator.read(&link)["up"];
        assert_eq!(up["lost"], PACKETS as usize - expected.len(), "{up}");
    });
}

fn parameters(profile: &Value) -> fetchoff_link::Parameters {
    serde_json::from_value::<Profile>(profile.clone()).unwrap().parameters().unwrap()
}

#[test]
fn a_black_hole_comes_and_goes_while_the_link_is_up() {
    in_every_mode(|emulator| {
        let link = emulator.open(&json!({}), &json!({}));
        let address = ipv4(&link["far"]);
        let _echo = emulator.traffic(&link["far"], &["echo", &address]);
        assert!(ping(emulator, &link, &address, 1)[0].is_some());
        emulator.must(&json!({"op": "set", "link": link["link"], "black_hole": {"down": true}}));
        assert_eq!(ping(emulator, &link, &address, 1), [None]);
        emulator.must(&json!({"op": "set", "link": link["link"], "black_hole": {"down": false},
                              "up": {"delay_ms": 30}}));
        assert!(ping(emulator, &link, &address, 1)[0].is_some_and(|us| us >= 30_000));
        let counted = emulator.must(&json!({"op": "close", "link": link["link"]}));
        assert_eq!(counted["down"]["black_holed"], 1, "{counted}");
    });
}

#[test]
fn terms_that_count_packets_divide_segments_from_then_on() {
    in_every_mode(|emulator| {
        let link = emulator.open(&json!({}), &json!({}));
        let address = ipv4(&link["far"]);
        let up = json!({"rate_mbit_s": 300});
        emulator.must(&json!({"op": "set", "link": link["link"], "up": up}));
        let mut sink = emulator.traffic(&link["far"], &["sink", &address]);
        drop(emulator.traffic(&link["near"], &["pour", &address, "2000000"]).line());
        assert_eq!(sink.line(), "2000000");
        let up = &emulator.read(&link)["up"];
        assert_eq!(up["oversized"], 0, "{up}");
    });
}

#[test]
fn tcp_uses_the_congestion_control_that_was_asked_for() {
    in_every_mode(|emulator| {
        let backend = emulator.mode.backend;
        let open = |name| json!({"op": "open", "backend": backend, "congestion": name});
        let link = emulator.must(&open("reno"));
        assert_eq!(link["near"]["congestion"], "reno");
        for address in addresses(&link["far"]) {
            let _sink = emulator.traffic(&link["far"], &["sink", &address]);
            let mut pour = emulator.traffic(&link["near"], &["pour", &address, "1000"]);
            assert_eq!(pour.line(), "reno");
        }
        let refused = emulator.ask(&open("no-such"))["error"].to_string();
        assert!(refused.contains("no congestion control no-such; there are:"), "{refused}");
    });
}

/// Sends numbered packets from near to far, where no process receives them.
fn send(emulator: &Emulator, link: &Value, packets: u32) {
    let to = ipv4(&link["far"]);
    let mut number = emulator.traffic(&link["near"], &["number", &to, &packets.to_string()]);
    assert_eq!(number.line(), "sent");
}

/// The counters, as soon as those of one direction are as expected.
fn read_until(emulator: &mut Emulator, link: &Value, awaited: impl Fn(&Value) -> bool) -> Value {
    let began = Instant::now();
    loop {
        let counted = emulator.read(link);
        if awaited(&counted["up"]) {
            return counted;
        }
        assert!(began.elapsed() < LONGEST, "{:?}: {counted}", emulator.mode);
        thread::sleep(Duration::from_millis(5));
    }
}

/// Does something while the emulator is stopped.
fn held_up(emulator: &Emulator, act: impl FnOnce()) {
    rustix::process::kill_process(emulator.pid(), Signal::STOP).unwrap();
    act();
    rustix::process::kill_process(emulator.pid(), Signal::CONT).unwrap();
}

#[test]
fn an_emulator_that_is_held_up_says_which_packets_were_late() {
    in_every_mode(|emulator| {
        let link = emulator.open(&json!({"delay_ms": 400}), &json!({}));
        send(emulator, &link, 3);
        read_until(emulator, &link, |up| up["packets"] == 3);
        held_up(emulator, || thread::sleep(Duration::from_millis(600)));
        let up = &read_until(emulator, &link, |up| up["delivered_packets"] == 3)["up"];
        assert_eq!(up["lateness"]["over_1ms"], 3, "{up}");
    });
}

#[test]
fn an_emulator_that_is_held_up_says_how_many_packets_never_came() {
    const PACKETS: u32 = 15_000;
    in_every_mode(|emulator| {
        if emulator.mode.backend != "tun" {
            // How many packets a packet socket keeps depends on the machine's limits.
            return;
        }
        let link = emulator.open(&json!({}), &json!({"delay_ms": 1}));
        held_up(emulator, || send(emulator, &link, PACKETS));
        read_until(emulator, &link, |up| {
            let [packets, overruns] =
                ["packets", "overruns"].map(|name| up[name].as_u64().unwrap());
            overruns > 0 && packets + overruns == u64::from(PACKETS)
        });
    });
}

/// The effective capabilities of a command that is started at one end.
fn rights(emulator: &Emulator, end: &Value, options: &[&str]) -> u64 {
    let mut command = emulator.enter(end);
    command.args(options).args(["--", "cat", "/proc/self/status"]);
    let told = command.output().unwrap();
    let status = String::from_utf8(told.stdout).unwrap();
    let effective = status.lines().find_map(|line| line.strip_prefix("CapEff:"));
    let effective = effective.unwrap_or_else(|| panic!("{options:?}: {:?}", told.stderr));
    u64::from_str_radix(effective.trim(), 16).unwrap()
}

#[test]
fn who_is_to_see_packets_may_and_nobody_else_has_any_right() {
    const CAP_NET_RAW: u32 = 13; // linux/capability.h
    in_every_mode(|emulator| {
        let link = emulator.open(&json!({}), &json!({}));
        let [plain, seeing] = [&[] as &[&str], &["--packets"]]
            .map(|options| rights(emulator, &link["near"], options));
        if emulator.greeting["user_namespace"].is_null() {
            assert_eq!(plain, seeing, "root has them anyway");
        } else {
            assert_eq!((plain, seeing), (0, 1 << CAP_NET_RAW), "{:?}", emulator.mode);
        }
    });
}

#[test]
fn a_device_that_is_there_already_is_not_touched() {
    in_every_mode(|emulator| {
        let link = emulator.open(&json!({}), &json!({}));
        let near = &link["near"]["namespace"];
        let backend = emulator.mode.backend;
        let again = emulator.ask(&json!({"op": "open", "backend": backend, "near": near}));
        let error = again["error"].to_string();
        assert!(error.contains("fetchoff-near"), "{:?}: {again}", emulator.mode);
        assert!(error.contains("already") || error.contains("exists"), "{again}");
        let address = ipv4(&link["far"]);
        let _echo = emulator.traffic(&link["far"], &["echo", &address]);
        assert!(ping(emulator, &link, &address, 1)[0].is_some(), "the first link still works");
    });
}

#[test]
fn what_cannot_be_is_refused_and_nothing_else_suffers() {
    in_every_mode(|emulator| {
        for (request, said) in [
            (json!({"op": "open", "mtu": 500}), "mtu is 500; it must be between"),
            (json!({"op": "open", "up": {"delay_ms": -1}}), "up: delay_ms is -1"),
            (json!({"op": "open", "near": "fetchoff-none"}), "/run/netns/fetchoff-none"),
            (json!({"op": "read", "link": 77}), "no link 77 is open"),
            (json!({"op": "guess"}), "unknown variant"),
        ] {
            let error = emulator.ask(&request)["error"].to_string();
            assert!(error.contains(said), "{request}: {error}");
        }
        emulator.open(&json!({}), &json!({}));
    });
}

/// However the emulator ends, its devices disappear, even from a namespace that others still use.
fn nothing_is_left(end: impl Fn(&mut Emulator, &Value) -> Option<i32>, status: Option<i32>) {
    in_every_mode(|emulator| {
        let link = emulator.open(&json!({"delay_ms": 5}), &json!({}));
        let mut near = emulator.traffic(&link["near"], &["devices"]);
        let mut far = emulator.traffic(&link["far"], &["devices"]);
        assert!(near.ask().contains("fetchoff-near"));
        assert!(far.ask().contains("fetchoff-far"));
        assert_eq!(end(emulator, &link), status, "{:?}", emulator.mode);
        let began = Instant::now();
        while format!("{} {}", near.ask(), far.ask()).contains("fetchoff-") {
            assert!(began.elapsed() < LONGEST, "{:?}: devices are still there", emulator.mode);
            thread::sleep(Duration::from_millis(5));
        }
        assert!(!fs::read_to_string("/proc/net/dev").unwrap().contains("fetchoff-"));
    });
}

#[test]
fn the_end_of_input_leaves_nothing() {
    nothing_is_left(
        |emulator, _| {
            emulator.hang_up();
            emulator.wait()
        },
        Some(0),
    );
}

#[test]
fn signals_leave_nothing() {
    for signal in [Signal::TERM, Signal::INT, Signal::KILL] {
        nothing_is_left(
            |emulator, _| {
                rustix::process::kill_process(emulator.pid(), signal).unwrap();
                emulator.wait()
            },
            None,
        );
    }
}

#[test]
fn closing_leaves_nothing() {
    nothing_is_left(
        |emulator, link| {
            emulator.must(&json!({"op": "close", "link": link["link"]}));
            Some(0)
        },
        Some(0),
    );
}
