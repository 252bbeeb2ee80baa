//! TLS: handshakes are as configured, and counted; answers are the same as without TLS.

#![allow(clippy::unwrap_used)]

mod common;

use std::io::Write as _;
use std::net::TcpStream;
use std::time::Duration;

use common::peer::{connector, http1_get, secured, trusting, trusting_in, wait_for};
use common::{Origin, sha256};
use fetchoff_serve::{Handshakes, Limits, ListenerConfig, Protocol};
use tokio::io::AsyncReadExt as _;
use tokio_rustls::rustls::SupportedProtocolVersion;
use tokio_rustls::rustls::version::{TLS12, TLS13};

const TLS: ListenerConfig =
    ListenerConfig { tls: Some(Handshakes::Resumable), ..ListenerConfig::PLAIN };
const H2: ListenerConfig = ListenerConfig { protocol: Protocol::H2, ..TLS };

fn secure() -> Origin {
    Origin::with(Limits::default(), TLS)
}

#[test]
fn content_is_what_it_is_without_tls() {
    let origin = secure();
    let connector = trusting(&origin, &["http/1.1"]);
    let reply = wait_for(async {
        http1_get(secured(&origin, &connector, "127.0.0.1").await.unwrap(), "/bytes/3000000").await
    });
    let plain = Origin::start().get("/bytes/3000000");
    assert_eq!(sha256(&reply.content.unwrap()), sha256(&plain.content));
    let counters = origin.counters_when(|counters| counters.open == 0);
    assert_eq!((counters.connections, counters.requests, counters.bad_requests), (1, 1, 0));
    assert_eq!((counters.handshakes_full, counters.handshakes_resumed), (1, 0));
    assert_eq!(counters.alpn, [("http/1.1".to_owned(), 1)].into());
    assert_eq!((counters.closed_by_client, counters.closed_by_origin), (1, 0));
    assert!(counters.bytes_out > 3_000_000);
}

#[test]
fn the_certificate_is_good_for_every_name() {
    let origin = secure();
    let connector = trusting(&origin, &[]);
    for name in ["localhost", "127.0.0.1", "::1"] {
        assert!(wait_for(secured(&origin, &connector, name)).is_ok(), "{name}");
    }
    let error = wait_for(secured(&origin, &connector, "origin.example")).unwrap_err();
    assert!(error.to_string().contains("certificate"), "{error}");
}

#[test]
fn a_redirect_to_another_host_keeps_the_scheme() {
    let origin = Origin::with(Limits::default(), TLS);
    let connector = trusting(&origin, &["http/1.1"]);
    let reply = wait_for(async {
        let io = secured(&origin, &connector, "localhost").await.unwrap();
        http1_get(io, "/redirect/0?host=there").await
    });
    assert_eq!(reply.fields["location"], "https://there/");
}

/// The full and the resumed handshakes of three connections, one after the other.
fn handshakes_of_three(
    handshakes: Handshakes,
    version: &'static SupportedProtocolVersion,
) -> [u64; 2] {
    let config = ListenerConfig { tls: Some(handshakes), ..TLS };
    let origin = Origin::with(Limits::default(), config);
    let connector = trusting_in(version, &origin, &["http/1.1"]);
    for _ in 0..3 {
        let reply = wait_for(async {
            http1_get(secured(&origin, &connector, "localhost").await.unwrap(), "/").await
        });
        assert_eq!(reply.content.unwrap(), "Hi");
    }
    let counters = origin.counters();
    [counters.handshakes_full, counters.handshakes_resumed]
}

#[test]
fn who_comes_again_resumes_where_there_are_tickets() {
    for version in [&TLS13, &TLS12] {
        assert_eq!(handshakes_of_three(Handshakes::Resumable, version), [1, 2], "{version:?}");
        assert_eq!(handshakes_of_three(Handshakes::Full, version), [3, 0], "{version:?}");
    }
}

#[test]
fn one_protocol_is_offered_and_chosen() {
    for (config, name) in [(TLS, "http/1.1"), (H2, "h2")] {
        let origin = Origin::with(Limits::default(), config);
        let stream = wait_for(secured(&origin, &trusting(&origin, &["h2", "http/1.1"]), "::1"));
        assert_eq!(stream.unwrap().get_ref().1.alpn_protocol(), Some(name.as_bytes()));
        assert!(wait_for(secured(&origin, &trusting(&origin, &["h3"]), "::1")).is_err());
        let counters = origin.counters_when(|counters| counters.handshakes_failed == 1);
        assert_eq!(counters.alpn, [(name.to_owned(), 1)].into());
    }
}

#[test]
fn without_alpn_there_is_http_1_1_and_nothing_else() {
    let origin = secure();
    let connector = trusting(&origin, &[]);
    let reply = wait_for(async {
        http1_get(secured(&origin, &connector, "localhost").await.unwrap(), "/").await
    });
    assert_eq!(reply.content.unwrap(), "Hi");
    assert_eq!(origin.counters().alpn, [("none".to_owned(), 1)].into());

    let origin = Origin::with(Limits::default(), H2);
    let connector = trusting(&origin, &[]);
    let ended = wait_for(async {
        let mut stream = secured(&origin, &connector, "localhost").await.unwrap();
        stream.read(&mut [0; 64]).await
    });
    assert!(ended.is_err() || ended.unwrap() == 0);
    let counters = origin.counters_when(|counters| counters.open == 0);
    assert_eq!(counters.alpn, [("none".to_owned(), 1)].into());
    assert_eq!(counters.requests, 0);
}

#[test]
fn who_does_not_trust_it_sends_no_request() {
    let origin = secure();
    assert!(wait_for(secured(&origin, &connector(&[], &["http/1.1"]), "127.0.0.1")).is_err());
    let counters = origin.counters_when(|counters| counters.handshakes_failed == 1);
    assert_eq!((counters.handshakes_full, counters.requests), (0, 0));
    assert_eq!(counters.bad_requests, 0);
}

#[test]
fn what_is_not_tls_is_a_failed_handshake() {
    let origin = secure();
    TcpStream::connect(origin.address).unwrap().write_all(b"GET / HTTP/1.1\r\n\r\n").unwrap();
    let counters = origin.counters_when(|counters| counters.handshakes_failed == 1);
    assert_eq!(counters.requests, 0);
}

#[test]
fn a_request_may_come_long_after_the_handshake() {
    let limits = Limits { head_timeout: Duration::from_millis(100), ..Limits::default() };
    let origin = Origin::with(limits, TLS);
    let connector = trusting(&origin, &["http/1.1"]);
    let reply = wait_for(async {
        let stream = secured(&origin, &connector, "localhost").await.unwrap();
        tokio::time::sleep(Duration::from_millis(400)).await;
        http1_get(stream, "/").await
    });
    assert_eq!(reply.content.unwrap(), "Hi");
}

#[test]
fn each_origin_has_an_authority_of_its_own() {
    assert_ne!(secure().authority_pem, secure().authority_pem);
    assert_eq!(Origin::start().authority_pem, None);
}
