//! The messages of the control channel, as docs/origin.md defines them.

use std::num::NonZeroU64;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::http::behaviour::Behaviour;
use crate::http::protocol::Protocol;
use crate::ledger::counters::Counters;
use crate::ledger::watch::Event;
use crate::turns::schedule::Turns;

const PROTOCOL: u32 = 6;

/// The first line, which the origin writes without being asked.
#[derive(Clone, Debug, Serialize)]
pub struct Greeting {
    origin: &'static str,
    version: &'static str,
    pid: u32,
    protocol: u32,
}

impl Greeting {
    /// The greeting of this process.
    pub fn of_this_process(version: &'static str) -> Self {
        Self { origin: "fetchoff-origin", version, pid: std::process::id(), protocol: PROTOCOL }
    }
}

/// The number of a ledger.
pub type Id = u64;

/// A request of the harness, one line.
#[derive(Debug, Deserialize)]
#[serde(tag = "op", rename_all = "lowercase", deny_unknown_fields)]
pub enum Request {
    Open {
        #[serde(default = "yes")]
        keep_alive: bool,
        #[serde(default)]
        digest: bool,
        #[serde(default)]
        protocol: Protocol,
        #[serde(default)]
        tls: bool,
        #[serde(default = "yes")]
        tickets: bool,
        #[serde(default)]
        send_buffer: Option<u32>,
        #[serde(default)]
        behaviour: Behaviour,
    },
    Read {
        ledger: Id,
    },
    Set {
        ledger: Id,
        digest: bool,
    },
    Close {
        ledger: Id,
    },
    /// Keep events from now on, with the CPU clock of a client if one is named.
    Watch {
        ledger: Id,
        #[serde(default)]
        pid: Option<i32>,
        #[serde(default)]
        group: Option<PathBuf>,
        most: usize,
    },
    /// Tell the events, and keep no more.
    Watched {
        ledger: Id,
    },
    /// Hold requests from now on, until their client has its turn.
    Hold {
        ledger: Id,
        pid: i32,
        /// The folder of a control group, whose CPU time then counts instead of the process's.
        #[serde(default)]
        group: Option<PathBuf>,
        requests: u64,
        per_iteration: NonZeroU64,
    },
    /// Give turns in this order: each has a ledger, and the iterations of its lead and of its
    /// counted part.
    Turns {
        order: Vec<(Id, u64, u64)>,
        patience_ms: u64,
    },
    /// Hold no requests of this ledger from now on.
    Release {
        ledger: Id,
    },
}

fn yes() -> bool {
    true
}

/// An answer to the harness, one line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum Answer {
    /// A listener was opened.
    Opened {
        /// The new ledger.
        ledger: u64,
        /// Its port.
        port: u16,
        /// The certificate of the authority to trust, in PEM, if it speaks TLS.
        #[serde(skip_serializing_if = "Option::is_none")]
        authority: Option<String>,
    },
    /// The counts of a ledger.
    Counted {
        /// The ledger.
        ledger: u64,
        /// Its counts.
        #[serde(flatten)]
        counters: Box<Counters>,
    },
    /// A setting was changed.
    Set {
        /// The ledger.
        ledger: u64,
    },
    /// No request is held any more.
    Released {
        /// The ledger.
        ledger: u64,
        /// CPU time of the client from `hold` to its first request.
        before_ns: u64,
        /// CPU time of the client since it was last held.
        after_ns: u64,
    },
    /// What was kept while somebody watched.
    Watched {
        /// The ledger.
        ledger: u64,
        /// Events in their order.
        events: Vec<Event>,
        /// How many did not fit in.
        lost: u64,
    },
    /// Turns were given.
    Turns(Box<Turns>),
    /// The request could not be carried out.
    Error {
        /// Why.
        error: String,
    },
}

impl Answer {
    /// An answer that tells what was wrong.
    pub fn error(error: &(impl ToString + ?Sized)) -> Self {
        Self::Error { error: error.to_string() }
    }
}
