//! Who stops, vanishes or has come to an end has no turn, and the others have theirs.

mod common;

use std::time::Instant;

use common::turnstile::{Door, ENOUGH, Turnstile, cut_short, get, order, order_with, plain, turns};
use serde_json::json;

#[test]
fn who_never_comes_is_lost_and_the_others_have_their_turns() {
    let turnstile = Turnstile::start();
    let (a, _) = turnstile.held(ENOUGH, 1);
    let (absent, _) = turnstile.held(ENOUGH, 1);
    let loops = vec![plain(a, ENOUGH)];
    let answer = turnstile.ask(order_with(&[absent, a, absent, a, absent], 1, 5, 300));
    assert_eq!(answer["lost"], json!([absent.ledger]));
    let told = turns(&answer);
    assert_eq!(told.iter().map(|turn| turn.ledger).collect::<Vec<_>>(), [a.ledger; 2]);
    // From then on it is not held.
    assert_eq!(absent.connect().ask("GET", "/", &[], b"").text(), "Hi");
    cut_short(turnstile, loops);
}

#[test]
fn who_stops_in_a_turn_costs_its_patience_once_and_is_held_no_more() {
    let turnstile = Turnstile::start();
    let (a, _) = turnstile.held(ENOUGH, 1);
    let (stopping, _) = turnstile.held(ENOUGH, 1);
    let loops = vec![plain(a, ENOUGH)];
    let mut client = stopping.connect();
    turnstile.knock(stopping, &mut client, &get());
    let began = Instant::now();
    let answering = turnstile.begin(order_with(&[a, stopping, a, stopping, a], 1, 5, 300));
    assert_eq!(client.reply().text(), "Hi");
    let answer = answering.recv().unwrap();
    let took = began.elapsed();
    assert_eq!(answer["lost"], json!([stopping.ledger]));
    assert_eq!(turns(&answer).iter().map(|t| t.ledger).collect::<Vec<_>>(), [a.ledger; 3]);
    // What was waited for in vain is nobody's time.
    let [lost, wall] = ["lost_ns", "wall_ns"].map(|field| answer[field].as_u64().unwrap());
    assert!(lost >= 300_000_000, "{answer}");
    assert!(u128::from(lost + wall) <= took.as_nanos(), "{answer}, {took:?}");
    assert_eq!(client.ask("GET", "/", &[], b"").text(), "Hi");
    // And later orders do not wait for it.
    let answer = turnstile.ask(order(&[stopping, a], 1, 5));
    assert_eq!(answer["lost"], json!([stopping.ledger]));
    assert_eq!(turns(&answer).len(), 1);
    cut_short(turnstile, loops);
}

#[test]
fn who_is_not_held_has_no_turn_and_nobody_waits_for_it() {
    let turnstile = Turnstile::start();
    let door = turnstile.open(&json!({}));
    let (other, _) = turnstile.held(ENOUGH, 1);
    turnstile.release(other);
    let an_hour = 3_600_000;
    let answer = turnstile.ask(order_with(&[door, other, door], 1, 1, an_hour));
    let lost = json!([door.ledger, other.ledger]);
    assert_eq!((&answer["turns"], &answer["lost"]), (&json!([]), &lost));
}

#[test]
fn a_loop_that_is_at_its_end_has_no_turn_left() {
    for (requests, per_iteration) in [(40, 1), (42, 3)] {
        let turnstile = Turnstile::start();
        let (door, _) = turnstile.held(requests, per_iteration);
        let (other, _) = turnstile.held(ENOUGH, 1);
        let loops = vec![plain(other, ENOUGH)];
        let ending = plain(door, requests);
        let wanted: Vec<Door> = [door, other].repeat(100);
        let answer = turnstile.ask(order(&wanted, 1, 1));
        assert_eq!(answer["exhausted"], json!([door.ledger]));
        assert_eq!(answer["lost"], json!([]));
        let told = turns(&answer);
        assert_eq!(told.iter().filter(|turn| turn.ledger == other.ledger).count(), 100);
        let all: u64 = told
            .iter()
            .filter(|turn| turn.ledger == door.ledger)
            .map(|turn| turn.exchanges + turn.lead_exchanges)
            .sum();
        // The last iteration has begun, and is held.
        assert_eq!((all, turnstile.answered(door)), (requests - per_iteration, all));
        turnstile.release(door);
        assert_eq!(ending.join().unwrap(), requests);
        assert_eq!(turnstile.answered(door), requests);
        cut_short(turnstile, loops);
    }
}

#[test]
fn a_turn_is_cut_short_by_the_end_of_the_loop() {
    // Nine iterations can be had of ten. They end in a lead, with a lead, in a counted part, with one.
    let cases = [
        ((4, 3), vec![(4, 3), (2, 0)]),
        ((4, 1), vec![(4, 1), (4, 0)]),
        ((2, 3), vec![(2, 3), (2, 2)]),
        ((1, 8), vec![(1, 8)]),
    ];
    for ((lead, counted), expected) in cases {
        let turnstile = Turnstile::start();
        let (door, _) = turnstile.held(30, 3);
        let ending = plain(door, 30);
        let answer = turnstile.ask(order(&[door; 3], lead, counted));
        let told = turns(&answer);
        let exchanges = told.iter().map(|turn| (turn.lead_exchanges / 3, turn.exchanges / 3));
        assert_eq!(exchanges.collect::<Vec<_>>(), expected, "{answer}");
        assert_eq!((turnstile.answered(door), &answer["exhausted"]), (27, &json!([door.ledger])));
        turnstile.release(door);
        ending.join().unwrap();
    }
}

#[test]
fn release_lets_everybody_go_who_is_held() {
    let turnstile = Turnstile::start();
    let (door, _) = turnstile.held(ENOUGH, 1);
    let mut clients = [door.connect(), door.connect(), door.connect()];
    for client in &mut clients {
        turnstile.knock(door, client, &get());
    }
    assert_eq!(turnstile.answered(door), 0);
    turnstile.release(door);
    for client in &mut clients {
        assert_eq!(client.reply().text(), "Hi");
        assert_eq!(client.ask("GET", "/bytes/5", &[], b"").content.len(), 5);
    }
    turnstile.release(door);
    assert_eq!(turnstile.answered(door), 6);
}

#[test]
fn who_gives_up_while_it_is_held_may_come_again() {
    let turnstile = Turnstile::start();
    let (door, _) = turnstile.held(ENOUGH, 4);
    let mut impatient = door.connect();
    turnstile.knock(door, &mut impatient, &get());
    turnstile.opened(door, 1);
    drop(impatient);
    turnstile.opened(door, 0);
    let loops = vec![plain(door, ENOUGH)];
    let answer = turnstile.ask(order(&[door; 3], 2, 3));
    assert_eq!(answer["lost"], json!([]));
    let told = turns(&answer);
    let exchanges: Vec<_> = told.iter().map(|t| (t.lead_exchanges, t.exchanges)).collect();
    assert_eq!(exchanges, [(8, 12); 3]);
    assert_eq!(turnstile.answered(door), 60);
    cut_short(turnstile, loops);
}

#[test]
fn who_gives_up_while_it_is_held_and_does_not_come_again_is_lost() {
    let turnstile = Turnstile::start();
    let (door, _) = turnstile.held(ENOUGH, 1);
    let mut impatient = door.connect();
    turnstile.knock(door, &mut impatient, &get());
    drop(impatient);
    turnstile.opened(door, 0);
    let answer = turnstile.ask(order_with(&[door], 1, 1, 100));
    assert_eq!((&answer["turns"], &answer["lost"]), (&json!([]), &json!([door.ledger])));
}

#[test]
fn a_listener_that_is_closed_lets_its_requests_go_with_it() {
    let turnstile = Turnstile::start();
    let (door, _) = turnstile.held(ENOUGH, 1);
    let mut client = door.connect();
    turnstile.knock(door, &mut client, &get());
    turnstile.ask(json!({"op": "close", "ledger": door.ledger}));
    assert!(client.is_ended());
    assert!(turnstile.error(order(&[door], 1, 1)).contains("no ledger"));
}

#[test]
fn clocks_that_have_gone_stand_still() {
    let turnstile = Turnstile::start();
    let (door, _) = turnstile.held(ENOUGH, 1);
    let mut child = std::process::Command::new("sleep").arg("60").spawn().unwrap();
    let gone = turnstile.open(&json!({}));
    turnstile.ask(json!({
        "op": "hold", "ledger": gone.ledger, "pid": child.id(), "requests": ENOUGH,
        "per_iteration": 1,
    }));
    child.kill().unwrap();
    child.wait().unwrap();
    let loops = vec![plain(door, ENOUGH)];
    let answer = turnstile.ask(order_with(&[gone, door], 1, 1, 100));
    assert_eq!((turns(&answer).len(), &answer["lost"]), (1, &json!([gone.ledger])));
    cut_short(turnstile, loops);
}
