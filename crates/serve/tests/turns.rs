//! Turns: one ledger at a time is served, and its cost is read from the clocks.

#![allow(clippy::unwrap_used)]

mod common;

use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use common::controlled::{
    Clock, ControlledOrigin, ENOUGH, Port, cut_short, get, looping, order, plain, turns,
};
use common::peer::{Http2, wait_for};
use common::{Client, head};
use fetchoff_serve::Greeting;
use serde_json::{Value, json};

#[test]
fn the_greeting_says_that_turns_are_known() {
    let greeting = serde_json::to_value(Greeting::of_this_process("1")).unwrap();
    assert_eq!(greeting["protocol"], 6);
}

#[test]
fn one_ledger_at_a_time_and_nobody_else_is_answered() {
    let origin = ControlledOrigin::start();
    let answered = Arc::new(Mutex::new(Vec::new()));
    let ports = [0; 3].map(|_| origin.held(ENOUGH, 1).0);
    let loops = ports.map(|port| {
        let answered = answered.clone();
        looping(port, ENOUGH, || {}, move || answered.lock().unwrap().push(port.ledger))
    });
    let [a, b, c] = ports;
    let wanted = [a, b, c, c, a, b, a];
    let answer = origin.ask(order(&wanted, 3, 10));
    assert_eq!((&answer["lost"], &answer["exhausted"]), (&json!([]), &json!([])));
    let turns = turns(&answer);
    let ledgers: Vec<u64> = turns.iter().map(|turn| turn.ledger).collect();
    assert_eq!(ledgers, wanted.map(|port| port.ledger));
    let expected: Vec<u64> = turns
        .iter()
        .flat_map(|turn| {
            let answered = turn.lead_exchanges + turn.exchanges;
            std::iter::repeat_n(turn.ledger, usize::try_from(answered).unwrap())
        })
        .collect();
    assert_eq!(*answered.lock().unwrap(), expected);
    cut_short(origin, loops.into());
}

#[test]
fn a_turn_has_as_many_iterations_as_asked_and_so_has_its_lead() {
    for per_iteration in [1, 2, 7] {
        let origin = ControlledOrigin::start();
        let (port, _) = origin.held(7 * ENOUGH, per_iteration);
        let loops = vec![plain(port, ENOUGH)];
        let lengths = [(1, 1), (3, 5), (40, 2), (1, 1), (1, 90)];
        let mut asked = order(&[], 1, 1);
        asked["order"] = json!(lengths.map(|(lead, counted)| (port.ledger, lead, counted)));
        let expected = lengths.map(|part| (part.0 * per_iteration, part.1 * per_iteration));
        for round in 1..=3 {
            let told = turns(&origin.ask(asked.clone()));
            let exchanges: Vec<_> = told.iter().map(|t| (t.lead_exchanges, t.exchanges)).collect();
            assert_eq!(exchanges, expected);
            assert_eq!(origin.answered(port), round * 145 * per_iteration);
        }
        cut_short(origin, loops);
    }
}

/// However few exchanges a turn has. A probe takes about a microsecond, some in a debug build.
#[test]
fn every_turn_tells_how_slow_the_core_was() {
    for counted in [1, 2, 100] {
        let origin = ControlledOrigin::start();
        let (port, _) = origin.held(ENOUGH, 1);
        let loops = vec![plain(port, ENOUGH)];
        for turn in turns(&origin.ask(order(&[port; 3], 5, counted))) {
            assert!((100_000..1_000_000_000).contains(&turn.probe_ps), "{counted}: {turn:?}");
        }
        cut_short(origin, loops);
    }
}

/// Each request costs twice as much as the one before. So a sum tells which requests are in it.
fn ever_dearer(clock: Clock) -> impl FnMut() + Send + 'static {
    let mut cost = 1;
    move || {
        clock.advance(cost);
        cost *= 2;
    }
}

#[test]
fn what_an_exchange_costs_does_not_say_in_which_turn_it_is() {
    let origin = ControlledOrigin::start();
    let (port, clock) = origin.held(ENOUGH, 2);
    let loops = vec![looping(port, ENOUGH, ever_dearer(clock), || {})];
    let told = turns(&origin.ask(order(&[port; 3], 1, 3)));
    let costs: Vec<_> = told.iter().map(|turn| (turn.lead_cpu_ns, turn.cpu_ns)).collect();
    // The cost of the first request was incurred before the turns.
    assert_eq!(costs, [1, 9, 17].map(|first| (0b11 << first, 0b1111_1100 << first)));
    cut_short(origin, loops);
}

#[test]
fn the_first_iteration_of_a_lead_is_told_by_itself() {
    let origin = ControlledOrigin::start();
    let (port, clock) = origin.held(ENOUGH, 2);
    let loops = vec![looping(port, ENOUGH, ever_dearer(clock), || {})];
    let mut asked = order(&[], 1, 1);
    asked["order"] = json!([(port.ledger, 3, 1), (port.ledger, 1, 1)]);
    let told = turns(&origin.ask(asked));
    let firsts: Vec<_> = told.iter().map(|turn| (turn.first_cpu_ns, turn.lead_cpu_ns)).collect();
    assert_eq!(firsts, [(0b11 << 1, 0b11_1111 << 1), (0b11 << 9, 0b11 << 9)]);
    cut_short(origin, loops);
}

#[test]
fn wall_time_is_that_of_turns_and_leads() {
    let origin = ControlledOrigin::start();
    let (port, _) = origin.held(ENOUGH, 1);
    let loops = vec![plain(port, ENOUGH)];
    let answer = origin.ask(order(&[port; 4], 20, 50));
    for turn in turns(&answer) {
        assert!(turn.lead_wall_ns > 0 && turn.wall_ns > 0 && turn.origin_ns > 0, "{turn:?}");
    }
    let turned: u64 = turns(&answer).iter().map(|turn| turn.wall_ns + turn.lead_wall_ns).sum();
    assert!(answer["wall_ns"].as_u64().unwrap() >= turned, "{answer}");
    assert_eq!(answer["lost_ns"], 0);
    cut_short(origin, loops);
}

#[test]
fn what_a_loop_did_before_it_was_held_is_in_no_turn() {
    let origin = ControlledOrigin::start();
    let port = origin.open(&json!({}));
    let mut client = port.connect();
    for _ in 0..10 {
        assert_eq!(client.ask("GET", "/", &[], b"").text(), "Hi");
    }
    let clock = origin.hold(port, 4, 1);
    clock.advance(1_000_000);
    let loops = plain(port, 4);
    let turns = turns(&origin.ask(order(&[port], 1, 1)));
    assert_eq!((turns[0].lead_exchanges, turns[0].exchanges), (1, 1));
    assert_eq!((turns[0].lead_cpu_ns, turns[0].cpu_ns, turns[0].held_cpu_ns), (0, 0, 0));
    origin.release(port);
    loops.join().unwrap();
    assert_eq!(origin.answered(port), 14);
}

/// Every exchange of `a` costs `a` 100 ns, and `b`, which is held meanwhile, 7 ns. Each of `b`
/// costs `b` 40 ns.
#[test]
fn cpu_time_is_told_by_whose_it_was_and_when() {
    let origin = ControlledOrigin::start();
    let (a, clock_of_a) = origin.held(ENOUGH, 1);
    let (b, clock_of_b) = origin.held(ENOUGH, 1);
    let in_background = clock_of_b.clone();
    let before_a = move || {
        clock_of_a.advance(100);
        in_background.advance(7);
    };
    let loops = vec![
        looping(a, ENOUGH, before_a, || {}),
        looping(b, ENOUGH, move || clock_of_b.advance(40), || {}),
    ];
    // The cost of a first exchange must not fall into a turn of the other client.
    origin.arrived(a);
    origin.arrived(b);
    let told = turns(&origin.ask(order(&[b, a, b, a, a, b], 5, 20)));
    let mut in_turns_of_a = 0;
    for (index, turn) in told.iter().enumerate() {
        if turn.ledger == a.ledger {
            assert_eq!(turn.cpu_ns, 100 * turn.exchanges, "{turn:?}");
            assert_eq!(turn.lead_cpu_ns, 100 * turn.lead_exchanges, "{turn:?}");
            assert_eq!(turn.others_ns, 7 * turn.exchanges, "{turn:?}");
            assert_eq!(turn.held_cpu_ns, 0, "{turn:?}");
            in_turns_of_a += turn.exchanges + turn.lead_exchanges;
        } else {
            assert_eq!(turn.cpu_ns, 40 * turn.exchanges, "{turn:?}");
            assert_eq!(turn.others_ns, 0, "{turn:?}");
            if index > 0 {
                assert_eq!(turn.held_cpu_ns, 7 * in_turns_of_a, "{turn:?}");
            }
            in_turns_of_a = 0;
        }
    }
    cut_short(origin, loops);
}

#[test]
fn what_is_in_no_turn_is_told_at_the_release() {
    let origin = ControlledOrigin::start();
    let (port, clock) = origin.held(4, 1);
    clock.advance(11);
    let mut client = port.connect();
    origin.send_and_wait(port, &mut client, &get());
    let answering = origin.begin(order(&[port], 1, 1));
    for _ in 0..2 {
        assert_eq!(client.reply().text(), "Hi");
        clock.advance(100);
        client.send(get());
    }
    let turn = turns(&answering.recv().unwrap())[0];
    assert_eq!((turn.lead_cpu_ns, turn.cpu_ns, turn.held_cpu_ns), (100, 100, 0));
    clock.advance(7);
    assert_eq!(origin.release(port), (11, 7));
    // An open gate has no client, and so no CPU time.
    assert_eq!(origin.release(port), (0, 0));
}

#[test]
fn who_was_let_go_is_nobody_s_other_any_more() {
    let origin = ControlledOrigin::start();
    let (a, _) = origin.held(ENOUGH, 1);
    let (b, clock_of_b) = origin.held(ENOUGH, 1);
    origin.release(b);
    let loops = vec![looping(a, ENOUGH, move || clock_of_b.advance(7), || {})];
    let told = turns(&origin.ask(order(&[a], 1, 20)));
    assert_eq!(told[0].others_ns, 0);
    cut_short(origin, loops);
}

#[test]
fn the_clock_of_a_process() {
    let origin = ControlledOrigin::start();
    let port = origin.open(&json!({}));
    origin.ask(json!({
        "op": "hold", "ledger": port.ledger, "pid": std::process::id(), "requests": ENOUGH,
        "per_iteration": 1,
    }));
    let loops = vec![plain(port, ENOUGH)];
    for turn in turns(&origin.ask(order(&[port; 3], 10, 50))) {
        // This process is both client and origin.
        assert!(turn.cpu_ns >= turn.origin_ns / 2 && turn.cpu_ns > 0, "{turn:?}");
    }
    cut_short(origin, loops);
}

#[test]
fn an_empty_order_is_done_at_once() {
    let answer = ControlledOrigin::start().ask(order(&[], 1, 1));
    let nothing = json!({"turns": [], "lost": [], "exhausted": [], "wall_ns": 0, "lost_ns": 0});
    assert_eq!(answer, nothing);
}

#[test]
fn fresh_connections_are_held_like_kept_ones() {
    let origin = ControlledOrigin::start();
    let (port, _) = origin.held(ENOUGH, 1);
    let fresh = thread::spawn(move || {
        for _ in 0..30 {
            let reply = port.connect().ask("GET", "/?keep-alive=off", &[], b"");
            assert_eq!(reply.text(), "Hi");
        }
    });
    let told = turns(&origin.ask(order(&[port; 3], 1, 1)));
    assert_eq!(told.iter().map(|t| t.lead_exchanges + t.exchanges).collect::<Vec<_>>(), [2; 3]);
    assert_eq!(origin.answered(port), 6);
    origin.release(port);
    fresh.join().unwrap();
    assert_eq!(origin.answered(port), 30);
}

#[test]
fn large_content_is_held_when_all_of_it_is_there() {
    let origin = ControlledOrigin::start();
    let (port, clock) = origin.held(ENOUGH, 1);
    let content = vec![7; 3_000_000]; // more than sockets hold
    let sent = content.len();
    let posting = thread::spawn(move || {
        let mut client: Client = port.connect();
        for _ in 0..12 {
            clock.advance(11);
            let reply = client.ask("POST", "/upload?digest=no", &[], &content);
            assert_eq!(reply.json(), json!({"bytes": content.len()}));
        }
    });
    let told = turns(&origin.ask(order(&[port; 4], 1, 1)));
    let exchanges: Vec<_> = told.iter().map(|t| (t.lead_exchanges, t.exchanges)).collect();
    assert_eq!(exchanges, [(1, 1); 4]);
    assert!(told.iter().all(|turn| turn.cpu_ns == 11), "{told:?}");
    origin.release(port);
    posting.join().unwrap();
    let counters = origin.read(port);
    assert_eq!(counters["requests"], 12);
    assert_eq!(counters["body_bytes_in"], 12 * sent);
}

/// Otherwise its client would go on sending while it is held, and that would be in no turn.
#[test]
fn a_request_has_arrived_when_all_of_its_content_has() {
    let origin = ControlledOrigin::start();
    let ports = [0; 2].map(|_| origin.held(ENOUGH, 1));
    let posting = ports.clone().map(|(port, clock)| {
        thread::spawn(move || {
            let mut client: Client = port.connect();
            let half = "x".repeat(10_000);
            for _ in 0..12 {
                clock.advance(11);
                client.send(format!("{}{half}", head("POST", "/upload?digest=no", &[], 20_000)));
                thread::sleep(Duration::from_millis(20)); // its head is read, and the other's turn is on
                clock.advance(5);
                client.send(&half);
                assert_eq!(client.reply().json(), json!({"bytes": 20_000}));
            }
        })
    });
    let [(a, _), (b, _)] = ports;
    let told = turns(&origin.ask(order(&[a, b, a, b, a, b], 1, 1)));
    let costs: Vec<_> = told.iter().map(|turn| (turn.lead_cpu_ns, turn.cpu_ns)).collect();
    assert_eq!(costs, [(16, 16); 6]);
    origin.release(a);
    origin.release(b);
    for one in posting {
        one.join().unwrap();
    }
}

#[test]
fn streams_of_http2_are_held_too() {
    let origin = ControlledOrigin::start();
    let port = origin.open(&json!({"protocol": "h2c"}));
    origin.hold(port, ENOUGH, 1);
    let asking = thread::spawn(move || {
        wait_for(async {
            let client = Http2::on(tokio::net::TcpStream::connect(port.address).await.unwrap());
            let client = client.await;
            for _ in 0..20 {
                let upload = client.ask(hyper::Method::POST, "/upload?digest=no", vec![1; 5000]);
                assert_eq!(upload.await.json(), json!({"bytes": 5000}));
            }
        });
    });
    let told = turns(&origin.ask(order(&[port; 5], 1, 1)));
    let all: u64 = told.iter().map(|turn| turn.lead_exchanges + turn.exchanges).sum();
    assert_eq!((all, origin.answered(port)), (10, 10));
    origin.release(port);
    asking.join().unwrap();
    let counters = origin.read(port);
    assert_eq!((&counters["requests"], &counters["connections"]), (&json!(20), &json!(1)));
}

#[test]
fn what_cannot_be_done_is_an_error_and_changes_nothing() {
    let origin = ControlledOrigin::start();
    let port = origin.open(&json!({}));
    let hold = json!({
        "op": "hold", "ledger": port.ledger, "pid": std::process::id(), "group": null,
        "requests": 5, "per_iteration": 1,
    });
    let with = |key: &str, value: Value| {
        let mut hold = hold.clone();
        hold[key] = value;
        origin.error(hold)
    };
    assert_eq!(with("ledger", json!(99)), "no ledger 99 is open");
    assert!(with("pid", json!(i32::MAX)).starts_with("no CPU clock for ledger 1: "));
    assert!(with("pid", json!(0)).starts_with("no CPU clock for ledger 1: "));
    assert!(with("pid", json!(-1)).starts_with("no CPU clock for ledger 1: "));
    assert!(with("group", json!("/nowhere")).starts_with("no CPU clock for ledger 1: "));
    assert!(with("per_iteration", json!(0)).contains("nonzero"));
    assert!(with("requests", json!(-1)).contains("-1"));
    assert!(with("patience", json!(1)).contains("unknown field"));
    // Protocol 2 had lengths in microseconds. They must not be taken for iterations.
    let mut old = order(&[port], 1, 1);
    old["work_us"] = json!(1);
    assert!(origin.error(old).contains("unknown field"));
    for (lead, counted) in [(0, 1), (1, 0)] {
        let error = origin.error(order(&[port], lead, counted));
        assert_eq!(error, "a turn needs at least one iteration of each kind: lead and counted");
    }
    let nobody = Port { ledger: 99, ..port };
    assert_eq!(origin.error(order(&[port, nobody], 1, 1)), "no ledger 99 is open");
    assert_eq!(origin.error(json!({"op": "release", "ledger": 99})), "no ledger 99 is open");
    // None of these requests holds anything.
    assert_eq!(port.connect().ask("GET", "/", &[], b"").text(), "Hi");
}

/// A test of the tests' own clock.
#[test]
fn a_clock_of_a_test_advances() {
    let origin = ControlledOrigin::start();
    let (port, clock): (Port, Clock) = origin.held(4, 1);
    let mut client = port.connect();
    origin.send_and_wait(port, &mut client, &get());
    clock.advance(5);
    clock.advance(6);
    let answering = origin.begin(order(&[port], 1, 1));
    for _ in 0..2 {
        assert_eq!(client.reply().text(), "Hi");
        client.send(get());
    }
    assert_eq!(turns(&answering.recv().unwrap())[0].held_cpu_ns, 11);
}
