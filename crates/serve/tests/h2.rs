//! HTTP/2, in the clear and over TLS: the same answers, on streams that are counted.

#![allow(clippy::unwrap_used)]

mod common;

use std::io::Read as _;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use common::peer::{Http2, secured, trusting, wait_for};
use common::{Origin, sha256};
use fetchoff_serve::{Handshakes, Limits, ListenerConfig, Protocol};
use hyper::Method;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::rustls::pki_types::ServerName;

const H2C: ListenerConfig = ListenerConfig { protocol: Protocol::H2c, ..ListenerConfig::PLAIN };
const H2: ListenerConfig = ListenerConfig {
    protocol: Protocol::H2,
    tls: Some(Handshakes::Resumable),
    ..ListenerConfig::PLAIN
};

/// Types of frames (RFC 9113, section 6).
const DATA: u8 = 0;
const HEADERS: u8 = 1;
const SETTINGS: u8 = 4;
const WINDOW_UPDATE: u8 = 8;

fn in_the_clear() -> Origin {
    Origin::with(Limits::default(), H2C)
}

#[test]
fn answers_in_flight_share_a_connection() {
    let origin = in_the_clear();
    wait_for(async {
        let client = Http2::in_the_clear(&origin).await;
        let get = || client.get("/delay/300");
        let replies = tokio::join!(get(), get(), get(), get(), get());
        assert_eq!(replies.0.content.unwrap(), "Hi");
        assert_eq!(replies.4.content.unwrap(), "Hi");
    });
    let counters = origin.counters_when(|counters| counters.open == 0);
    assert_eq!((counters.connections, counters.requests, counters.streams), (1, 5, 5));
    assert_eq!((counters.max_in_flight, counters.bad_requests), (5, 0));
    assert_eq!((counters.resets_by_client, counters.resets_by_origin), (0, 0));
    assert_eq!((counters.closed_by_client, counters.closed_by_origin), (1, 0));
}

#[test]
fn over_tls_it_is_chosen() {
    let origin = Origin::with(Limits::default(), H2);
    let connector = trusting(&origin, &["h2", "http/1.1"]);
    let content = wait_for(async {
        let client = Http2::on(secured(&origin, &connector, "localhost").await.unwrap()).await;
        client.get("/bytes/3000000").await.content.unwrap()
    });
    let plain = Origin::start().get("/bytes/3000000");
    assert_eq!(sha256(&content), sha256(&plain.content));
    let counters = origin.counters();
    assert_eq!(counters.alpn, [("h2".to_owned(), 1)].into());
    assert_eq!((counters.requests, counters.streams), (1, 1));
}

#[test]
fn large_content_in_both_directions() {
    let origin = Origin::with(Limits::default(), ListenerConfig { digest: true, ..H2C });
    let content = vec![7; 20_000_000];
    wait_for(async {
        let client = Http2::in_the_clear(&origin).await;
        let upload = client.ask(Method::PUT, "/upload?x=1", content.clone());
        let (upload, download) = tokio::join!(upload, client.get("/bytes/20000000"));
        assert_eq!(upload.json()["sha256"], sha256(&content));
        assert_eq!(download.content.unwrap().len(), 20_000_000);
    });
    let counters = origin.counters();
    assert_eq!(counters.body_bytes_in, 20_000_000);
    assert!(counters.bytes_in > 20_000_000 && counters.bytes_out > 20_000_000);
    let [upload] = &counters.uploads[..] else { panic!("{counters:?}") };
    assert_eq!((upload.target.as_str(), upload.bytes), ("/upload?x=1", 20_000_000));
    assert_eq!(upload.sha256, sha256(&content));
    assert_eq!(counters.head_to_body_us.iter().map(|(_, n)| n).sum::<u64>(), 1);
    assert_eq!(counters.body_with_head, 0);
}

#[test]
fn the_answer_to_head_is_a_head() {
    let origin = in_the_clear();
    wait_for(async {
        let client = Http2::in_the_clear(&origin).await;
        for (target, length) in [("/bytes/16", "16"), ("/bytes/0", "0"), ("/json/17", "17")] {
            let reply = client.ask(Method::HEAD, target, "").await;
            assert_eq!(reply.fields["content-length"], length, "{target}");
            assert_eq!(reply.content.unwrap(), "");
        }
        let reply = client.ask(Method::HEAD, "/chunked/16", "").await;
        assert_eq!(reply.fields.get("content-length"), None);
        assert_eq!(client.get("/status/204").await.fields.get("content-length"), None);
        assert_eq!(client.get("/status/205").await.content.unwrap(), "");
    });
}

#[test]
fn targets_are_told_as_they_were_sent() {
    let origin = in_the_clear();
    let told = wait_for(async { Http2::in_the_clear(&origin).await.get("/echo?a=1").await.json() });
    assert_eq!(told["target"], "/echo?a=1");
    assert_eq!(origin.counters().absolute_form, 0);
}

#[test]
fn keep_alive_off_is_a_farewell() {
    let origin = in_the_clear();
    wait_for(async {
        let client = Http2::in_the_clear(&origin).await;
        let (slow, last) = tokio::join!(client.get("/delay/200"), client.get("/?keep-alive=off"));
        assert_eq!(last.fields.get("connection"), None);
        assert_eq!(last.content.unwrap(), "Hi");
        assert_eq!(slow.content.unwrap(), "Hi");
        while !client.is_closed() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    });
    let counters = origin.counters_when(|counters| counters.open == 0);
    assert!(counters.goaways_by_origin > 0);
    assert_eq!(counters.bad_requests, 0);
}

/// A request for `/bytes/60000`, which fits into the window that a client begins with, in HPACK
/// (RFC 7541): GET, http, path and authority.
const ASKING: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\
    \x00\x00\x00\x04\x00\x00\x00\x00\x00\
    \x00\x00\x18\x01\x05\x00\x00\x00\x01\x82\x86\x04\x0c/bytes/60000\x01\x06origin";

#[test]
fn a_frame_of_content_fills_a_record_of_tls() {
    let origin = in_the_clear();
    let mut client = origin.connect();
    client.send(ASKING);
    let (mut content, mut head_of_answer, mut frames) = (0, 0, Vec::new());
    while content < 60_000 {
        let head = client.take(9);
        let length = usize::from(head[1]) << 8 | usize::from(head[2]);
        client.take(length);
        match head[3] {
            DATA => {
                content += length;
                frames.push(9 + length);
            }
            HEADERS => head_of_answer = 9 + length,
            _ => {}
        }
    }
    let first = 16_384 - 128;
    assert_eq!(frames, [first, 16_384, 16_384, 60_000 + 4 * 9 - first - 2 * 16_384]);
    // It is written together with the first frame of content.
    assert!(head_of_answer > 0 && head_of_answer + first <= 16_384, "{head_of_answer}");
}

/// Passes on one connection to the origin, and keeps what the origin sends.
async fn overheard(origin: &Origin) -> (TcpStream, Arc<Mutex<Vec<u8>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let client = TcpStream::connect(listener.local_addr().unwrap()).await.unwrap();
    let (mut from_client, mut to_client) = listener.accept().await.unwrap().0.into_split();
    let (mut from_origin, mut to_origin) =
        TcpStream::connect(origin.address).await.unwrap().into_split();
    let heard: Arc<Mutex<Vec<u8>>> = Arc::default();
    let hearing = heard.clone();
    tokio::spawn(async move { tokio::io::copy(&mut from_client, &mut to_origin).await });
    tokio::spawn(async move {
        let mut buffer = vec![0; 1 << 16];
        while let Ok(bytes @ 1..) = from_origin.read(&mut buffer).await {
            hearing.lock().unwrap().extend_from_slice(&buffer[..bytes]);
            to_client.write_all(&buffer[..bytes]).await.unwrap();
        }
    });
    (client, heard)
}

/// How many records these bytes are (RFC 8446, section 5.1).
fn records(mut bytes: &[u8]) -> usize {
    let mut records = 0;
    while let [_, _, _, high, low, ..] = bytes {
        bytes = &bytes[5 + (usize::from(*high) << 8 | usize::from(*low))..];
        records += 1;
    }
    records
}

#[test]
fn an_answer_has_as_many_records_as_frames_of_content() {
    let origin = Origin::with(Limits::default(), H2);
    let connector = trusting(&origin, &["h2"]);
    wait_for(async {
        let (stream, heard) = overheard(&origin).await;
        let name = ServerName::try_from("localhost").unwrap();
        let client = Http2::on(connector.connect(name, stream).await.unwrap()).await;
        client.get("/").await;
        for (bytes, expected) in [(16_200, 1), (32_000, 2), (60_000, 4)] {
            let before = heard.lock().unwrap().len();
            client.get(&format!("/bytes/{bytes}")).await.content.unwrap();
            let found = records(&heard.lock().unwrap()[before..]);
            assert_eq!(found, expected, "{bytes}");
        }
    });
}

#[test]
fn a_client_may_send_as_much_as_a_long_fast_link_holds_before_it_has_to_wait() {
    let origin = in_the_clear();
    let mut client = origin.connect();
    client.send(&ASKING[..24 + 9]);
    let (mut stream, mut connection) = (65_535, 65_535);
    while stream == 65_535 || connection == 65_535 {
        let head = client.take(9);
        let payload = client.take(usize::from(head[1]) << 8 | usize::from(head[2]));
        let number = |at: usize| u32::from_be_bytes(payload[at..at + 4].try_into().unwrap());
        match head[3] {
            SETTINGS => {
                let at = payload.chunks(6).position(|pair| pair[..2] == [0, 4]);
                stream = at.map_or(stream, |at| number(6 * at + 2));
            }
            WINDOW_UPDATE => connection += number(0),
            _ => {}
        }
    }
    // 310 Mbit/s over a round trip of 75 ms hold 2.9 MB, a satellite's of 600 ms even more.
    assert_eq!((stream, connection), (16 << 20, 32 << 20));
}

#[test]
fn truncated_streams_are_reset_and_the_connection_goes_on() {
    let origin = in_the_clear();
    wait_for(async {
        let client = Http2::in_the_clear(&origin).await;
        let targets = ["/truncate/1000", "/truncate/1000000", "/truncate/1000?chunk=10"];
        let get = |at: usize| client.get(targets[at]);
        let replies = tokio::join!(get(0), get(1), get(2));
        assert!(replies.0.content.is_err() && replies.1.content.is_err());
        assert!(replies.2.content.is_err());
        assert_eq!(client.get("/").await.content.unwrap(), "Hi");
    });
    let counters = origin.counters();
    assert_eq!((counters.resets_by_origin, counters.bad_requests), (3, 0));
    assert_eq!((counters.connections, counters.requests), (1, 4));
}

#[test]
fn an_answer_that_is_given_up_is_reset() {
    let origin = in_the_clear();
    wait_for(async {
        let client = Http2::in_the_clear(&origin).await;
        let slow = tokio::time::timeout(Duration::from_millis(100), client.get("/delay/60000"));
        assert!(slow.await.is_err());
        assert_eq!(client.get("/").await.content.unwrap(), "Hi");
        let counters = origin.counters_when(|counters| counters.resets_by_client == 1);
        assert_eq!((counters.connections, counters.requests, counters.streams), (1, 1, 2));
    });
}

#[test]
fn content_that_is_too_large_ends_its_stream_only() {
    let origin = in_the_clear();
    wait_for(async {
        let client = Http2::in_the_clear(&origin).await;
        let reply = client.ask(Method::POST, "/form", vec![b'a'; (64 << 20) + 1]).await;
        assert_eq!(reply.status, 413);
        let reply = client.ask(Method::PUT, "/refuse/0", vec![b'a'; 64 << 20]).await;
        assert_eq!(reply.status, 413);
        assert_eq!(client.get("/").await.content.unwrap(), "Hi");
    });
    assert_eq!(origin.counters().connections, 1);
}

#[test]
fn what_is_not_http_2_is_a_bad_request() {
    let origin = in_the_clear();
    let mut client = origin.connect();
    client.send("GET / HTTP/1.1\r\nHost: origin.example\r\n\r\n");
    assert!(client.stream.read_to_end(&mut Vec::new()).is_ok(), "closed, and not reset");
    let counters = origin.counters_when(|counters| counters.open == 0);
    assert_eq!((counters.bad_requests, counters.requests, counters.streams), (1, 0, 0));
}

#[test]
fn an_idle_connection_outlives_the_head_timeout() {
    let limits = Limits { head_timeout: Duration::from_millis(100), ..Limits::default() };
    let origin = Origin::with(limits, H2C);
    wait_for(async {
        let client = Http2::in_the_clear(&origin).await;
        for _ in 0..2 {
            tokio::time::sleep(Duration::from_millis(300)).await;
            assert_eq!(client.get("/").await.content.unwrap(), "Hi");
        }
    });
    let counters = origin.counters();
    assert_eq!((counters.connections, counters.bad_requests), (1, 0));
}
