//! A listener: a port with a ledger of its own.

use std::cell::Cell;
use std::io;
use std::net::SocketAddr;
use std::rc::Rc;
use std::time::Duration;

use tokio::task::{AbortHandle, spawn_local};
use tokio::time::{MissedTickBehavior, interval};

use crate::ledger::counters::{Counters, Ledger};
use crate::ledger::events::Sweep;
use crate::ledger::watch::Event;
use crate::limits::Limits;
use crate::transport::config::ListenerConfig;
use crate::transport::connections::Connections;
use crate::transport::site::Site;
use crate::transport::tcp::{self, Acceptor};
use crate::transport::tls;
use crate::turns::cpu_clock::CpuClock;
use crate::turns::gate::Gate;

/// The number of sweeps in the time that a request head may take.
const SWEEPS_A_HEAD: u32 = 10;

/// An open port, its connections and their ledger. Dropping it closes all of them.
#[derive(Debug)]
pub struct Listener {
    address: SocketAddr,
    authority_pem: Option<String>,
    ledger: Rc<Ledger>,
    connections: Rc<Connections>,
    tasks: [AbortHandle; 2],
}

impl Listener {
    /// Listens on `address`. Call this inside a `LocalSet`.
    pub fn open(address: SocketAddr, config: ListenerConfig, site: &Site) -> io::Result<Self> {
        config.check().map_err(|why| io::Error::new(io::ErrorKind::InvalidInput, why))?;
        let (authority_pem, tls) = match config.tls {
            None => (None, None),
            Some(handshakes) => {
                let authority = site.authority(address.ip()).map_err(io::Error::other)?;
                let tls = tls::server_config(authority, config.protocol, handshakes);
                (Some(authority.pem().to_owned()), Some(tls.map_err(io::Error::other)?))
            }
        };
        let listener = tcp::listen(address, config.send_buffer)?;
        let address = listener.local_addr()?;
        let ledger = Rc::new(Ledger::new(config.digest));
        let connections = Rc::new(Connections::default());
        let now = Rc::new(Cell::new(0));
        let resources = site.resources.clone();
        let limits = &resources.limits;
        let sweeping = spawn_local(sweep(connections.clone(), now.clone(), limits.clone()));
        let acceptor = Acceptor {
            ledger: ledger.clone(),
            connections: connections.clone(),
            now,
            http: config.http(),
            tls,
            resources,
        };
        let accepting = spawn_local(acceptor.run(listener));
        let tasks = [accepting.abort_handle(), sweeping.abort_handle()];
        Ok(Self { address, authority_pem, ledger, connections, tasks })
    }

    /// The address that it listens on.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The certificate of the authority to trust, in PEM, if it speaks TLS.
    pub fn authority_pem(&self) -> Option<&str> {
        self.authority_pem.as_deref()
    }

    /// The counts so far.
    pub fn counters(&self) -> Counters {
        self.ledger.counters(&self.connections.tcp_info())
    }

    /// Keeps `most` events at most from now on, with this clock of the client.
    pub(crate) fn watch(&self, clock: Option<CpuClock>, most: usize) {
        self.ledger.watch.begin(clock, most);
        self.note_tcp_info();
    }

    /// The events since then, and how many did not fit in; `None` if nobody watched.
    pub(crate) fn end_watch(&self) -> Option<(Vec<Event>, u64)> {
        self.note_tcp_info();
        self.ledger.watch.end()
    }

    fn note_tcp_info(&self) {
        self.connections.all().iter().for_each(|record| record.note_tcp_info());
    }

    /// The gate that can hold its requests.
    pub fn gate(&self) -> Rc<Gate> {
        self.ledger.gate.clone()
    }

    /// Sets whether uploads are hashed into the ledger from now on.
    pub fn set_digest(&self, on: bool) {
        self.ledger.set_digest(on);
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        self.ledger.gate.open();
        self.tasks.iter().for_each(AbortHandle::abort);
        self.connections.all().iter().for_each(|record| record.abort());
    }
}

/// Ends connections that keep the origin waiting. All connections share one timer, so that requests
/// need none.
async fn sweep(connections: Rc<Connections>, now: Rc<Cell<Sweep>>, limits: Limits) {
    let period = (limits.head_timeout / SWEEPS_A_HEAD).max(Duration::from_millis(1));
    let idle_sweeps = (limits.idle_timeout.as_nanos() / period.as_nanos()) as Sweep;
    let mut ticks = interval(period);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        ticks.tick().await;
        now.set(now.get() + 1);
        for record in connections.all() {
            record.sweep(SWEEPS_A_HEAD.into(), idle_sweeps);
        }
    }
}
