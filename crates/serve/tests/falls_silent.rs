//! Connections that fall silent after some requests: nothing more is heard of them, but they read
//! on.

#![allow(missing_docs, clippy::unwrap_used)]

mod common;

use std::io::{ErrorKind, Read as _};
use std::time::{Duration, Instant};

use common::controlled::{ControlledOrigin, Port};
use common::peer::{secured, trusting, wait_for};
use common::{Client, Origin, head};
use fetchoff_serve::{Behaviour, Handshakes, Limits, ListenerConfig, Protocol};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

/// The frames that a client of HTTP/2 begins with: the preface and empty SETTINGS.
const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0";
const PING: &[u8] = b"\0\0\x08\x06\0\0\0\0\0fetchoff";

/// Longer than anything takes on loopback.
const QUIET: Duration = Duration::from_millis(300);

/// HEADERS of a stream that end it: `GET /` of `http://origin` (RFC 7541, appendix A).
fn request(stream: u8) -> Vec<u8> {
    let fields = b"\x82\x84\x86\x41\x06origin";
    let frame = [0, 0, 11, 1, 5, 0, 0, 0, stream];
    [&frame[..], fields].concat()
}

fn reset(stream: u8) -> [u8; 13] {
    [0, 0, 4, 3, 0, 0, 0, 0, stream, 0, 0, 0, 8]
}

/// Whatever comes until nothing has come for a while.
fn heard(client: &mut Client) -> Vec<u8> {
    client.stream.set_read_timeout(Some(QUIET)).unwrap();
    let mut all = Vec::new();
    let mut some = [0; 4096];
    loop {
        match client.stream.read(&mut some) {
            Ok(bytes) => {
                assert_ne!(bytes, 0, "the origin has closed the connection");
                all.extend_from_slice(&some[..bytes]);
            }
            Err(error) => {
                assert!(matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut));
                return all;
            }
        }
    }
}

fn count(origin: &ControlledOrigin, port: Port, name: &str) -> u64 {
    origin.read(port)[name].as_u64().unwrap()
}

fn opened(origin: &ControlledOrigin, protocol: &str, requests: u32) -> Port {
    origin.open(&json!({"protocol": protocol, "behaviour": {"silent_after": requests}}))
}

fn is_settled(origin: &ControlledOrigin, port: Port, name: &str, wanted: u64) {
    let begun = Instant::now();
    while count(origin, port, name) != wanted {
        assert!(begun.elapsed() < 20 * QUIET, "{}", origin.read(port));
        std::thread::sleep(QUIET / 100);
    }
}

#[test]
fn over_http2_neither_requests_nor_pings_are_answered() {
    let origin = ControlledOrigin::start();
    let port = opened(&origin, "h2c", 2);
    origin.ask(json!({"op": "watch", "ledger": port.ledger, "pid": null, "most": 1000}));
    let mut client = port.connect();
    client.send(PREFACE);
    client.send(request(1));
    client.send(request(3));
    client.send(PING);
    let said = heard(&mut client);
    assert_eq!(said.windows(2).filter(|two| two == b"Hi").count(), 2);
    assert!(said.windows(8).any(|eight| eight == b"fetchoff"));
    client.send(request(5));
    client.send(PING);
    client.send(request(7));
    client.send(reset(5));
    assert_eq!(heard(&mut client), b"");
    let counters = origin.read(port);
    assert_eq!((&counters["requests"], &counters["streams"]), (&json!(2), &json!(4)));
    assert_eq!((&counters["resets_by_client"], &counters["open"]), (&json!(1), &json!(1)));
    let answer = origin.ask(json!({"op": "watched", "ledger": port.ledger}));
    let events = answer["events"].as_array().unwrap();
    let silent = events.iter().position(|event| event["kind"] == "head" && event["stream"] == 5);
    let after = &events[silent.unwrap()..];
    let streams: Vec<&Value> = after.iter().filter(|e| e["kind"] == "head").collect();
    assert_eq!((&streams[1]["stream"], streams.len()), (&json!(7), 2));
    assert!(after.iter().all(|event| event["kind"] != "written" && event["sender"] != "origin"));
}

#[test]
fn over_tls_it_says_no_farewell_either() {
    let behaviour = Behaviour { silent_after: Some(1), ..Behaviour::ORDINARY };
    let (protocol, tls) = (Protocol::H2, Some(Handshakes::Full));
    let config = ListenerConfig { protocol, tls, behaviour, ..ListenerConfig::PLAIN };
    let origin = Origin::with(Limits::default(), config);
    let connector = trusting(&origin, &["h2"]);
    wait_for(async {
        let mut client = secured(&origin, &connector, "localhost").await.unwrap();
        client.write_all(&[PREFACE, &request(1)].concat()).await.unwrap();
        let mut heard = Vec::new();
        while !heard.windows(2).any(|two| two == b"Hi") {
            assert_ne!(client.read_buf(&mut heard).await.unwrap(), 0);
        }
        client.write_all(&request(3)).await.unwrap();
        client.shutdown().await.unwrap();
        // After a `close_notify` this would be an end like any other.
        let ended = client.read_to_end(&mut heard).await;
        assert_eq!(ended.unwrap_err().kind(), ErrorKind::UnexpectedEof);
    });
    let counters = origin.counters_when(|counters| counters.open == 0);
    assert_eq!((counters.closed_by_client, counters.requests), (1, 1));
}

#[test]
fn an_answer_that_is_under_way_is_lost_too() {
    let origin = ControlledOrigin::start();
    let port = opened(&origin, "h2c", 1);
    let mut client = port.connect();
    client.send(PREFACE);
    heard(&mut client);
    let slow = b"\0\0\x15\x01\x05\0\0\0\x01\x82\x04\x0a/delay/100\x86\x41\x06origin";
    let mut slow = slow.to_vec();
    slow[2] = u8::try_from(slow.len() - 9).unwrap();
    client.send(&slow);
    client.send(request(3));
    let said = heard(&mut client);
    assert!(!said.windows(2).any(|two| two == b"Hi"), "{said:?}");
}

#[test]
fn over_http1_the_connection_stays_open_until_the_client_closes_it() {
    let origin = ControlledOrigin::start();
    let port = opened(&origin, "http/1.1", 1);
    let mut client = port.connect();
    assert_eq!(client.ask("GET", "/", &[], b"").text(), "Hi");
    client.send(head("POST", "/upload?digest=no", &[], 5));
    client.send(b"12345");
    assert_eq!(heard(&mut client), b"");
    assert_eq!((count(&origin, port, "open"), count(&origin, port, "body_bytes_in")), (1, 5));
    drop(client);
    is_settled(&origin, port, "open", 0);
    assert_eq!(
        (count(&origin, port, "closed_by_client"), count(&origin, port, "requests")),
        (1, 1)
    );
}

#[test]
fn it_hangs_up_instead_once_the_request_has_arrived_whole() {
    let origin = ControlledOrigin::start();
    let behaviour = json!({"silent_after": 1, "hangs_up": true});
    let port = origin.open(&json!({"behaviour": behaviour}));
    for _ in 0..2 {
        let mut client = port.connect();
        assert_eq!(client.ask("GET", "/", &[], b"").text(), "Hi");
        client.send(head("POST", "/upload?digest=no", &[], 5));
        client.send(b"123");
        assert_eq!(heard(&mut client), b"");
        client.send(b"45");
        let mut rest = Vec::new();
        assert_eq!(client.stream.read_to_end(&mut rest).unwrap(), 0);
    }
    is_settled(&origin, port, "closed_by_origin", 2);
    assert_eq!((count(&origin, port, "open"), count(&origin, port, "body_bytes_in")), (0, 10));
    let error = origin.error(json!({"op": "open", "behaviour": {"hangs_up": true}}));
    assert!(error.contains("needs silent_after"), "{error}");
}

#[test]
fn each_connection_has_its_own_count() {
    let origin = ControlledOrigin::start();
    let port = opened(&origin, "http/1.1", 2);
    for _ in 0..3 {
        let mut client = port.connect();
        for _ in 0..2 {
            assert_eq!(client.ask("GET", "/", &[], b"").text(), "Hi");
        }
    }
    let never = opened(&origin, "http/1.1", 0);
    let mut client = never.connect();
    client.send(head("GET", "/", &[], 0));
    assert_eq!(heard(&mut client), b"");
}

#[test]
fn it_is_not_changed_together_with_100() {
    let origin = ControlledOrigin::start();
    let behaviour = json!({"silent_after": 1, "continues": "never"});
    let error = origin.error(json!({"op": "open", "behaviour": behaviour}));
    assert_eq!(error, "silent_after and continues are changed one at a time");
}

#[test]
fn what_only_http1_has_is_refused_for_http2() {
    let origin = ControlledOrigin::start();
    for behaviour in [json!({"silent_after": 1, "hangs_up": true}), json!({"continues": "never"})] {
        for (protocol, tls) in [("h2", true), ("h2c", false)] {
            let open = json!({
                "op": "open", "protocol": protocol, "tls": tls, "behaviour": behaviour,
            });
            let error = origin.error(open);
            assert!(error.ends_with("is for HTTP/1.1 only"), "{error}");
        }
    }
}
