//! The control channel's messages, and what they do.

use std::collections::BTreeMap;
use std::net::{IpAddr, SocketAddr};
use std::rc::Rc;

use serde::{Deserialize, Serialize};

use crate::ledger::Counters;
use crate::listener::{Handshakes, Listener, Terms};
use crate::protocol::Protocol;
use crate::site::Site;

const PROTOCOL: u32 = 1;

/// The first line, unasked.
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

type Id = u64;

#[derive(Debug, Deserialize)]
#[serde(tag = "op", rename_all = "lowercase", deny_unknown_fields)]
enum Request {
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
}

fn yes() -> bool {
    true
}

/// One answer, one line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum Answer {
    /// A listener was opened.
    Opened {
        /// The new ledger.
        ledger: u64,
        /// Its port.
        port: u16,
        /// The certificate of the authority behind it, in PEM, if it speaks TLS.
        #[serde(skip_serializing_if = "Option::is_none")]
        authority: Option<String>,
    },
    /// What a ledger holds.
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
    /// The request could not be followed.
    Error {
        /// Why.
        error: String,
    },
}

impl Answer {
    /// An answer that says what was wrong.
    pub fn error(error: &(impl ToString + ?Sized)) -> Self {
        Self::Error { error: error.to_string() }
    }
}

/// The listeners of one harness.
#[derive(Debug)]
pub struct Control {
    host: IpAddr,
    site: Rc<Site>,
    listeners: BTreeMap<Id, Listener>,
    opened: Id,
}

impl Control {
    /// Listeners will be opened on free ports of `host`.
    pub fn new(host: IpAddr, site: Rc<Site>) -> Self {
        Self { host, site, listeners: BTreeMap::new(), opened: 0 }
    }

    /// Follows one request; must be called inside a `LocalSet`.
    pub fn answer(&mut self, line: &[u8]) -> Answer {
        match serde_json::from_slice(line) {
            Ok(request) => self.follow(&request).unwrap_or_else(|error| Answer::error(&error)),
            Err(error) => Answer::error(&error),
        }
    }

    fn follow(&mut self, request: &Request) -> Result<Answer, String> {
        match *request {
            Request::Open { keep_alive, digest, protocol, tls, tickets } => {
                let handshakes = if tickets { Handshakes::Resumable } else { Handshakes::Full };
                let tls = tls.then_some(handshakes);
                self.open(Terms { protocol, tls, keep_alive, digest })
            }
            Request::Read { ledger } => {
                let counters = Box::new(self.listener(ledger)?.counters());
                Ok(Answer::Counted { ledger, counters })
            }
            Request::Set { ledger, digest } => {
                self.listener(ledger)?.set_digest(digest);
                Ok(Answer::Set { ledger })
            }
            Request::Close { ledger } => {
                let listener = self.listeners.remove(&ledger).ok_or_else(|| unknown(ledger))?;
                Ok(Answer::Counted { ledger, counters: Box::new(listener.counters()) })
            }
        }
    }

    fn open(&mut self, terms: Terms) -> Result<Answer, String> {
        let listener = Listener::open(SocketAddr::new(self.host, 0), terms, self.site.clone())
            .map_err(|error| format!("cannot listen on {}: {error}", self.host))?;
        let port = listener.address().port();
        let authority = listener.authority_pem().map(str::to_owned);
        self.opened += 1;
        self.listeners.insert(self.opened, listener);
        Ok(Answer::Opened { ledger: self.opened, port, authority })
    }

    fn listener(&self, ledger: Id) -> Result<&Listener, String> {
        self.listeners.get(&ledger).ok_or_else(|| unknown(ledger))
    }
}

fn unknown(ledger: Id) -> String {
    format!("no ledger {ledger} is open")
}
