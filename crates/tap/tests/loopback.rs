//! Real recordings over loopback, in a user and network namespace of their own.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "it is all tests")]

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{SystemTime, UNIX_EPOCH};

use pcap_file::pcapng::{Block, PcapNgReader};
use serde_json::{Value, json};

const SYN: u64 = 2;
const FIN: u64 = 1;

struct Tap {
    process: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Tap {
    fn start() -> Self {
        let mut process = Command::new(env!("CARGO_BIN_EXE_fetchoff-tap"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let input = process.stdin.take().unwrap();
        let output = BufReader::new(process.stdout.take().unwrap());
        let mut tap = Self { process, input, output };
        let greeting = tap.line();
        assert_eq!(greeting["tap"], "fetchoff-tap", "{greeting}");
        tap
    }

    fn line(&mut self) -> Value {
        let mut line = String::new();
        self.output.read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap_or_else(|_| panic!("not JSON: {line:?}"))
    }

    fn ask(&mut self, request: &Value) -> Value {
        writeln!(self.input, "{request}").unwrap();
        self.line()
    }
}

impl Drop for Tap {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// A client sends 1000 bytes, and the origin answers with 100 000. Returns the client's port.
fn exchange(listener: &TcpListener) -> u16 {
    let mut client = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
    let (mut origin, _) = listener.accept().unwrap();
    client.write_all(&[1; 1000]).unwrap();
    origin.read_exact(&mut [0; 1000]).unwrap();
    let port = client.local_addr().unwrap().port();
    let answering = std::thread::spawn(move || origin.write_all(&vec![2; 100_000]).unwrap());
    let mut answer = Vec::new();
    client.read_to_end(&mut answer).unwrap();
    answering.join().unwrap();
    assert_eq!(answer.len(), 100_000);
    port
}

/// How far stamps of two cores may disagree: a thousandth of a second.
const AT_ODDS_NS: u64 = 1_000_000;

fn now_ns() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_nanos() as u64
}

fn sum<'a>(segments: impl Iterator<Item = &'a Value>, field: &str) -> u64 {
    segments.map(|segment| segment[field].as_u64().unwrap()).sum()
}

fn each_packet_is_seen_once(address: &str, keep: &Value) {
    let (listener, other) =
        (TcpListener::bind((address, 0)).unwrap(), TcpListener::bind((address, 0)).unwrap());
    let watched = listener.local_addr().unwrap().port();
    let mut tap = Tap::start();
    let start = json!({"op": "start", "ports": [watched], "most": 10_000, "keep": keep});
    assert_eq!(tap.ask(&start), json!({"interface": "lo"}));
    let began_ns = now_ns();
    let port = exchange(&listener);
    exchange(&other);
    let ended_ns = now_ns();
    let answer = tap.ask(&json!({"op": "stop"}));
    assert_eq!(answer["lost"], 0, "{answer}");
    let segments = answer["segments"].as_array().unwrap();
    let sent = |who: &'static str| segments.iter().filter(move |one| one["sender"] == who);
    assert!(segments.iter().all(|one| one["port"] == port), "{answer}");
    assert_eq!(sum(sent("client"), "size"), 1000, "{answer}");
    assert_eq!(sum(sent("origin"), "size"), 100_000, "{answer}");
    for flag in [SYN, FIN] {
        for who in ["client", "origin"] {
            let with = sent(who).filter(|one| one["flags"].as_u64().unwrap() & flag != 0).count();
            assert_eq!(with, 1, "{who} {flag}: {answer}");
        }
    }
    let times: Vec<u64> = segments.iter().map(|one| one["at_ns"].as_u64().unwrap()).collect();
    // Two cores stamp them, and the last acknowledgement may follow the reader's end.
    assert!(times.is_sorted_by(|one, next| *one <= next + AT_ODDS_NS), "{times:?}");
    let span = began_ns - AT_ODDS_NS..=ended_ns + AT_ODDS_NS;
    assert!(times.iter().all(|at_ns| span.contains(at_ns)), "{span:?}: {times:?}");
    let windows = sent("client").map(|one| one["window"].as_u64().unwrap());
    assert!(windows.max().unwrap() > 65_535, "the SYN was seen, so it is scaled: {answer}");
    if let Some(path) = keep.as_str() {
        kept_whole(path, segments);
    }
}

fn kept_whole(path: &str, segments: &[Value]) {
    let mut reader = PcapNgReader::new(std::fs::File::open(path).unwrap()).unwrap();
    let mut times = Vec::new();
    while let Some(block) = reader.next_block() {
        if let Block::EnhancedPacket(packet) = block.unwrap() {
            assert_eq!(packet.original_len as usize, packet.data.len());
            times.push(packet.timestamp.as_nanos() as u64);
        }
    }
    let told: Vec<u64> = segments.iter().map(|one| one["at_ns"].as_u64().unwrap()).collect();
    assert_eq!(times, told);
}

fn more_than_fits_is_counted() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let mut tap = Tap::start();
    let port = listener.local_addr().unwrap().port();
    tap.ask(&json!({"op": "start", "ports": [port], "most": 3, "keep": null}));
    exchange(&listener);
    let answer = tap.ask(&json!({"op": "stop"}));
    assert_eq!(answer["segments"].as_array().unwrap().len(), 3);
    assert!(answer["lost"].as_u64().unwrap() > 3, "{answer}");
    let again = tap.ask(&json!({"op": "start", "ports": [port], "most": 3, "keep": null}));
    assert_eq!(again, json!({"interface": "lo"}), "one recording after the other");
}

#[test]
#[ignore = "runs in the namespace that `packets_of_loopback` makes"]
fn inside() {
    let folder = std::env::temp_dir().join(format!("fetchoff-tap-test-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let keep = folder.join("kept.pcapng");
    each_packet_is_seen_once("127.0.0.1", &Value::Null);
    each_packet_is_seen_once("127.0.0.1", &json!(keep));
    if TcpListener::bind("[::1]:0").is_ok() {
        each_packet_is_seen_once("::1", &json!(keep));
    }
    more_than_fits_is_counted();
    std::fs::remove_dir_all(&folder).unwrap();
}

/// Why a command line fails, or `None` if it succeeds.
fn failing(command: &mut Command) -> Option<String> {
    match command.output() {
        Ok(output) if output.status.success() => None,
        Ok(output) => Some(
            String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).trim().to_owned(),
        ),
        Err(error) => Some(error.to_string()),
    }
}

fn in_a_namespace(script: &str) -> Command {
    let mut command = Command::new("unshare");
    command.args(["--user", "--map-root-user", "--net", "sh", "-c", script, "sh"]);
    command
}

#[test]
fn packets_of_loopback() {
    if let Some(reason) = failing(&mut in_a_namespace("ip link set lo up")) {
        eprintln!("skipped: no network namespace can be made: {reason}");
        return;
    }
    let mut command = in_a_namespace("ip link set lo up && exec \"$@\"");
    command.arg(std::env::current_exe().unwrap()).args(["--ignored", "--exact", "inside"]);
    assert_eq!(failing(&mut command), None);
}
