//! Whatever a client sends, the origin keeps serving.

mod common;

use std::thread::sleep;
use std::time::{Duration, Instant};

use common::{Client, Origin, head};
use fetchoff_serve::{Limits, ListenerConfig};
use proptest::prelude::*;

const PLAIN: ListenerConfig = ListenerConfig::PLAIN;

fn quick() -> Limits {
    Limits {
        head_timeout: Duration::from_millis(200),
        idle_timeout: Duration::from_millis(1200),
        linger: Duration::from_millis(200),
        ..Limits::default()
    }
}

fn still_answers(origin: &Origin) {
    assert_eq!(origin.get("/").text(), "Hi");
}

#[test]
fn what_is_not_a_request_is_refused() {
    let origin = Origin::start();
    let cases: [&[u8]; 9] = [
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
        b"hello\r\n\r\n",
        b"GET / HTTP/3.7\r\nHost: o\r\n\r\n",
        b"GET /\x00 HTTP/1.1\r\nHost: o\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: o\r\nno colon\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: o\r\nSpace : x\r\n\r\n",
        b"POST / HTTP/1.1\r\nHost: o\r\nContent-Length: -1\r\n\r\n",
        b"POST / HTTP/1.1\r\nHost: o\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab",
        b"POST / HTTP/1.1\r\nHost: o\r\nTransfer-Encoding: gzip\r\n\r\n",
    ];
    for case in cases {
        let mut client = origin.connect();
        client.send(case);
        client.end_of_sending();
        let answer = client.rest();
        assert!(answer.is_empty() || answer.starts_with(b"HTTP/1.1 400"), "{case:?}");
    }
    let counters = origin.counters_when(|counters| counters.open == 0);
    assert_eq!(counters.bad_requests, cases.len() as u64);
    assert_eq!(counters.requests, 0);
    still_answers(&origin);
}

#[test]
fn exactly_one_host() {
    let origin = Origin::start();
    for (fields, status) in [("", 400), ("Host: a\r\n", 200), ("Host: a\r\nHost: a\r\n", 400)] {
        let mut client = origin.connect();
        client.send(format!("GET / HTTP/1.1\r\n{fields}\r\n"));
        assert_eq!(client.reply().status, status, "{fields}");
    }
    let mut client = origin.connect();
    client.send("GET / HTTP/1.0\r\n\r\n");
    assert_eq!(client.reply().status, 200);
    assert!(client.is_ended());
}

#[test]
fn a_head_may_have_64_kib_and_not_more() {
    let origin = Origin::start();
    let with = |pad: usize| head("GET", "/", &[&format!("X: {}", "x".repeat(pad))], 0);
    let rest = with(0).len();
    let reply = {
        let mut client = origin.connect();
        client.send(with((64 << 10) - rest));
        client.reply()
    };
    assert_eq!(reply.status, 200);
    let mut client = origin.connect();
    client.send(with((64 << 10) - rest + 1));
    assert_eq!(client.reply().status, 431);
    assert!(client.is_ended());
    let mut client = origin.connect();
    client.send(with(1 << 20));
    assert_eq!(client.reply().status, 431);
    still_answers(&origin);
}

#[test]
fn ten_thousand_fields_are_too_many() {
    let origin = Origin::start();
    let mut client = origin.connect();
    let fields = "a: b\r\n".repeat(10_000);
    client.send(format!("GET / HTTP/1.1\r\nHost: o\r\n{fields}\r\n"));
    assert_eq!(client.reply().status, 431);
    assert!(client.is_ended());
    let mut client = origin.connect();
    let fields = "a: b\r\n".repeat(99);
    client.send(format!("GET / HTTP/1.1\r\nHost: o\r\n{fields}\r\n"));
    assert_eq!(client.reply().status, 200);
}

#[test]
fn a_slow_head_is_not_waited_for() {
    let origin = Origin::with(quick(), PLAIN);
    let mut client = origin.connect();
    let begun = Instant::now();
    client.send("GET / HTTP/1.1\r\n");
    // Further bytes do not extend the time limit.
    sleep(Duration::from_millis(100));
    client.send("Host: o\r\n");
    assert!(client.is_ended());
    let waited = begun.elapsed();
    assert!((200..1200).contains(&waited.as_millis()), "{waited:?}");
    let counters = origin.counters_when(|counters| counters.open == 0);
    assert_eq!((counters.bad_requests, counters.requests), (1, 0));
}

#[test]
fn an_idle_connection_outlives_the_head_timeout_but_does_not_leak() {
    let origin = Origin::with(quick(), PLAIN);
    let mut client = origin.connect();
    assert_eq!(client.ask("GET", "/", &[], b"").status, 200);
    sleep(Duration::from_millis(400));
    assert_eq!(client.ask("GET", "/", &[], b"").status, 200);
    assert!(client.is_ended());
    let counters = origin.counters_when(|counters| counters.open == 0);
    assert_eq!((counters.closed_by_origin, counters.bad_requests), (1, 0));
    let mut silent = origin.connect();
    assert!(silent.is_ended());
}

#[test]
fn a_client_that_does_not_read_is_cut_off() {
    let origin = Origin::with(quick(), PLAIN);
    let mut client = origin.connect();
    client.send(head("GET", "/bytes/17179869184", &[], 0));
    let counters = origin.counters_when(|counters| counters.connections == 1 && counters.open == 0);
    assert!(counters.bytes_out < 100 << 20);
}

#[test]
fn a_client_that_leaves_in_the_middle_of_a_large_answer() {
    let origin = Origin::start();
    for target in ["/bytes/100000000", "/json/10000000", "/chunked/100000000"] {
        let mut client = origin.connect();
        client.send(head("GET", target, &[], 0));
        client.take(1 << 20);
    }
    let counters = origin.counters_when(|counters| counters.connections == 3 && counters.open == 0);
    assert_eq!(counters.closed_by_client, 3);
    still_answers(&origin);
}

#[test]
fn a_delay_is_not_idleness_within_the_limit() {
    let origin = Origin::with(quick(), PLAIN);
    assert_eq!(origin.get("/delay/400").text(), "Hi");
}

#[test]
fn truncated_uploads() {
    let origin = Origin::start();
    for target in ["/upload", "/form", "/json", "/multipart", "/", "/nowhere"] {
        let kind = match target {
            "/form" => "Content-Type: application/x-www-form-urlencoded",
            "/json" => "Content-Type: application/json",
            _ => "Content-Type: multipart/form-data; boundary=x",
        };
        let mut client = origin.connect();
        client.send(head("POST", target, &[kind], 1000));
        client.send("a=1");
        client.end_of_sending();
        let answer = client.rest();
        assert!(answer.is_empty() || answer.starts_with(b"HTTP/1.1 400"), "{target}");
    }
    let mut client = origin.connect();
    client.send(head("PUT", "/upload", &[], 1000));
    drop(client);
    let counters = origin.counters_when(|counters| counters.connections == 7 && counters.open == 0);
    assert_eq!((counters.requests, counters.bad_requests), (0, 7));
    still_answers(&origin);
}

#[test]
fn broken_chunks() {
    let origin = Origin::start();
    for chunk in ["zz\r\n", "3\r\nabcd\r\n", "fffffffffffffffffff\r\n", "-1\r\n"] {
        let mut client = origin.connect();
        client.send("PUT /upload HTTP/1.1\r\nHost: o\r\nTransfer-Encoding: chunked\r\n\r\n");
        client.send(chunk);
        client.end_of_sending();
        let answer = client.rest();
        assert!(answer.is_empty() || answer.starts_with(b"HTTP/1.1 400"), "{chunk}");
    }
    still_answers(&origin);
}

#[test]
fn too_much_content_is_refused_before_it_is_sent() {
    let origin = Origin::start();
    let form = "Content-Type: application/x-www-form-urlencoded";
    for (target, length) in [
        ("/form", (64 << 20) + 1),
        ("/json", (64 << 20) + 1),
        ("/multipart", (64 << 20) + 1),
        ("/upload", (16 << 30) + 1),
        ("/documents/_doc/1", (16 << 20) + 1),
    ] {
        let mut client = origin.connect();
        let method = if target.starts_with("/documents") { "PUT" } else { "POST" };
        client.send(head(method, target, &[form, "Expect: 100-continue"], length));
        let reply = client.reply();
        assert_eq!((reply.status, reply.field("connection")), (413, Some("close")), "{target}");
        assert!(client.is_ended());
    }
    assert_eq!(origin.counters().body_bytes_in, 0);
}

#[test]
fn too_much_content_of_unknown_length_is_refused_on_the_way() {
    let origin = Origin::start();
    let mut client = origin.connect();
    client.send(
        "POST /form HTTP/1.1\r\nHost: o\r\nTransfer-Encoding: chunked\r\n\
         Content-Type: application/x-www-form-urlencoded\r\n\r\n",
    );
    let mut chunk = b"100000\r\n".to_vec();
    chunk.resize(chunk.len() + (1 << 20), b'x');
    chunk.extend_from_slice(b"\r\n");
    for _ in 0..65 {
        client.send(&chunk);
    }
    assert_eq!(client.reply().status, 413);
    still_answers(&origin);
}

#[test]
fn memory_for_content_is_bounded_over_all_connections() {
    let limits = Limits { held_bytes: 1 << 20, ..Limits::default() };
    let origin = Origin::with(limits, PLAIN);
    let form = "Content-Type: application/x-www-form-urlencoded";
    let mut holding = origin.connect();
    holding.send(head("POST", "/form", &[form], 1 << 20));
    holding.send(vec![b'x'; 600 << 10]);
    origin.counters_when(|counters| counters.body_bytes_in == 600 << 10);
    let mut other = origin.connect();
    let reply = other.ask("POST", "/form", &[form], &vec![b'x'; 600 << 10]);
    assert_eq!((reply.status, reply.field("retry-after")), (503, Some("1")));
    holding.send(vec![b'x'; 424 << 10]);
    assert_eq!(holding.reply().status, 200);
    let reply = origin.connect().ask("POST", "/form", &[form], &vec![b'x'; 600 << 10]);
    assert_eq!(reply.status, 200);
}

#[test]
fn the_store_is_bounded() {
    let origin = Origin::start();
    let mut client = origin.connect();
    let mut put = |id: &str, content: &[u8]| {
        let target = format!("/documents/_doc/{id}");
        client.ask("PUT", &target, &["Content-Type: application/json"], content).status
    };
    let large = fetchoff_serve::document(16 << 20).unwrap();
    for id in ["1", "2", "3", "4"] {
        assert_eq!(put(id, &large), 201);
    }
    assert_eq!(put("5", b"{}"), 507);
    for id in ["1", "2", "3", "4"] {
        assert_eq!(put(id, b"{}"), 200);
    }
    for n in 5..=1024 {
        assert_eq!(put(&n.to_string(), b"{}"), 201);
    }
    assert_eq!(put("1025", b"{}"), 507);
    assert_eq!(put("1024", b"{ }"), 200);
}

#[test]
fn a_refusal_is_readable_while_the_client_still_sends() {
    let origin = Origin::start();
    let limits = (64 << 20) + 1;
    let mut client = origin.connect();
    client.send(head("POST", "/form", &[], limits));
    client.send(vec![0; 4 << 20]);
    assert_eq!(client.reply().status, 413);
}

#[test]
fn a_continue_is_sent_only_for_content_that_is_wanted() {
    let origin = Origin::start();
    let mut client = origin.connect();
    client.send(head("PUT", "/upload", &["Expect: 100-continue"], 3));
    assert_eq!(client.reply().status, 100);
    client.send("abc");
    assert_eq!(client.reply().json()["bytes"], 3);
    client.send(head("PUT", "/nowhere", &["Expect: 100-continue"], 3));
    let reply = client.reply();
    assert_eq!((reply.status, reply.field("connection")), (404, Some("close")));
    assert!(client.is_ended());
    for target in ["/form", "/json", "/multipart", "/login"] {
        let mut client = origin.connect();
        client.send(head("POST", target, &["Content-Type: a/b", "Expect: 100-continue"], 3));
        let reply = client.reply();
        assert_eq!((reply.status, reply.field("connection")), (415, Some("close")), "{target}");
    }
}

#[test]
fn who_gives_up_a_complete_request_has_sent_no_bad_one() {
    let origin = Origin::start();
    let targets = ["/delay/60000", "/bytes/1000000000", "/chunked/1000000000"];
    for (given_up, target) in (1..).zip(targets) {
        let mut client = origin.connect();
        origin.has_read(&mut client, &head("GET", target, &[], 0));
        client.end_of_sending();
        client.rest();
        drop(client);
        let counters = origin.counters_when(|counters| counters.open == 0);
        assert_eq!((counters.closed_by_client, counters.bad_requests), (given_up, 0), "{target}");
    }
    let mut client = origin.connect();
    origin.has_read(&mut client, &(head("GET", "/delay/60000", &[], 3) + "abc"));
    drop(client);
    let counters = origin.counters_when(|counters| counters.open == 0);
    assert_eq!((counters.requests, counters.bad_requests), (2, 0));
}

#[test]
fn who_gives_up_in_a_head_has_sent_a_bad_request() {
    let origin = Origin::start();
    for start in ["G", "GET / HTTP/1.1\r\nHost: o\r\n"] {
        let mut client = origin.connect();
        assert_eq!(client.ask("GET", "/", &[], b"").text(), "Hi");
        origin.has_read(&mut client, start);
    }
    let counters = origin.counters_when(|counters| counters.open == 0);
    assert_eq!((counters.requests, counters.bad_requests), (2, 2));
}

#[test]
fn an_upgrade_that_is_not_taken_costs_nothing() {
    let origin = Origin::start();
    let mut client = origin.connect();
    for _ in 0..3 {
        let fields =
            ["Connection: Upgrade, HTTP2-Settings", "Upgrade: h2c", "HTTP2-Settings: AAMAAABk"];
        assert_eq!(client.ask("GET", "/bytes/5", &fields, b"").content.len(), 5);
        assert_eq!(client.ask("POST", "/", &fields, b"abc").text(), "HiPost");
    }
    assert_eq!(origin.counters().connections, 1);
}

#[test]
fn http_1_0_is_kept_alive_only_if_asked() {
    let origin = Origin::start();
    let mut client = origin.connect();
    for _ in 0..2 {
        client.send("GET /bytes/5 HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
        let reply = client.reply();
        assert_eq!((reply.content.len(), reply.field("connection")), (5, Some("keep-alive")));
    }
    client.send("GET /chunked/9 HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
    let reply = client.reply();
    assert_eq!((reply.content.len(), reply.field("transfer-encoding")), (9, None));
    assert_eq!(reply.field("connection"), Some("close"));
    let mut client = origin.connect();
    client.send("GET /?keep-alive=off HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
    assert_eq!(client.reply().field("connection"), Some("close"));
    assert!(client.is_ended());
    let mut client = origin.connect();
    client.send("GET /chunked/9 HTTP/1.0\r\n\r\n");
    assert_eq!(client.reply().content.len(), 9);
}

#[test]
fn other_protocols_are_refused() {
    let origin = Origin::start();
    for preface in [
        &b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"[..],
        b"SSH-2.0-x\r\n",
        b"CONNECT a:1 HTTP/1.1\r\nHost: a:1\r\n\r\n",
    ] {
        let mut client = origin.connect();
        client.send(preface);
        client.end_of_sending();
        let answer = client.rest();
        assert!(answer.is_empty() || answer.starts_with(b"HTTP/1.1 40"), "{answer:?}");
    }
    still_answers(&origin);
}

#[test]
fn pipelined_requests_are_answered_in_order() {
    let origin = Origin::start();
    let mut client = origin.connect();
    let mut requests = String::new();
    for n in 0..50 {
        requests += &head("GET", &format!("/bytes/{n}"), &[], 0);
        requests += &(head("POST", "/", &[], 3) + "abc");
    }
    client.send(requests);
    for n in 0..50 {
        assert_eq!(client.reply().content.len(), n);
        assert_eq!(client.reply().text(), "HiPost");
    }
    let counters = origin.counters();
    assert_eq!((counters.requests, counters.body_bytes_in), (100, 150));
    assert_eq!(counters.max_in_flight, 1);
}

#[test]
fn a_head_in_single_bytes() {
    let origin = Origin::start();
    let mut client = origin.connect();
    for byte in head("GET", "/bytes/3", &[], 0).bytes() {
        client.send([byte]);
    }
    assert_eq!(client.reply().content.len(), 3);
}

#[test]
fn many_connections_come_and_go() {
    let origin = Origin::start();
    for _ in 0..20 {
        let mut clients: Vec<Client> = (0..50).map(|_| origin.connect()).collect();
        for client in clients.iter_mut().step_by(2) {
            assert_eq!(client.ask("GET", "/", &[], b"").status, 200);
        }
    }
    let counters = origin.counters_when(|counters| counters.open == 0);
    assert_eq!((counters.connections, counters.requests), (1000, 500));
    assert_eq!(counters.closed_by_client, 1000);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]
    #[test]
    fn garbage_never_ends_the_origin(
        before in "(GET|POST|PUT|) ?(/[a-z]{0,9}/?[0-9]{0,3})? ?(HTTP/1.[01])?(\r\n)?",
        garbage in proptest::collection::vec(any::<u8>(), 0..300),
    ) {
        thread_local!(static ORIGIN: Origin = Origin::with(quick(), PLAIN));
        ORIGIN.with(|origin| {
            let mut client = origin.connect();
            client.send(before.as_bytes());
            client.send(&garbage);
            client.end_of_sending();
            client.rest();
            still_answers(origin);
        });
    }
}
