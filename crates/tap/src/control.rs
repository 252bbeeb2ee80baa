//! The control channel: the harness starts a recording, and stops it.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::filter::MOST_PORTS;
use crate::segment::Segment;
use crate::watching::{Plan, Recorded, Refused, Watching};

const PROTOCOL: u32 = 1;

/// The most segments of a recording: with some 40 bytes each, this bounds the memory.
const MOST_SEGMENTS: usize = 1_000_000;

/// The first line, which the tap writes without being asked.
#[derive(Clone, Debug, Serialize)]
pub struct Greeting {
    tap: &'static str,
    version: &'static str,
    pid: u32,
    protocol: u32,
}

impl Greeting {
    /// The greeting of this process.
    pub fn of_this_process(version: &'static str) -> Self {
        Self { tap: "fetchoff-tap", version, pid: std::process::id(), protocol: PROTOCOL }
    }
}

#[derive(Debug, Deserialize)]
#[serde(tag = "op", rename_all = "snake_case", deny_unknown_fields)]
enum Request {
    Start { ports: Vec<u16>, most: usize, keep: Option<PathBuf> },
    Stop,
}

/// An answer to the harness, one line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum Answer {
    /// A recording has begun.
    Started {
        /// The device that is watched.
        interface: String,
    },
    /// A recording has ended.
    Stopped {
        /// What passed, in its order.
        segments: Vec<Segment>,
        /// Segments that did not fit in, or that the kernel dropped.
        lost: u64,
        /// What went wrong meanwhile.
        #[serde(skip_serializing_if = "Option::is_none")]
        fault: Option<String>,
    },
    /// The request could not be carried out.
    Error {
        /// Why.
        error: String,
        /// What would help.
        #[serde(skip_serializing_if = "String::is_empty")]
        hint: String,
    },
}

impl Answer {
    /// An answer that tells what was wrong.
    pub fn error(error: &(impl ToString + ?Sized)) -> Self {
        Self::Error { error: error.to_string(), hint: String::new() }
    }

    fn stopped(recorded: Recorded) -> Self {
        let fault = recorded.fault.map(|error| error.to_string());
        Self::Stopped { segments: recorded.segments, lost: recorded.lost, fault }
    }

    fn refused(refused: Refused, interface: &str) -> Self {
        let (error, hint) = match refused {
            Refused::Permission => (
                format!("the packets of '{interface}' may not be seen without CAP_NET_RAW"),
                permission_hint(),
            ),
            Refused::NoDevice => (
                format!("there is no network device '{interface}'"),
                "'ip link' lists those of this network namespace".to_owned(),
            ),
            Refused::Keep(path, error) => (
                format!("{} cannot be written: {error}", path.display()),
                "packets are kept in a file of a folder that exists".to_owned(),
            ),
            Refused::Other(error) => (
                format!("the packets of '{interface}' cannot be seen: {error}"),
                "the kernel needs packet sockets (CONFIG_PACKET)".to_owned(),
            ),
        };
        Self::Error { error, hint }
    }
}

fn permission_hint() -> String {
    let program = std::env::current_exe()
        .map_or_else(|_| "fetchoff-tap".to_owned(), |path| path.display().to_string());
    format!("run as root, or permit it once: sudo setcap cap_net_raw+ep {program}")
}

/// The recording of one harness; there is one at a time.
#[derive(Debug)]
pub struct Control {
    interface: String,
    watching: Option<Watching>,
}

impl Control {
    /// Watches this network device.
    pub fn new(interface: String) -> Self {
        Self { interface, watching: None }
    }

    /// Carries out one request.
    pub fn answer(&mut self, line: &[u8]) -> Answer {
        match serde_json::from_slice(line) {
            Ok(Request::Start { ports, most, keep }) => self.start(ports, most, keep),
            Ok(Request::Stop) => self.stop(),
            Err(error) => Answer::error(&error),
        }
    }

    fn start(&mut self, ports: Vec<u16>, most: usize, keep: Option<PathBuf>) -> Answer {
        if self.watching.is_some() {
            return Answer::error("a recording is under way; 'stop' ends it");
        }
        if ports.is_empty() || ports.len() > MOST_PORTS {
            let given = ports.len();
            return Answer::error(&format!(
                "{given} ports given; between 1 and {MOST_PORTS} are possible"
            ));
        }
        if most > MOST_SEGMENTS {
            return Answer::error(&format!("most is {most}; it must be at most {MOST_SEGMENTS}"));
        }
        let interface = self.interface.clone();
        match Watching::start(Plan { interface, ports, most, keep }) {
            Ok(watching) => {
                self.watching = Some(watching);
                Answer::Started { interface: self.interface.clone() }
            }
            Err(refused) => Answer::refused(refused, &self.interface),
        }
    }

    fn stop(&mut self) -> Answer {
        match self.watching.take().map(Watching::end) {
            Some(Ok(recorded)) => Answer::stopped(recorded),
            Some(Err(error)) => Answer::error(&error),
            None => Answer::error("no recording is under way; 'start' begins one"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answered(control: &mut Control, line: &str) -> String {
        serde_json::to_string(&control.answer(line.as_bytes())).unwrap()
    }

    #[test]
    fn what_cannot_be_is_refused_with_its_reason() {
        let mut control = Control::new("lo".to_owned());
        for (request, said) in [
            ("{\"op\":\"stop\"}", "no recording is under way"),
            ("{\"op\":\"guess\"}", "unknown variant"),
            ("garbage", "expected value"),
            ("{\"op\":\"start\",\"ports\":[],\"most\":1}", "0 ports given"),
            ("{\"op\":\"start\",\"ports\":[65536],\"most\":1}", "65536"),
            ("{\"op\":\"start\",\"ports\":[1],\"most\":2000000}", "most is 2000000"),
        ] {
            let answer = answered(&mut control, request);
            assert!(answer.starts_with("{\"error\":") && answer.contains(said), "{answer}");
        }
    }

    #[test]
    fn a_refusal_says_what_would_help() {
        for (refused, said, hint) in [
            (Refused::Permission, "CAP_NET_RAW", "setcap cap_net_raw+ep"),
            (Refused::NoDevice, "no network device 'eth7'", "ip link"),
        ] {
            let Answer::Error { error, hint: told } = Answer::refused(refused, "eth7") else {
                panic!("an error")
            };
            assert!(error.contains(said) && told.contains(hint), "{error}; {told}");
        }
    }
}
