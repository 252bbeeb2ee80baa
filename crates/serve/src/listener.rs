//! A port with a ledger of its own.

use std::cell::Cell;
use std::io;
use std::net::SocketAddr;
use std::os::fd::AsRawFd as _;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::task::{AbortHandle, spawn_local};
use tokio::time::{MissedTickBehavior, interval, sleep};
use tokio_rustls::rustls::ServerConfig;

use crate::connection;
use crate::connections::Connections;
use crate::counting::CountingIo;
use crate::gate::Gate;
use crate::ledger::{Counters, Ledger};
use crate::protocol::Protocol;
use crate::record::{Record, Sweep};
use crate::site::Site;
use crate::tls;

const BACKLOG: u32 = 1024;

/// The pause after a connection could not be accepted, for want of file descriptors.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// Sweeps in the time that a request head may take.
const SWEEPS_A_HEAD: u32 = 10;

/// How connections over TLS begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Handshakes {
    /// Who has been there before resumes by a ticket.
    Resumable,
    /// In full every time: no tickets, and no memory of sessions.
    Full,
}

/// How a listener treats its connections.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Terms {
    /// What is spoken; the only protocol that is offered in TLS.
    pub protocol: Protocol,
    /// Whether it is spoken over TLS, and after which handshakes.
    pub tls: Option<Handshakes>,
    /// Whether connections of HTTP/1.1 are kept after an answer.
    pub keep_alive: bool,
    /// Whether uploads are hashed into the ledger.
    pub digest: bool,
    /// How many bytes wait in the kernel for a client at most (`SO_SNDBUF`, which doubles it);
    /// `None`: it is for the kernel to find out, connection by connection.
    pub send_buffer: Option<u32>,
}

impl Terms {
    /// HTTP/1.1 in the clear, on connections that are kept.
    pub const PLAIN: Self = Self {
        protocol: Protocol::Http1,
        tls: None,
        keep_alive: true,
        digest: false,
        send_buffer: None,
    };

    /// Why nobody could keep to these terms, if they contradict each other.
    fn check(self) -> Result<(), &'static str> {
        match self {
            Self { protocol: Protocol::H2, tls: None, .. } => Err("h2 needs tls"),
            Self { protocol: Protocol::H2c, tls: Some(_), .. } => Err("h2c goes without tls"),
            Self { protocol: Protocol::H2 | Protocol::H2c, keep_alive: false, .. } => {
                Err("connections of HTTP/2 are kept")
            }
            _ => Ok(()),
        }
    }
}

/// An open port, its connections and their ledger. All of them end when it is dropped.
#[derive(Debug)]
pub struct Listener {
    address: SocketAddr,
    authority_pem: Option<String>,
    ledger: Rc<Ledger>,
    connections: Rc<Connections>,
    tasks: [AbortHandle; 2],
}

impl Listener {
    /// Listens on `address`; must be called inside a `LocalSet`.
    pub fn open(address: SocketAddr, terms: Terms, site: Rc<Site>) -> io::Result<Self> {
        terms.check().map_err(|why| io::Error::new(io::ErrorKind::InvalidInput, why))?;
        let (authority_pem, tls) = match terms.tls {
            None => (None, None),
            Some(handshakes) => {
                let authority = site.authority(address.ip()).map_err(io::Error::other)?;
                let tls = tls::configured(authority, terms.protocol, handshakes);
                (Some(authority.pem().to_owned()), Some(tls.map_err(io::Error::other)?))
            }
        };
        let socket = if address.is_ipv4() { TcpSocket::new_v4() } else { TcpSocket::new_v6() }?;
        socket.set_reuseaddr(true)?;
        // Linux hands TCP_NODELAY on to accepted sockets, which saves a call for each.
        socket.set_nodelay(true)?;
        if let Some(bytes) = terms.send_buffer {
            socket.set_send_buffer_size(bytes)?; // handed on as well
        }
        socket.bind(address)?;
        let listener = socket.listen(BACKLOG)?;
        let address = listener.local_addr()?;
        let ledger = Rc::new(Ledger::new(terms.digest));
        let connections = Rc::new(Connections::default());
        let now = Rc::new(Cell::new(0));
        let sweeping = spawn_local(sweep(connections.clone(), now.clone(), site.clone()));
        let (of_ledger, open) = (ledger.clone(), connections.clone());
        let acceptor = Acceptor { ledger: of_ledger, connections: open, now, terms, tls, site };
        let accepting = spawn_local(acceptor.run(listener));
        let tasks = [accepting.abort_handle(), sweeping.abort_handle()];
        Ok(Self { address, authority_pem, ledger, connections, tasks })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The authority to trust, if it speaks TLS.
    pub fn authority_pem(&self) -> Option<&str> {
        self.authority_pem.as_deref()
    }

    /// The counts so far.
    pub fn counters(&self) -> Counters {
        self.ledger.counters(&self.connections.transports())
    }

    /// Where its requests can be held.
    pub fn gate(&self) -> Rc<Gate> {
        self.ledger.gate.clone()
    }

    /// Whether uploads are hashed into the ledger from now on.
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

struct Acceptor {
    ledger: Rc<Ledger>,
    connections: Rc<Connections>,
    now: Rc<Cell<Sweep>>,
    terms: Terms,
    tls: Option<Arc<ServerConfig>>,
    site: Rc<Site>,
}

impl Acceptor {
    async fn run(self, listener: TcpListener) {
        loop {
            match listener.accept().await {
                Ok((stream, _)) => self.serve(stream),
                Err(_) => sleep(ACCEPT_PAUSE).await,
            }
        }
    }

    fn serve(&self, stream: TcpStream) {
        let record = Record::open(self.ledger.clone(), stream.as_raw_fd(), self.now.clone());
        let io = CountingIo::new(stream, record.clone(), self.connections.clone());
        let (terms, site, served) = (self.terms, self.site.clone(), record.clone());
        let serving = match self.tls.clone() {
            None => spawn_local(connection::serve(io, terms, site, served)),
            Some(config) => spawn_local(tls::serve(io, config, terms, site, served)),
        };
        record.served_by(serving.abort_handle());
    }
}

/// Ends connections that keep the origin waiting. One timer for all costs a request nothing.
async fn sweep(connections: Rc<Connections>, now: Rc<Cell<Sweep>>, site: Rc<Site>) {
    let limits = &site.limits;
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
