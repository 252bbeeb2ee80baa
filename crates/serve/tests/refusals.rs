//! An upload that the origin refuses by its head, and does not read.

#![allow(missing_docs, clippy::unwrap_used)]

mod common;

use std::io::{ErrorKind, Write as _};
use std::time::{Duration, Instant};

use common::{Origin, head};

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
