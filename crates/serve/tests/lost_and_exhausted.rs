//! Clients that stop, disappear or come to their end get no more turns; the others get theirs.

mod common;

use std::time::Instant;

use common::controlled::{
    ControlledOrigin, ENOUGH, Port, cut_short, get, looping, order, order_with, plain, turns,
};
use common::head;
use serde_json::json;

#[test]
fn who_never_comes_is_lost_and_the_others_have_their_turns() {
    let origin = ControlledOrigin::start();
    let (a, _) = origin.held(ENOUGH, 1);
    let (absent, _) = origin.held(ENOUGH, 1);
    let loops = vec![plain(a, ENOUGH)];
    let answer = origin.ask(order_with(&[absent, a, absent, a, absent], 1, 5, 300));
    assert_eq!(answer["lost"], json!([absent.ledger]));
    let told = turns(&answer);
    assert_eq!(told.iter().map(|turn| turn.ledger).collect::<Vec<_>>(), [a.ledger; 2]);
    origin.release(absent);
    assert_eq!(absent.connect().ask("GET", "/", &[], b"").text(), "Hi");
    cut_short(origin, loops);
}

#[test]
fn who_stops_in_a_turn_costs_its_patience_once_and_is_held_until_it_is_released() {
    let origin = ControlledOrigin::start();
    let (a, _) = origin.held(ENOUGH, 1);
    let (stopping, _) = origin.held(ENOUGH, 1);
    let loops = vec![plain(a, ENOUGH)];
    let mut client = stopping.connect();
    origin.send_and_wait(stopping, &mut client, &get());
    let began = Instant::now();
    let answering = origin.begin(order_with(&[a, stopping, a, stopping, a], 1, 5, 300));
    assert_eq!(client.reply().text(), "Hi");
    let answer = answering.recv().unwrap();
    let took = began.elapsed();
    assert_eq!(answer["lost"], json!([stopping.ledger]));
    assert_eq!(turns(&answer).iter().map(|t| t.ledger).collect::<Vec<_>>(), [a.ledger; 3]);
    // Time that was spent waiting in vain is counted separately.
    let [lost, wall] = ["lost_ns", "wall_ns"].map(|field| answer[field].as_u64().unwrap());
    assert!(lost >= 300_000_000, "{answer}");
    assert!(u128::from(lost + wall) <= took.as_nanos(), "{answer}, {took:?}");
    // What it sends too late does not disturb the turns of others.
    origin.send_and_wait(stopping, &mut client, &get());
    assert_eq!(turns(&origin.ask(order(&[a], 1, 5))).len(), 1);
    assert_eq!(origin.answered(stopping), 1);
    origin.release(stopping);
    assert_eq!(client.reply().text(), "Hi");
    // And later orders do not wait for it.
    let answer = origin.ask(order(&[stopping, a], 1, 5));
    assert_eq!(answer["lost"], json!([stopping.ledger]));
    assert_eq!(turns(&answer).len(), 1);
    cut_short(origin, loops);
}

#[test]
fn who_is_not_held_has_no_turn_and_nobody_waits_for_it() {
    let origin = ControlledOrigin::start();
    let port = origin.open(&json!({}));
    let (other, _) = origin.held(ENOUGH, 1);
    origin.release(other);
    let an_hour = 3_600_000;
    let answer = origin.ask(order_with(&[port, other, port], 1, 1, an_hour));
    let lost = json!([port.ledger, other.ledger]);
    assert_eq!((&answer["turns"], &answer["lost"]), (&json!([]), &lost));
}

#[test]
fn a_loop_that_is_at_its_end_has_no_turn_left() {
    for (requests, per_iteration) in [(40, 1), (42, 3)] {
        let origin = ControlledOrigin::start();
        let (port, _) = origin.held(requests, per_iteration);
        let (other, _) = origin.held(ENOUGH, 1);
        let loops = vec![plain(other, ENOUGH)];
        let ending = plain(port, requests);
        let wanted: Vec<Port> = [port, other].repeat(100);
        let answer = origin.ask(order(&wanted, 1, 1));
        assert_eq!(answer["exhausted"], json!([port.ledger]));
        assert_eq!(answer["lost"], json!([]));
        let told = turns(&answer);
        assert_eq!(told.iter().filter(|turn| turn.ledger == other.ledger).count(), 100);
        let all: u64 = told
            .iter()
            .filter(|turn| turn.ledger == port.ledger)
            .map(|turn| turn.exchanges + turn.lead_exchanges)
            .sum();
        // The last iteration has begun, and is held.
        assert_eq!((all, origin.answered(port)), (requests - per_iteration, all));
        origin.release(port);
        assert_eq!(ending.join().unwrap(), requests);
        assert_eq!(origin.answered(port), requests);
        cut_short(origin, loops);
    }
}

#[test]
fn a_turn_is_cut_short_by_the_end_of_the_loop() {
    // Turns can have nine of the ten iterations. The ninth ends in a lead, at the end of a lead, in
    // a counted part, or at the end of one.
    let cases = [
        ((4, 3), vec![(4, 3), (2, 0)]),
        ((4, 1), vec![(4, 1), (4, 0)]),
        ((2, 3), vec![(2, 3), (2, 2)]),
        ((1, 8), vec![(1, 8)]),
    ];
    for ((lead, counted), expected) in cases {
        let origin = ControlledOrigin::start();
        let (port, _) = origin.held(30, 3);
        let ending = plain(port, 30);
        let answer = origin.ask(order(&[port; 3], lead, counted));
        let told = turns(&answer);
        let exchanges = told.iter().map(|turn| (turn.lead_exchanges / 3, turn.exchanges / 3));
        assert_eq!(exchanges.collect::<Vec<_>>(), expected, "{answer}");
        assert_eq!((origin.answered(port), &answer["exhausted"]), (27, &json!([port.ledger])));
        origin.release(port);
        ending.join().unwrap();
    }
}

#[test]
fn release_lets_everybody_go_who_is_held() {
    let origin = ControlledOrigin::start();
    let (port, _) = origin.held(ENOUGH, 1);
    let mut clients = [port.connect(), port.connect(), port.connect()];
    for client in &mut clients {
        origin.send_and_wait(port, client, &get());
    }
    assert_eq!(origin.answered(port), 0);
    origin.release(port);
    for client in &mut clients {
        assert_eq!(client.reply().text(), "Hi");
        assert_eq!(client.ask("GET", "/bytes/5", &[], b"").content.len(), 5);
    }
    origin.release(port);
    assert_eq!(origin.answered(port), 6);
}

#[test]
fn who_gives_up_while_it_is_held_may_come_again() {
    let origin = ControlledOrigin::start();
    let (port, _) = origin.held(ENOUGH, 4);
    give_up(&origin, port);
    let loops = vec![plain(port, ENOUGH)];
    let answer = origin.ask(order(&[port; 3], 2, 3));
    assert_eq!(answer["lost"], json!([]));
    let told = turns(&answer);
    let exchanges: Vec<_> = told.iter().map(|t| (t.lead_exchanges, t.exchanges)).collect();
    assert_eq!(exchanges, [(8, 12); 3]);
    assert_eq!(origin.answered(port), 60);
    // Its request was complete.
    assert_eq!(origin.read(port)["bad_requests"], 0);
    cut_short(origin, loops);
}

/// Sends a request, and closes the connection while it is held. There is no other connection.
fn give_up(origin: &ControlledOrigin, port: Port) {
    let mut impatient = port.connect();
    origin.send_and_wait(port, &mut impatient, &get());
    origin.opened(port, 1);
    drop(impatient);
    origin.opened(port, 0);
}

#[test]
fn what_a_client_used_before_it_gave_up_a_first_request_is_not_forgotten() {
    let origin = ControlledOrigin::start();
    let (port, clock) = origin.held(ENOUGH, 1);
    clock.advance(11);
    give_up(&origin, port);
    clock.advance(7);
    origin.send_and_wait(port, &mut port.connect(), &get());
    assert_eq!(origin.release(port), (18, 0));
}

/// Sends half an upload, and waits until the origin has closed the connection.
fn upload_half(port: Port) {
    let mut client = port.connect();
    client.send(head("PUT", "/upload", &[], 10) + "12345");
    client.end_of_sending();
    client.rest();
}

/// RFC 9112, section 8: such a message is incomplete, and no request that could be answered.
#[test]
fn half_an_upload_is_no_exchange_of_a_turn() {
    let origin = ControlledOrigin::start();
    let (port, _) = origin.held(ENOUGH, 1);
    upload_half(port);
    let mut client = port.connect();
    origin.send_and_wait(port, &mut client, &get());
    let answering = origin.begin(order(&[port], 1, 2));
    for _ in 0..3 {
        assert_eq!(client.reply().text(), "Hi");
        upload_half(port);
        client.send(get());
    }
    let turn = turns(&answering.recv().unwrap())[0];
    assert_eq!((turn.lead_exchanges, turn.exchanges), (1, 2));
    assert_eq!(origin.answered(port), 3);
    assert_eq!(origin.read(port)["bad_requests"], 4);
}

#[test]
fn who_gives_up_while_it_is_held_and_does_not_come_again_is_lost() {
    let origin = ControlledOrigin::start();
    let (port, _) = origin.held(ENOUGH, 1);
    give_up(&origin, port);
    let answer = origin.ask(order_with(&[port], 1, 1, 100));
    assert_eq!((&answer["turns"], &answer["lost"]), (&json!([]), &json!([port.ledger])));
}

#[test]
fn a_listener_that_is_closed_lets_its_requests_go_with_it() {
    let origin = ControlledOrigin::start();
    let (port, _) = origin.held(ENOUGH, 1);
    let mut client = port.connect();
    origin.send_and_wait(port, &mut client, &get());
    origin.ask(json!({"op": "close", "ledger": port.ledger}));
    assert!(client.is_ended());
    assert!(origin.error(order(&[port], 1, 1)).contains("no ledger"));
}

#[test]
fn clocks_that_have_gone_stand_still() {
    let origin = ControlledOrigin::start();
    let (port, _) = origin.held(ENOUGH, 1);
    let mut child = std::process::Command::new("sleep").arg("60").spawn().unwrap();
    let gone = origin.open(&json!({}));
    origin.ask(json!({
        "op": "hold", "ledger": gone.ledger, "pid": child.id(), "requests": ENOUGH,
        "per_iteration": 1,
    }));
    child.kill().unwrap();
    child.wait().unwrap();
    let loops = vec![plain(port, ENOUGH)];
    let answer = origin.ask(order_with(&[gone, port], 1, 1, 100));
    assert_eq!((turns(&answer).len(), &answer["lost"]), (1, &json!([gone.ledger])));
    cut_short(origin, loops);
}

#[test]
fn who_dies_in_the_turn_of_another_takes_nothing_from_what_the_others_used() {
    let origin = ControlledOrigin::start();
    let (port, _) = origin.held(ENOUGH, 1);
    let (_, dying) = origin.held(ENOUGH, 1);
    let (_, busy) = origin.held(ENOUGH, 1);
    dying.advance(1_000_000);
    let mut requests = 0;
    let before = move || {
        requests += 1;
        busy.advance(7);
        if requests == 15 {
            dying.vanish();
        }
    };
    let loops = vec![looping(port, ENOUGH, before, || {})];
    let [turn] = turns(&origin.ask(order(&[port], 5, 20)))[..] else { panic!("not one turn") };
    assert_eq!((turn.exchanges, turn.others_ns), (20, 140));
    cut_short(origin, loops);
}
