//! Content that the origin refuses and does not read: by its head, or for want of memory.

#![allow(missing_docs, clippy::unwrap_used)]

mod common;

use std::io::{ErrorKind, Write as _};
use std::time::{Duration, Instant};

use common::{Origin, head};
use fetchoff_serve::{Limits, ListenerConfig, document};
use serde_json::json;

/// More than the buffers of both systems take.
const LENGTH: usize = 64 << 20;

#[test]
fn content_is_refused_by_its_head_and_not_read() {
    let origin = Origin::start();
    let mut client = origin.connect();
    client.send(head("PUT", "/refuse/1000", &[], LENGTH));
    let begun = Instant::now();
    let reply = client.reply();
    assert_eq!((reply.status, reply.field("connection")), (413, Some("close")));
    assert!(client.is_ended()); // the origin's side alone
    assert!(begun.elapsed() < Duration::from_secs(1));
    let error = client.stream.write_all(&vec![0; LENGTH]).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::BrokenPipe | ErrorKind::ConnectionReset), "{error}");
    assert!(begun.elapsed() >= Duration::from_secs(1));
    let counters = origin.counters_when(|counters| counters.open == 0);
    assert_eq!((counters.requests, counters.bad_requests, counters.body_bytes_in), (1, 0, 0));
}

#[test]
fn the_refusal_outlives_the_reset() {
    let origin = Origin::start();
    let mut client = origin.connect();
    client.send(head("POST", "/refuse/10", &[], LENGTH));
    assert!(client.stream.write_all(&vec![0; LENGTH]).is_err());
    assert_eq!(client.reply().status, 413); // what has arrived stays readable
}

#[test]
fn who_waits_for_100_gets_the_refusal_instead() {
    let origin = Origin::start();
    let mut client = origin.connect();
    client.send(head("PUT", "/refuse/0", &["Expect: 100-continue"], 3));
    assert_eq!(client.reply().status, 413);
    assert!(client.is_ended());
}

#[test]
fn who_does_not_wait_for_100_can_send_all_and_read_the_refusal() {
    let limits = Limits { linger: Duration::from_secs(20), ..Limits::default() };
    let origin = Origin::with(limits, ListenerConfig::PLAIN);
    let mut client = origin.connect();
    client.send(head("POST", "/nowhere", &["Expect: 100-continue"], LENGTH));
    client.send(vec![0; LENGTH]);
    assert_eq!(client.reply().status, 404);
    assert!(client.is_ended());
}

#[test]
fn content_takes_memory_until_it_has_been_parsed() {
    let limits = Limits { held_bytes: 500 << 10, ..Limits::default() };
    let origin = Origin::with(limits, ListenerConfig::PLAIN);
    let (large, small) = (document(400 << 10).unwrap(), document(200 << 10).unwrap());
    let is_json = "Content-Type: application/json";
    let worker = origin.keep_worker_busy();
    let mut first = origin.connect();
    first.send(head("POST", "/json", &[is_json], large.len()));
    first.send(&large);
    origin.counters_when(|counters| counters.body_bytes_in == large.len() as u64);
    let ask_again = || origin.connect().ask("POST", "/json", &[is_json], &small).status;
    assert_eq!(ask_again(), 503);
    drop(worker);
    assert_eq!(first.reply().status, 200);
    assert_eq!(ask_again(), 200);
}

/// A parser keeps what it has read until it finds a boundary, but not the content of a part.
#[test]
fn parts_without_a_boundary_take_memory_and_others_do_not() {
    let limits = Limits { held_bytes: 4 << 20, ..Limits::default() };
    let origin = Origin::with(limits, ListenerConfig::PLAIN);
    let is_multipart = "Content-Type: multipart/form-data; boundary=b";
    let field = "--b\r\nContent-Disposition: form-data; name=\"a\"\r\n";
    let content = "x".repeat(16 << 20);
    let endless_preamble = content.clone();
    let endless_head = format!("{field}X: {content}");
    for endless in [endless_preamble, endless_head] {
        let mut client = origin.connect();
        client.send(head("POST", "/multipart", &[is_multipart], endless.len()));
        let _ = client.stream.write_all(endless.as_bytes()); // it may be cut off
        assert_eq!(client.reply().status, 503);
    }
    let whole = format!("{field}\r\n{content}\r\n--b--\r\n");
    let reply = origin.connect().ask("POST", "/multipart", &[is_multipart], whole.as_bytes());
    assert_eq!((reply.status, &reply.json()["parts"][0]["bytes"]), (200, &json!(content.len())));
}
