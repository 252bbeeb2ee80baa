//! The ledger counts what really happened.

mod common;

use std::thread::sleep;
use std::time::Duration;

use common::{Origin, head, sha256};
use fetchoff_serve::{Limits, ListenerConfig};

const DIGEST: ListenerConfig = ListenerConfig { digest: true, ..ListenerConfig::PLAIN };

#[test]
fn requests_bytes_and_statuses() {
    let origin = Origin::start();
    let mut client = origin.connect();
    let one = head("GET", "/bytes/16", &[], 0);
    let mut sent = 0;
    for _ in 0..100 {
        client.send(&one);
        sent += one.len();
        assert_eq!(client.reply().content.len(), 16);
    }
    assert_eq!(client.ask("PUT", "/upload?digest=no", &[], &[0; 1000]).status, 200);
    sent += head("PUT", "/upload?digest=no", &[], 1000).len() + 1000;
    assert_eq!(client.ask("GET", "/nowhere", &[], b"").status, 404);
    sent += head("GET", "/nowhere", &[], 0).len();
    let counters = origin.counters();
    assert_eq!(counters.connections, 1);
    assert_eq!(counters.open, 1);
    assert_eq!(counters.requests, 102);
    assert_eq!(counters.bad_requests, 0);
    assert_eq!(
        counters.statuses.into_iter().collect::<Vec<_>>(),
        [("200".to_owned(), 101), ("404".to_owned(), 1)]
    );
    assert_eq!(counters.bytes_in, sent as u64);
    assert_eq!(counters.body_bytes_in, 1000);
    assert_eq!(counters.max_in_flight, 1);
    assert_eq!(counters.retransmits, 0);
}

#[test]
fn bytes_out_are_all_that_the_client_gets() {
    let origin = Origin::start();
    let mut client = origin.connect();
    client.send(head("GET", "/bytes/5000000?keep-alive=off", &[], 0));
    let received = client.rest().len();
    assert!(received > 5_000_000);
    assert_eq!(origin.counters().bytes_out, received as u64);
}

#[test]
fn one_write_is_one_segment_and_two_are_two() {
    for (two_writes, segments, together) in [(false, 12, 12), (true, 24, 0)] {
        let origin = Origin::start();
        let mut client = origin.connect();
        let request =
            head("POST", "/form", &["Content-Type: application/x-www-form-urlencoded"], 3);
        for _ in 0..12 {
            if two_writes {
                origin.has_read(&mut client, &request);
                client.send("a=1");
            } else {
                client.send(request.clone() + "a=1");
            }
            assert_eq!(client.reply().text(), "a=1");
        }
        let open = origin.counters();
        assert_eq!(open.segments_in, segments);
        assert_eq!(open.body_with_head, together);
        assert_eq!(open.head_to_body_us.iter().map(|(_, n)| n).sum::<u64>(), 12);
        drop(client);
        let closed = origin.counters_when(|counters| counters.open == 0);
        assert_eq!(closed.segments_in, segments);
    }
}

#[test]
fn a_gap_between_head_and_content_is_seen() {
    let origin = Origin::start();
    let mut client = origin.connect();
    origin.has_read(&mut client, &head("POST", "/", &[], 3));
    sleep(Duration::from_millis(40));
    client.send("a=1");
    assert_eq!(client.reply().text(), "HiPost");
    let histogram = origin.counters().head_to_body_us;
    let [(bound, 1)] = histogram[..] else { panic!("{histogram:?}") };
    assert!((65_536..=1 << 22).contains(&bound), "{bound}");
}

#[test]
fn content_beyond_one_read_counts_as_together_if_it_was_all_there() {
    let origin = Origin::start();
    let mut client = origin.connect();
    assert_eq!(client.ask("GET", "/", &[], b"").status, 200);
    origin.keep_busy(Duration::from_millis(100));
    assert_eq!(client.ask("PUT", "/upload", &[], &vec![7; 40_000]).status, 200);
    assert_eq!(origin.counters().body_with_head, 1);
}

#[test]
fn requests_without_content_leave_no_gap() {
    let origin = Origin::start();
    let mut client = origin.connect();
    client.ask("POST", "/", &[], b"");
    client.ask("GET", "/", &[], b"");
    let counters = origin.counters();
    assert_eq!(counters.head_to_body_us, []);
    assert_eq!(counters.body_with_head, 0);
}

#[test]
fn requests_in_absolute_form_are_those_to_a_proxy() {
    let origin = Origin::start();
    let mut client = origin.connect();
    client.ask("GET", "/", &[], b"");
    let target = format!("http://{}/bytes/16?x=1", origin.address);
    assert_eq!(client.ask("GET", &target, &[], b"").content.len(), 16);
    let counters = origin.counters();
    assert_eq!((counters.requests, counters.absolute_form), (2, 1));
}

#[test]
fn who_closed_first() {
    let origin = Origin::start();
    let mut client = origin.connect();
    client.ask("GET", "/", &[], b"");
    drop(client);
    let counters = origin.counters_when(|counters| counters.open == 0);
    assert_eq!((counters.closed_by_client, counters.closed_by_origin), (1, 0));

    let mut client = origin.connect();
    let reply = client.ask("GET", "/?keep-alive=off", &[], b"");
    assert_eq!(reply.field("connection"), Some("close"));
    assert!(client.is_ended());
    drop(client);
    let counters = origin.counters_when(|counters| counters.open == 0);
    assert_eq!((counters.closed_by_client, counters.closed_by_origin), (1, 1));

    let mut client = origin.connect();
    client.send(head("GET", "/delay/200", &[], 0));
    drop(client);
    let counters = origin.counters_when(|counters| counters.connections == 3 && counters.open == 0);
    assert_eq!((counters.closed_by_client, counters.closed_by_origin), (2, 1));
}

#[test]
fn a_listener_without_keep_alive_closes_after_each_answer() {
    let config = ListenerConfig { keep_alive: false, ..ListenerConfig::PLAIN };
    let origin = Origin::with(Limits::default(), config);
    for _ in 0..3 {
        let mut client = origin.connect();
        let reply = client.ask("GET", "/bytes/5", &[], b"");
        assert_eq!(reply.field("connection"), Some("close"));
        assert!(client.is_ended());
    }
    let counters = origin.counters_when(|counters| counters.open == 0);
    assert_eq!((counters.connections, counters.requests), (3, 3));
    assert_eq!(counters.closed_by_origin, 3);
}

#[test]
fn answers_in_flight_at_the_same_time() {
    let origin = Origin::start();
    let mut clients: Vec<_> = (0..5).map(|_| origin.connect()).collect();
    for client in &mut clients {
        client.send(head("GET", "/delay/500", &[], 0));
    }
    for client in &mut clients {
        assert_eq!(client.reply().text(), "Hi");
    }
    assert_eq!(clients[0].ask("GET", "/", &[], b"").status, 200);
    assert_eq!(origin.counters().max_in_flight, 5);
}

#[test]
fn uploads_are_kept_only_while_they_are_hashed() {
    let origin = Origin::start();
    let mut client = origin.connect();
    let text = "Content-Type: text/plain";
    client.ask("PUT", "/upload?digest=no", &[], b"before");
    assert_eq!(origin.counters().uploads, []);
    origin.set_digest(true);
    client.ask("PUT", "/upload?digest=no", &[text], b"one");
    client.ask("POST", "/nowhere?x", &[], b"two");
    client.ask("GET", "/", &[], b"");
    origin.set_digest(false);
    client.ask("PUT", "/upload", &[], b"after");
    let uploads = origin.counters().uploads;
    assert_eq!(uploads.len(), 2);
    assert_eq!(uploads[0].method, "PUT");
    assert_eq!(uploads[0].target, "/upload?digest=no");
    assert_eq!(uploads[0].content_type.as_deref(), Some("text/plain"));
    assert_eq!((uploads[0].bytes, &uploads[0].sha256), (3, &sha256(b"one")));
    assert_eq!(uploads[1].target, "/nowhere?x");
    assert_eq!(uploads[1].content_type, None);
    assert_eq!(uploads[1].sha256, sha256(b"two"));
}

#[test]
fn forms_and_documents_are_uploads_too() {
    let origin = Origin::with(Limits::default(), DIGEST);
    let mut client = origin.connect();
    let form = "Content-Type: application/x-www-form-urlencoded";
    client.ask("POST", "/form", &[form], b"a=%31");
    client.ask("POST", "/json", &["Content-Type: application/json"], b"{ }");
    client.ask("PUT", "/upload", &[], b"");
    client.ask("POST", "/", &[], b"");
    let sums: Vec<_> = origin.counters().uploads.into_iter().map(|u| u.sha256).collect();
    assert_eq!(sums, [sha256(b"a=%31"), sha256(b"{ }"), sha256(b""), sha256(b"")]);
}
