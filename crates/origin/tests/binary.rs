//! The binary, as harnesses and users use it.

#![allow(clippy::expect_used, clippy::unwrap_used)]

use std::io::{BufRead, BufReader, Read as _, Write as _};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Output, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

const PATIENCE: Duration = Duration::from_secs(10);

fn origin(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_fetchoff-origin"));
    command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn finished(arguments: &[&str]) -> (Output, String) {
    let output = origin(arguments).output().unwrap();
    let message = String::from_utf8(output.stderr.clone()).unwrap();
    (output, message)
}

fn ended(child: &mut Child) -> ExitStatus {
    let begun = Instant::now();
    loop {
        if let Some(status) = child.try_wait().unwrap() {
            return status;
        }
        assert!(begun.elapsed() < PATIENCE, "it does not end");
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn signal(child: &Child, name: &str) {
    let pid = child.id().to_string();
    assert!(Command::new("kill").args([format!("-{name}"), pid]).status().unwrap().success());
}

fn get(port: u64, target: &str) -> String {
    exchanged(port, &format!("GET {target}?keep-alive=off HTTP/1.1\r\nHost: o\r\n\r\n"))
}

fn exchanged(port: u64, request: &str) -> String {
    let mut stream =
        TcpStream::connect((Ipv4Addr::LOCALHOST, u16::try_from(port).unwrap())).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    stream.write_all(request.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

struct Harness {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
}

impl Harness {
    fn start() -> (Self, Value) {
        let mut child = origin(&["--control"]).spawn().unwrap();
        let input = child.stdin.take();
        let output = BufReader::new(child.stdout.take().unwrap());
        let mut harness = Self { child, input, output };
        let greeting = harness.line();
        (harness, greeting)
    }

    fn line(&mut self) -> Value {
        let mut line = String::new();
        self.output.read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap()
    }

    fn ask(&mut self, line: impl AsRef<[u8]>) -> Value {
        let input = self.input.as_mut().unwrap();
        input.write_all(line.as_ref()).unwrap();
        input.write_all(b"\n").unwrap();
        self.line()
    }

    fn end(mut self) -> ExitStatus {
        self.input = None;
        ended(&mut self.child)
    }
}

impl Drop for Harness {
    fn drop(&mut self) {
        self.input = None;
        let _ = self.child.wait();
    }
}

/// A folder that is removed at the end of the test.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let name = format!("fetchoff-{name}-{}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        std::fs::create_dir(&folder).unwrap();
        Self(folder)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[test]
fn the_greeting_says_who_is_there() {
    let (harness, greeting) = Harness::start();
    let expected = json!({
        "origin": "fetchoff-origin", "version": env!("CARGO_PKG_VERSION"),
        "pid": harness.child.id(), "protocol": 6,
    });
    assert_eq!(greeting, expected);
    assert_eq!(harness.end().code(), Some(0));
}

#[test]
fn each_ledger_has_its_own_port_and_counts() {
    let (mut harness, _) = Harness::start();
    let one = harness.ask(r#"{"op":"open","keep_alive":true,"digest":false}"#);
    let two = harness.ask(r#"{"op":"open"}"#);
    assert_eq!((&one["ledger"], &two["ledger"]), (&json!(1), &json!(2)));
    let port = one["port"].as_u64().unwrap();
    assert_ne!(one["port"], two["port"]);
    assert!(get(port, "/").ends_with("\r\n\r\nHi"));
    assert_eq!(harness.ask(r#"{"op":"read","ledger":1}"#)["requests"], 1);
    assert_eq!(harness.ask(r#"{"op":"read","ledger":2}"#)["requests"], 0);
    let last = harness.ask(r#"{"op":"close","ledger":1}"#);
    assert_eq!((&last["ledger"], &last["requests"]), (&json!(1), &json!(1)));
    assert!(harness.ask(r#"{"op":"read","ledger":1}"#)["error"].is_string());
    assert_eq!(harness.ask(r#"{"op":"set","ledger":2,"digest":true}"#), json!({"ledger": 2}));
    assert_eq!(harness.end().code(), Some(0));
}

#[test]
fn listeners_share_their_documents() {
    let (mut harness, _) = Harness::start();
    let one = harness.ask(r#"{"op":"open"}"#)["port"].as_u64().unwrap();
    let other = harness.ask(r#"{"op":"open"}"#)["port"].as_u64().unwrap();
    let answer = exchanged(
        one,
        "PUT /documents/_doc/1 HTTP/1.1\r\nHost: o\r\nContent-Type: application/json\r\n\
         Content-Length: 7\r\nConnection: close\r\n\r\n{\"a\":1}",
    );
    assert!(answer.starts_with("HTTP/1.1 201 Created\r\n"), "{answer}");
    assert!(get(other, "/documents/_source/1").ends_with("\r\n\r\n{\"a\":1}"));
}

#[test]
fn all_counters_are_there() {
    let (mut harness, _) = Harness::start();
    harness.ask(r#"{"op":"open"}"#);
    let counters = harness.ask(r#"{"op":"read","ledger":1}"#);
    let expected = json!({
        "ledger": 1, "connections": 0, "open": 0, "requests": 0, "bad_requests": 0, "statuses": {},
        "bytes_in": 0, "bytes_out": 0, "body_bytes_in": 0, "segments_in": 0, "retransmits": 0,
        "max_in_flight": 0, "closed_by_client": 0, "closed_by_origin": 0, "head_to_body_us": [],
        "body_with_head": 0, "absolute_form": 0, "handshakes_full": 0, "handshakes_resumed": 0,
        "handshakes_failed": 0, "alpn": {}, "streams": 0, "resets_by_client": 0,
        "resets_by_origin": 0, "goaways_by_client": 0, "goaways_by_origin": 0, "uploads": [],
    });
    assert_eq!(counters, expected);
}

#[test]
fn listeners_with_tls_tell_their_authority() {
    let (mut harness, _) = Harness::start();
    let h2 = harness.ask(r#"{"op":"open","protocol":"h2","tls":true}"#);
    let pem = h2["authority"].as_str().unwrap();
    assert!(pem.starts_with("-----BEGIN CERTIFICATE-----\n"), "{pem}");
    assert_eq!(harness.ask(r#"{"op":"open","tls":true}"#)["authority"], pem);
    assert_eq!(harness.ask(r#"{"op":"open","protocol":"h2c"}"#)["authority"], Value::Null);
}

#[test]
fn closing_a_ledger_ends_its_port_and_connections() {
    let (mut harness, _) = Harness::start();
    let port = harness.ask(r#"{"op":"open"}"#)["port"].as_u64().unwrap();
    let port = u16::try_from(port).unwrap();
    let mut client = TcpStream::connect((Ipv4Addr::LOCALHOST, port)).unwrap();
    client.set_read_timeout(Some(PATIENCE)).unwrap();
    client.write_all(b"GET / HTTP/1.1\r\nHost: o\r\n\r\n").unwrap();
    let mut answer = [0; 512];
    assert!(client.read(&mut answer).unwrap() > 0);
    assert_eq!(harness.ask(r#"{"op":"close","ledger":1}"#)["open"], 1);
    assert_eq!(client.read(&mut answer).unwrap(), 0);
    let begun = Instant::now();
    while TcpStream::connect((Ipv4Addr::LOCALHOST, port)).is_ok() {
        assert!(begun.elapsed() < PATIENCE, "the port is still open");
    }
}

#[test]
fn what_is_no_request_gets_an_error_and_it_goes_on() {
    let (mut harness, _) = Harness::start();
    let long = "x".repeat(1 << 20);
    let cases: [&[u8]; 14] = [
        br#"{"op":"open","protocol":"h2"}"#,
        br#"{"op":"open","protocol":"h2c","tls":true}"#,
        br#"{"op":"open","protocol":"h2c","keep_alive":false}"#,
        br#"{"op":"open","protocol":"gopher"}"#,
        b"",
        b"garbage",
        b"\xff\xfe",
        b"[]",
        b"{}",
        br#"{"op":"fly"}"#,
        br#"{"op":"open","keep_alive":"yes"}"#,
        br#"{"op":"read","ledger":-1}"#,
        br#"{"op":"read","ledger":1,"surplus":true}"#,
        long.as_bytes(),
    ];
    for case in cases {
        let answer = harness.ask(case);
        assert!(answer["error"].as_str().is_some_and(|text| !text.is_empty()), "{answer}");
    }
    assert_eq!(harness.ask(r#"{"op":"open"}"#)["ledger"], 1);
}

#[test]
fn it_ends_with_its_input_also_while_it_gives_turns() {
    let (mut harness, _) = Harness::start();
    harness.ask(r#"{"op":"open"}"#);
    let pid = std::process::id();
    let hold = json!({"op": "hold", "ledger": 1, "pid": pid, "requests": 9, "per_iteration": 1});
    assert_eq!(harness.ask(hold.to_string()), json!({"ledger": 1}));
    // Nobody comes, and it waits for a minute. A request that is already there is kept.
    let input = harness.input.as_mut().unwrap();
    let turns = r#"{"op":"turns","order":[[1,1,1]],"patience_ms":60000}"#;
    input.write_all(format!("{turns}\n{{}}\n").as_bytes()).unwrap();
    std::thread::sleep(Duration::from_millis(100));
    assert_eq!(harness.child.try_wait().unwrap(), None);
    assert_eq!(harness.end().code(), Some(0));
}

#[test]
fn requests_that_come_before_an_answer_are_answered_in_order() {
    let (mut harness, _) = Harness::start();
    harness.ask(r#"{"op":"open"}"#);
    let pid = std::process::id();
    let hold = json!({"op": "hold", "ledger": 1, "pid": pid, "requests": 9, "per_iteration": 1});
    harness.ask(hold.to_string());
    let turns = r#"{"op":"turns","order":[[1,1,1]],"patience_ms":100}"#;
    let told = harness.ask([turns, r#"{"op":"open"}"#, r#"{"op":"fly"}"#].join("\n"));
    assert_eq!(told["lost"], json!([1]));
    assert_eq!(harness.line()["ledger"], 2);
    assert!(harness.line()["error"].is_string());
}

#[test]
fn signals_end_it_with_status_0() {
    for name in ["INT", "TERM"] {
        let (mut harness, _) = Harness::start();
        signal(&harness.child, name);
        assert_eq!(ended(&mut harness.child).code(), Some(0), "{name}");
    }
}

#[test]
fn without_control_it_serves_until_interrupted() {
    let mut child = origin(&["--listen", "127.0.0.1:0"]).spawn().unwrap();
    let mut said = String::new();
    BufReader::new(child.stderr.take().unwrap()).read_line(&mut said).unwrap();
    let port = said.split("127.0.0.1:").nth(1).unwrap().split(' ').next().unwrap();
    assert!(get(port.parse().unwrap(), "/bytes/0").starts_with("HTTP/1.1 200 OK\r\n"));
    // Without --control the end of its input does not end it.
    drop(child.stdin.take());
    assert!(get(port.parse().unwrap(), "/").ends_with("Hi"));
    signal(&child, "INT");
    assert_eq!(ended(&mut child).code(), Some(0));
}

#[test]
fn a_port_in_use_is_one_message_with_a_hint() {
    let taken = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let (output, message) = finished(&["--listen", &address]);
    assert_eq!(output.status.code(), Some(2));
    let lines: Vec<_> = message.lines().collect();
    assert_eq!(lines.len(), 2, "{message}");
    assert!(lines[0].starts_with(&format!("error: cannot listen on {address}: Address already")));
    assert!(lines[1].starts_with("hint: choose another port"));
}

#[test]
fn remote_addresses_are_refused() {
    let (output, message) = finished(&["--listen", "0.0.0.0:0"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(message.contains("not a loopback address\nhint: --allow-remote"), "{message}");
}

#[test]
fn an_authority_is_written_for_other_servers() {
    let folder = Folder::new("authority");
    let key = folder.0.join("key.pem");
    std::fs::write(&key, "what was there before, for everybody to read").unwrap();
    let (output, message) = finished(&["--authority", folder.0.to_str().unwrap()]);
    assert_eq!((output.status.code(), message.as_str()), (Some(0), ""));
    assert!(output.stdout.is_empty());
    let read = |name: &str| std::fs::read_to_string(folder.0.join(name)).unwrap();
    let chain = read("certificate.pem");
    let (leaf, authority) = chain.split_at(chain.rfind("-----BEGIN CERTIFICATE-----").unwrap());
    assert!(leaf.starts_with("-----BEGIN CERTIFICATE-----\n"), "{chain}");
    assert_eq!(authority, read("authority.pem"));
    assert!(read("key.pem").starts_with("-----BEGIN PRIVATE KEY-----\n"));
    assert_eq!(std::fs::metadata(&key).unwrap().permissions().mode() & 0o777, 0o600);
}

#[test]
fn a_folder_that_cannot_be_written_is_one_message_with_a_hint() {
    let folder = Folder::new("no-authority");
    let missing = folder.0.join("missing");
    let (output, message) = finished(&["--authority", missing.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(2));
    let lines: Vec<_> = message.lines().collect();
    assert_eq!(lines.len(), 2, "{message}");
    let path = missing.join("authority.pem");
    assert!(lines[0].starts_with(&format!("error: cannot write {}: No such", path.display())));
    assert!(lines[1].starts_with("hint: --authority takes a folder that exists"));
}

#[test]
fn it_tells_its_version() {
    let (output, _) = finished(&["--version"]);
    let expected = format!("fetchoff-origin {}\n", env!("CARGO_PKG_VERSION"));
    assert_eq!(String::from_utf8(output.stdout).unwrap(), expected);
    assert_eq!(output.status.code(), Some(0));
}
