//! The control channel's messages, and what they do.

use std::collections::BTreeMap;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::num::NonZeroU64;
use std::path::PathBuf;
use std::rc::Rc;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::clocks::CpuClock;
use crate::gate::{Behind, Edges, Gate, Gates, Length};
use crate::ledger::Counters;
use crate::listener::{Handshakes, Listener, Terms};
use crate::protocol::Protocol;
use crate::site::Site;
use crate::turns::{self, Turns};

const PROTOCOL: u32 = 3;

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
        #[serde(default)]
        send_buffer: Option<u32>,
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
    /// From now on requests are held until it is their turn.
    Hold {
        ledger: Id,
        pid: i32,
        /// The folder of the control group whose CPU time counts instead of the process's.
        #[serde(default)]
        group: Option<PathBuf>,
        requests: u64,
        per_iteration: NonZeroU64,
    },
    /// Turns in that order: a ledger, and the iterations of its lead and of what is counted.
    Turns {
        order: Vec<(Id, u64, u64)>,
        patience_ms: u64,
    },
    /// From now on nobody is held.
    Release {
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
    /// Nobody is held any more.
    Released {
        /// The ledger.
        ledger: u64,
        /// CPU time of the process from `hold` to its first request.
        before_ns: u64,
        /// CPU time of the process since it was held last.
        after_ns: u64,
    },
    /// Turns were given.
    Turns(Box<Turns>),
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
    gates: Gates,
}

impl Control {
    /// Listeners will be opened on free ports of `host`.
    pub fn new(host: IpAddr, site: Rc<Site>) -> Self {
        Self { host, site, listeners: BTreeMap::new(), opened: 0, gates: Gates::default() }
    }

    /// Follows one request; must be called inside a `LocalSet`.
    pub async fn answer(&mut self, line: &[u8]) -> Answer {
        let followed = match serde_json::from_slice(line) {
            Ok(Request::Turns { order, patience_ms }) => {
                self.turns(&order, Duration::from_millis(patience_ms)).await
            }
            Ok(request) => self.follow(request),
            Err(error) => Err(error.to_string()),
        };
        followed.unwrap_or_else(|error| Answer::error(&error))
    }

    async fn turns(&self, order: &[(Id, u64, u64)], patience: Duration) -> Result<Answer, String> {
        let order: Result<Vec<_>, String> = order
            .iter()
            .map(|&(ledger, lead, counted)| {
                Ok((ledger, self.gate(ledger)?, length(lead, counted)?))
            })
            .collect();
        Ok(Answer::Turns(Box::new(turns::give(&order?, patience).await)))
    }

    fn hold(
        &self,
        ledger: Id,
        clock: io::Result<CpuClock>,
        behind: (u64, u64),
    ) -> Result<Answer, String> {
        let gate = self.gate(ledger)?;
        let clock = clock.map_err(|error| format!("no CPU clock for ledger {ledger}: {error}"))?;
        let (requests, per_iteration) = behind;
        gate.close(Behind { clock, requests, per_iteration }, &self.gates);
        Ok(Answer::Set { ledger })
    }

    fn gate(&self, ledger: Id) -> Result<Rc<Gate>, String> {
        Ok(self.listener(ledger)?.gate())
    }

    fn follow(&mut self, request: Request) -> Result<Answer, String> {
        match request {
            Request::Turns { .. } => Err("turns take time".into()),
            Request::Hold { ledger, pid, group, requests, per_iteration } => {
                let clock = match group {
                    Some(folder) => CpuClock::of_group(&folder),
                    None => CpuClock::of_process(pid),
                };
                self.hold(ledger, clock, (requests, per_iteration.get()))
            }
            Request::Release { ledger } => {
                let Edges { before_ns, after_ns } = self.gate(ledger)?.open();
                Ok(Answer::Released { ledger, before_ns, after_ns })
            }
            Request::Open { keep_alive, digest, protocol, tls, tickets, send_buffer } => {
                let handshakes = if tickets { Handshakes::Resumable } else { Handshakes::Full };
                let tls = tls.then_some(handshakes);
                self.open(Terms { protocol, tls, keep_alive, digest, send_buffer })
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

fn length(lead: u64, counted: u64) -> Result<Length, String> {
    match (NonZeroU64::new(lead), NonZeroU64::new(counted)) {
        (Some(lead), Some(counted)) => Ok(Length { lead, counted }),
        _ => Err("a turn needs at least one iteration of each kind: lead and counted".into()),
    }
}

fn unknown(ledger: Id) -> String {
    format!("no ledger {ledger} is open")
}
