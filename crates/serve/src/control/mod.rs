//! The control channel: the harness opens listeners, reads their ledgers and gives turns.
//!
//! `messages` has the requests and answers as they are written in JSON; this module carries the
//! requests out.

mod messages;

use std::collections::BTreeMap;
use std::net::{IpAddr, SocketAddr};
use std::num::NonZeroU64;
use std::path::PathBuf;
use std::rc::Rc;
use std::time::Duration;

use crate::transport::config::{Handshakes, ListenerConfig};
use crate::transport::listener::Listener;
use crate::transport::site::Site;
use crate::turns::cpu_clock::CpuClock;
use crate::turns::gate::{Client, Gate, Gates, Length, OutsideTurns};
use crate::turns::schedule;

pub use messages::{Answer, Greeting};
use messages::{Id, Request};

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
    /// Opens listeners on free ports of `host`.
    pub fn new(host: IpAddr, site: Rc<Site>) -> Self {
        Self { host, site, listeners: BTreeMap::new(), opened: 0, gates: Gates::default() }
    }

    /// Carries out one request. Call this inside a `LocalSet`.
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
        Ok(Answer::Turns(Box::new(schedule::run(&order?, patience).await)))
    }

    fn hold(&self, ledger: Id, clock: CpuClock, client: (u64, u64)) -> Result<Answer, String> {
        let gate = self.gate(ledger)?;
        let (requests, per_iteration) = client;
        gate.close(Client { clock, requests, per_iteration }, &self.gates);
        Ok(Answer::Set { ledger })
    }

    fn gate(&self, ledger: Id) -> Result<Rc<Gate>, String> {
        Ok(self.listener(ledger)?.gate())
    }

    fn follow(&mut self, request: Request) -> Result<Answer, String> {
        match request {
            Request::Turns { .. } => Err("turns take time".into()),
            Request::Watch { ledger, pid, group, most } => {
                let listener = self.listener(ledger)?;
                let clock = match (pid, group) {
                    (None, None) => None,
                    (pid, group) => Some(clock(pid.unwrap_or(0), group, ledger)?),
                };
                listener.watch(clock, most);
                Ok(Answer::Set { ledger })
            }
            Request::Watched { ledger } => {
                let watched = self.listener(ledger)?.end_watch();
                let (events, lost) =
                    watched.ok_or_else(|| format!("nobody watches ledger {ledger}"))?;
                Ok(Answer::Watched { ledger, events, lost })
            }
            Request::Hold { ledger, pid, group, requests, per_iteration } => {
                let clock = clock(pid, group, ledger)?;
                self.hold(ledger, clock, (requests, per_iteration.get()))
            }
            Request::Release { ledger } => {
                let OutsideTurns { before_ns, after_ns } = self.gate(ledger)?.open();
                Ok(Answer::Released { ledger, before_ns, after_ns })
            }
            Request::Open {
                keep_alive,
                digest,
                protocol,
                tls,
                tickets,
                send_buffer,
                behaviour,
            } => {
                let handshakes = if tickets { Handshakes::Resumable } else { Handshakes::Full };
                let tls = tls.then_some(handshakes);
                let config =
                    ListenerConfig { protocol, tls, keep_alive, digest, send_buffer, behaviour };
                self.open(config)
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

    fn open(&mut self, config: ListenerConfig) -> Result<Answer, String> {
        config.check()?;
        let listener = Listener::open(SocketAddr::new(self.host, 0), config, &self.site)
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

fn clock(pid: i32, group: Option<PathBuf>, ledger: Id) -> Result<CpuClock, String> {
    match group {
        Some(folder) => CpuClock::of_group(&folder),
        None => CpuClock::of_process(pid),
    }
    .map_err(|error| format!("no CPU clock for ledger {ledger}: {error}"))
}

fn unknown(ledger: Id) -> String {
    format!("no ledger {ledger} is open")
}
