//! Names on links: files that only the client sees, and what can't be asked for.

use std::fs;

use serde_json::{Value, json};

use crate::emulator::{Emulator, in_every_mode};

const RESOLVER: &str = "/etc/resolv.conf";

fn name(emulator: &mut Emulator, link: &Value) -> Value {
    let address = &link["far"]["ipv4"];
    let request = json!({
        "op": "names", "link": link["link"], "name": "origin.test", "addresses": [address],
    });
    emulator.must(&request)
}

fn resolver_seen_by(emulator: &Emulator, end: &Value, options: &[&str]) -> String {
    let output = emulator.enter(end).args(options).args(["--", "cat", RESOLVER]).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn only_who_asks_for_it_sees_another_resolver() {
    in_every_mode(|emulator| {
        let Ok(machines) = fs::read_to_string(RESOLVER) else {
            eprintln!("not tested: this machine has no {RESOLVER}");
            return;
        };
        let link = emulator.open(&json!({}), &json!({}));
        name(emulator, &link);
        let seen = resolver_seen_by(emulator, &link["near"], &["--names"]);
        assert_eq!(seen, "nameserver 127.0.0.1\n");
        assert_eq!(resolver_seen_by(emulator, &link["near"], &[]), machines);
        assert_eq!(fs::read_to_string(RESOLVER).unwrap(), machines);
    });
}

#[test]
fn names_can_be_changed_and_end_with_their_link() {
    in_every_mode(|emulator| {
        let link = emulator.open(&json!({}), &json!({}));
        for _ in 0..2 {
            assert_eq!(name(emulator, &link)["link"], link["link"]);
        }
        let asked = emulator.must(&json!({"op": "queries", "link": link["link"]}));
        assert_eq!(asked, json!({"link": link["link"], "queries": [], "lost": 0}));
        emulator.must(&json!({"op": "close", "link": link["link"]}));
        let gone = emulator.ask(&json!({"op": "queries", "link": link["link"]}));
        assert!(gone["error"].as_str().unwrap().contains("no link"), "{gone}");
    });
}

#[test]
fn namespaces_of_others_get_no_names_and_stay_as_they_were() {
    const LIMIT: &str = "/proc/sys/net/ipv4/icmp_ratelimit";
    in_every_mode(|emulator| {
        let theirs = emulator.must(&json!({"op": "loopback", "receive_buffer": 100_000}));
        let limit = |emulator: &Emulator| {
            emulator.enter(&theirs).args(["--", "cat", LIMIT]).output().unwrap().stdout
        };
        let before = limit(emulator);
        let backend = emulator.mode.backend;
        for end in ["near", "far"] {
            let open = json!({"op": "open", "backend": backend, end: theirs["namespace"]});
            let link = emulator.must(&open);
            let names = json!({
                "op": "names", "link": link["link"], "name": "x", "addresses": [],
                "unreachable": ["198.18.99.1"],
            });
            let error = emulator.ask(&names)["error"].to_string();
            assert!(error.contains("open one without near and far"), "{error}");
            emulator.must(&json!({"op": "close", "link": link["link"]}));
        }
        assert!(!before.is_empty());
        assert_eq!(limit(emulator), before);
    });
}

#[test]
fn what_cannot_be_is_refused() {
    in_every_mode(|emulator| {
        let link = emulator.open(&json!({}), &json!({}));
        let id = &link["link"];
        for (request, said) in [
            (json!({"op": "queries", "link": id}), "has no names"),
            (json!({"op": "names", "link": id, "name": "x"}), "missing field"),
            (json!({"op": "names", "link": id, "name": "x", "addresses": ["y"]}), "invalid IP"),
            (json!({"op": "names", "link": 77, "name": "x", "addresses": []}), "no link 77"),
            (
                json!({"op": "names", "link": id, "name": "x", "addresses": [], "delay_ms": -1}),
                "delay_ms is -1",
            ),
        ] {
            let error = emulator.ask(&request)["error"].to_string();
            assert!(error.contains(said), "{request}: {error}");
        }
    });
}
