//! What the origin tells whoever watches a ledger, and what its toggles change.

#![allow(missing_docs, clippy::unwrap_used)]

mod common;

use std::io::Write as _;
use std::time::Duration;

use common::controlled::{ControlledOrigin, Port, get};
use common::{Client, head};
use serde_json::{Value, json};

/// The frames that a client of HTTP/2 begins with: the preface and empty SETTINGS.
const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0";

/// HEADERS of stream 1 that end it: `GET /` of `http://origin` (RFC 7541, appendix A).
const HEADERS: &[u8] = b"\0\0\x0b\x01\x05\0\0\0\x01\x82\x84\x86\x41\x06origin";

/// Enough time for what is written on loopback to arrive.
const SETTLED: Duration = Duration::from_millis(50);

fn watch(origin: &ControlledOrigin, port: Port, most: u64) {
    let pid = std::process::id();
    let line = json!({"op": "watch", "ledger": port.ledger, "pid": pid, "most": most});
    assert_eq!(origin.ask(line), json!({"ledger": port.ledger}));
}

fn watched(origin: &ControlledOrigin, port: Port) -> Vec<Value> {
    let answer = origin.ask(json!({"op": "watched", "ledger": port.ledger}));
    assert_eq!(answer["lost"], 0);
    answer["events"].as_array().unwrap().clone()
}

fn kinds(events: &[Value]) -> Vec<&str> {
    events.iter().map(|event| event["kind"].as_str().unwrap()).collect()
}

fn of<'a>(events: &'a [Value], kind: &str) -> Vec<&'a Value> {
    events.iter().filter(|event| event["kind"] == kind).collect()
}

#[test]
fn an_exchange_is_told_from_its_connection_to_its_close() {
    let origin = ControlledOrigin::start();
    let port = origin.open(&json!({}));
    watch(&origin, port, 100);
    let mut client = port.connect();
    let reply = client.ask("POST", "/upload?digest=no", &["X-Case: Kept"], b"12345");
    assert_eq!(reply.status, 200);
    let local = client.stream.local_addr().unwrap().port();
    drop(client);
    origin.opened(port, 0);
    let events = watched(&origin, port);
    assert_eq!(
        kinds(&events),
        ["accepted", "read", "head", "content", "answered", "written", "read", "closed", "tcp"]
    );
    assert_eq!(events[0]["port"], local);
    assert_eq!(events[2]["method"], "POST");
    assert_eq!(events[2]["target"], "/upload?digest=no");
    assert_eq!(events[2]["version"], "HTTP/1.1");
    let fields = events[2]["fields"].as_array().unwrap();
    assert!(fields.contains(&json!(["x-case", "Kept"])), "{fields:?}");
    assert_eq!(events[3]["size"], 5);
    assert_eq!(events[4]["status"], 200);
    assert_eq!((&events[6]["size"], &events[7]["by"]), (&json!(0), &json!("client")));
    assert!(events[8]["data_segments_in"].as_u64().unwrap() >= 1);
    for pair in events.windows(2) {
        assert!(pair[0]["at_ns"].as_u64() <= pair[1]["at_ns"].as_u64());
        assert!(pair[0]["cpu_ns"].as_u64() <= pair[1]["cpu_ns"].as_u64());
        assert_eq!(pair[0]["connection"], 1);
    }
}

#[test]
fn nobody_is_told_before_and_after() {
    let origin = ControlledOrigin::start();
    let port = origin.open(&json!({}));
    let mut client = port.connect();
    client.ask("GET", "/", &[], b"");
    watch(&origin, port, 3);
    client.ask("GET", "/", &[], b"");
    let answer = origin.ask(json!({"op": "watched", "ledger": port.ledger}));
    assert_eq!(kinds(answer["events"].as_array().unwrap()), ["tcp", "read", "head"]);
    assert_eq!(answer["lost"], 3); // answered, written, and the account at the end
    client.ask("GET", "/", &[], b"");
    let error = origin.error(json!({"op": "watched", "ledger": port.ledger}));
    assert_eq!(error, format!("nobody watches ledger {}", port.ledger));
    let error = origin.error(json!({"op": "watch", "ledger": port.ledger, "pid": 0, "most": 1}));
    assert!(error.starts_with("no CPU clock"), "{error}");
}

#[test]
fn frames_are_told_with_their_streams() {
    let origin = ControlledOrigin::start();
    let port = origin.open(&json!({"protocol": "h2c", "behaviour": {"streams": 7}}));
    watch(&origin, port, 100);
    let mut client = port.connect();
    client.send(PREFACE);
    client.send(b"\0\0\x04\x08\0\0\0\0\0\0\0\x10\0"); // WINDOW_UPDATE of 4096
    client.send(HEADERS);
    std::thread::sleep(SETTLED);
    let events = watched(&origin, port);
    let frames = of(&events, "frame");
    let sent_by = |side: &str| {
        let sent = frames.iter().filter(|frame| frame["sender"] == side);
        sent.map(|frame| frame["frame"].as_str().unwrap()).collect::<Vec<_>>()
    };
    assert_eq!(sent_by("client"), ["settings", "window-update", "headers"]);
    let answers = sent_by("origin");
    assert!(answers.contains(&"settings") && answers.contains(&"data"), "{answers:?}");
    let update = frames.iter().find(|frame| frame["frame"] == "window-update").unwrap();
    assert_eq!(update["value"], 4096);
    let settings = frames.iter().find(|f| f["sender"] == "origin" && f["size"] != 0).unwrap();
    assert!(settings["settings"].as_array().unwrap().contains(&json!([3, 7])), "{settings}");
    assert_eq!(of(&events, "head")[0]["stream"], 1);
    assert_eq!(of(&events, "answered")[0]["stream"], 1);
}

/// A literal field of HPACK that no table remembers: `host: other` (RFC 7541, section 6.2.2).
const HOST: &[u8] = b"\0\x04host\x05other";

#[test]
fn http2_tells_its_host_by_authority() {
    let origin = ControlledOrigin::start();
    let port = origin.open(&json!({"protocol": "h2c"}));
    watch(&origin, port, 100);
    let mut client = port.connect();
    client.send(PREFACE);
    client.send(HEADERS);
    let mut second = [HEADERS, HOST].concat();
    second[2] += u8::try_from(HOST.len()).unwrap();
    second[8] = 3; // the stream
    client.send(&second);
    std::thread::sleep(SETTLED);
    let events = watched(&origin, port);
    let fields: Vec<&Value> = of(&events, "head").iter().map(|head| &head["fields"]).collect();
    assert_eq!(fields, [&json!([["host", "origin"]]), &json!([["host", "other"]])]);
}

#[test]
fn a_cut_answer_is_told_with_what_was_announced() {
    let origin = ControlledOrigin::start();
    let port = origin.open(&json!({}));
    watch(&origin, port, 100);
    for target in ["/truncate/9", "/truncate/9?chunk=4", "/bytes/9?keep-alive=off"] {
        let mut client = port.connect();
        client.send(head("GET", target, &[], 0));
        client.rest();
    }
    let events = watched(&origin, port);
    let cuts = of(&events, "cut");
    let told = |cut: &Value| (cut["size"].clone(), cut["announced"].clone());
    assert_eq!(cuts.len(), 2);
    assert_eq!(told(cuts[0]), (json!(4), json!(9)));
    assert_eq!(told(cuts[1]), (json!(9), Value::Null));
}

#[test]
fn a_full_socket_is_told_once_until_it_takes_more() {
    let origin = ControlledOrigin::start();
    let port = origin.open(&json!({"send_buffer": 16384}));
    watch(&origin, port, 100_000);
    let mut client = port.connect();
    client.send(head("GET", "/bytes/30000000", &[], 0));
    std::thread::sleep(4 * SETTLED);
    let events = watched(&origin, port);
    let kinds = kinds(&events);
    assert!(kinds.windows(2).all(|pair| pair != ["blocked", "blocked"]), "{kinds:?}");
    assert_eq!(kinds[kinds.len() - 2..], ["blocked", "tcp"]);
}

/// Sends a head, and after a while its content. Returns how long the origin took to acknowledge the
/// head, as far as Nagle's algorithm can tell.
fn second_write_arrives_after(origin: &ControlledOrigin, behaviour: &Value) -> Duration {
    let port = origin.open(&json!({"behaviour": behaviour}));
    let mut client = port.connect();
    for _ in 0..20 {
        client.ask("POST", "/upload?digest=no", &[], b"1"); // ends quick acknowledgements (tcp(7))
    }
    client.stream.set_nodelay(false).unwrap();
    watch(origin, port, 1000);
    for piece in [head("POST", "/upload?digest=no", &[], 1).as_bytes(), b"1"] {
        client.stream.write_all(piece).unwrap();
    }
    assert_eq!(client.reply().status, 200);
    let events = watched(origin, port);
    let reads = of(&events, "read");
    let at = |index: usize| reads[index]["at_ns"].as_u64().unwrap();
    assert_eq!(reads.len(), 2);
    Duration::from_nanos(at(1) - at(0))
}

#[test]
fn quick_acknowledgements_end_the_wait_of_nagles_algorithm() {
    let origin = ControlledOrigin::start();
    let ordinary = second_write_arrives_after(&origin, &json!({}));
    let quick = second_write_arrives_after(&origin, &json!({"quick_ack": true}));
    assert!(ordinary > Duration::from_millis(20), "{ordinary:?}");
    assert!(quick < ordinary / 2, "{quick:?}");
}

#[test]
fn a_client_can_wait_for_100_in_vain() {
    let origin = ControlledOrigin::start();
    let ask = |behaviour: Value| {
        let port = origin.open(&json!({"behaviour": behaviour}));
        let mut client = port.connect();
        client.send(head("POST", "/upload?digest=no", &["Expect: 100-continue"], 1));
        std::thread::sleep(SETTLED);
        client.send(b"1");
        client.reply().status
    };
    assert_eq!(ask(json!({})), 100);
    assert_eq!(ask(json!({"continues": "never"})), 200);
}

#[test]
fn content_types_codings_and_pieces() {
    let origin = ControlledOrigin::start();
    let ask = |behaviour: Value, target: &str| {
        let port = origin.open(&json!({"behaviour": behaviour}));
        watch(&origin, port, 100);
        let reply = port.connect().ask("GET", target, &["Accept-Encoding: gzip"], b"");
        let writes = of(&watched(&origin, port), "written").len();
        (reply, writes)
    };
    let (plain, _) = ask(json!({}), "/");
    assert_eq!(plain.field("content-type"), Some("text/html"));
    let (named, _) = ask(json!({"charset": true}), "/");
    assert_eq!(named.field("content-type"), Some("text/html; charset=utf-8"));
    let (coded, _) = ask(json!({}), "/gzip/1000");
    assert_eq!(coded.field("content-encoding"), Some("gzip"));
    let (identity, _) = ask(json!({"coding": false}), "/gzip/1000");
    assert_eq!((identity.field("content-encoding"), identity.content.len()), (None, 1000));
    let (whole, writes) = ask(json!({}), "/bytes/1000");
    assert_eq!(writes, 1);
    let (pieces, writes) = ask(json!({"answer_pieces": 4}), "/bytes/1000");
    assert_eq!((pieces.content, writes), (whole.content, 4));
}

#[test]
fn a_toggle_that_cannot_be_is_refused() {
    let origin = ControlledOrigin::start();
    for (behaviour, why) in [
        (json!({"answer_pieces": 0}), "answer_pieces begins at 1"),
        (json!({"frame_bytes": 100}), "frame_bytes is between 16384 and 16777215"),
        (json!({"stream_window": 3_000_000_000_u32}), "a window has at most 2147483647 bytes"),
        (json!({"slow": true}), "unknown field `slow`"),
    ] {
        let error = origin.error(json!({"op": "open", "protocol": "h2c", "behaviour": behaviour}));
        assert!(error.contains(why), "{error}");
    }
}

#[test]
fn no_more_are_kept_than_were_asked_for() {
    let origin = ControlledOrigin::start();
    let port = origin.open(&json!({}));
    watch(&origin, port, 10);
    let mut client: Client = port.connect();
    for _ in 0..100 {
        client.send(get());
        assert_eq!(client.reply().text(), "Hi");
    }
    let answer = origin.ask(json!({"op": "watched", "ledger": port.ledger}));
    assert_eq!(answer["events"].as_array().unwrap().len(), 10);
    assert_eq!(answer["lost"].as_u64().unwrap(), 1 + 4 * 100 + 1 - 10);
}
