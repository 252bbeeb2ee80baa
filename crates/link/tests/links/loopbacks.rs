//! Loopbacks in namespaces of their own.

use std::fs;
use std::path::Path;

use rustix::process::Signal;
use serde_json::{Value, json};

use crate::emulator::{Emulator, in_every_mode};

const BUFFER: u32 = 2 << 20;

/// More than a receive buffer holds.
const BYTES: &str = "5000000";

const MACHINES: [&str; 2] =
    ["/proc/sys/net/ipv4/tcp_rmem", "/proc/sys/net/ipv4/tcp_moderate_rcvbuf"];

fn open(emulator: &mut Emulator) -> Value {
    emulator.must(&json!({"op": "loopback", "receive_buffer": BUFFER}))
}

fn buffers(emulator: &Emulator, loopback: &Value) -> String {
    emulator.traffic(loopback, &["buffers", BYTES]).line()
}

#[test]
fn receive_buffers_have_the_asked_size_and_keep_it() {
    in_every_mode(|emulator| {
        let before = MACHINES.map(|path| fs::read_to_string(path).unwrap());
        let loopback = open(emulator);
        assert_eq!(loopback["ipv4"], "127.0.0.1");
        assert_eq!(loopback["receive_buffer"], BUFFER);
        assert!(!loopback["congestion"].as_str().unwrap().is_empty(), "{loopback}");
        assert_eq!(buffers(emulator, &loopback), format!("{BUFFER} {BUFFER}"));
        let after = MACHINES.map(|path| fs::read_to_string(path).unwrap());
        assert_eq!(before, after, "the machine's own settings stay");
    });
}

#[test]
fn each_has_ports_and_sizes_of_its_own() {
    in_every_mode(|emulator| {
        let first = open(emulator);
        let second = emulator.must(&json!({"op": "loopback", "receive_buffer": 131_072}));
        let address = "127.0.0.1:4000";
        let _one = emulator.traffic(&first, &["sink", address]);
        let _other = emulator.traffic(&second, &["sink", address]);
        assert_eq!(buffers(emulator, &second), "131072 131072");
        emulator.must(&json!({"op": "close", "loopback": first["loopback"]}));
        assert_eq!(buffers(emulator, &second), "131072 131072");
    });
}

#[test]
fn what_cannot_be_is_refused() {
    in_every_mode(|emulator| {
        let open = open(emulator);
        let id = &open["loopback"];
        for (request, said) in [
            (json!({"op": "loopback", "receive_buffer": 100}), "receive_buffer is 100; it must be"),
            (json!({"op": "loopback"}), "missing field"),
            (json!({"op": "close", "loopback": 77}), "no loopback 77 is open"),
            (json!({"op": "close", "link": id}), "no link"),
            (json!({"op": "close", "link": 1, "loopback": id}), "either a link or a loopback"),
            (json!({"op": "close"}), "either a link or a loopback"),
        ] {
            let error = emulator.ask(&request)["error"].to_string();
            assert!(error.contains(said), "{request}: {error}");
        }
        assert_eq!(buffers(emulator, &open), format!("{BUFFER} {BUFFER}"));
    });
}

/// Nobody holds the namespace any more, so the kernel removes it.
fn is_gone(loopback: &Value) -> bool {
    !Path::new(loopback["namespace"].as_str().unwrap()).exists()
}

#[test]
fn closing_leaves_nothing() {
    in_every_mode(|emulator| {
        let loopback = open(emulator);
        assert!(!is_gone(&loopback));
        emulator.must(&json!({"op": "close", "loopback": loopback["loopback"]}));
        assert!(is_gone(&loopback), "{:?}", emulator.mode);
    });
}

#[test]
fn the_end_leaves_nothing_however_it_comes() {
    for signal in [None, Some(Signal::TERM), Some(Signal::INT), Some(Signal::KILL)] {
        in_every_mode(|emulator| {
            let loopback = open(emulator);
            match signal {
                Some(signal) => {
                    rustix::process::kill_process(emulator.pid(), signal).unwrap();
                }
                None => emulator.hang_up(),
            }
            emulator.wait();
            assert!(is_gone(&loopback), "{:?} {signal:?}", emulator.mode);
        });
    }
}
