//! TCP: the socket of a listener, and the connections that it accepts.

use std::cell::Cell;
use std::io;
use std::net::SocketAddr;
use std::os::fd::AsRawFd as _;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::task::spawn_local;
use tokio::time::sleep;
use tokio_rustls::rustls::ServerConfig;

use crate::http::connection;
use crate::http::protocol::HttpConfig;
use crate::ledger::counters::Ledger;
use crate::ledger::events::{Record, Sweep};
use crate::routes::resources::Resources;
use crate::transport::connections::Connections;
use crate::transport::counting::CountingIo;
use crate::transport::tls;

const BACKLOG: u32 = 1024;

/// The pause after a connection could not be accepted because file descriptors had run out.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// Listens on `address`; accepted sockets inherit `TCP_NODELAY` and `send_buffer` (`SO_SNDBUF`).
pub fn listen(address: SocketAddr, send_buffer: Option<u32>) -> io::Result<TcpListener> {
    let socket = if address.is_ipv4() { TcpSocket::new_v4() } else { TcpSocket::new_v6() }?;
    socket.set_reuseaddr(true)?;
    // On Linux accepted sockets inherit it, which saves a call for each.
    socket.set_nodelay(true)?;
    if let Some(bytes) = send_buffer {
        socket.set_send_buffer_size(bytes)?; // inherited as well
    }
    socket.bind(address)?;
    socket.listen(BACKLOG)
}

/// Accepts connections, and starts a task for each.
pub struct Acceptor {
    pub ledger: Rc<Ledger>,
    pub connections: Rc<Connections>,
    pub now: Rc<Cell<Sweep>>,
    pub http: HttpConfig,
    pub tls: Option<Arc<ServerConfig>>,
    pub resources: Rc<Resources>,
}

impl Acceptor {
    /// Accepts connections for ever. Run this inside a `LocalSet`.
    pub async fn run(self, listener: TcpListener) {
        loop {
            match listener.accept().await {
                Ok((stream, peer)) => self.serve(stream, peer.port()),
                Err(_) => sleep(ACCEPT_PAUSE).await,
            }
        }
    }

    fn serve(&self, stream: TcpStream, port: u16) {
        let (ledger, now) = (self.ledger.clone(), self.now.clone());
        let record = Record::open(ledger, stream.as_raw_fd(), port, now);
        let connections = self.connections.clone();
        let quick_ack = self.http.behaviour.quick_ack;
        let io = CountingIo::new(stream, record.clone(), connections, quick_ack);
        let (http, resources, served) = (self.http, self.resources.clone(), record.clone());
        let serving = match self.tls.clone() {
            None => spawn_local(connection::serve(io, http, resources, served)),
            Some(config) => spawn_local(tls::serve(io, config, http, resources, served)),
        };
        record.served_by(serving.abort_handle());
    }
}
