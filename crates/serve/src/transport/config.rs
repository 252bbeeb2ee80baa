//! The configuration of a listener.

use crate::http::behaviour::Behaviour;
use crate::http::protocol::{HttpConfig, Protocol};

/// Which TLS handshakes are possible.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Handshakes {
    /// A client that has connected before can resume its session by a ticket.
    Resumable,
    /// Every handshake is a full one: no tickets are issued and no sessions remembered.
    Full,
}

/// How a listener treats its connections.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ListenerConfig {
    /// The protocol, and the only one that ALPN offers.
    pub protocol: Protocol,
    /// Whether it is spoken over TLS, and which handshakes are possible.
    pub tls: Option<Handshakes>,
    /// Whether HTTP/1.1 connections stay open after an answer.
    pub keep_alive: bool,
    /// Whether uploads are hashed into the ledger.
    pub digest: bool,
    /// The size of the kernel's send buffer for each connection (`SO_SNDBUF`, which doubles it).
    /// `None`: the kernel adjusts it, connection by connection.
    pub send_buffer: Option<u32>,
    /// What is toggled.
    pub behaviour: Behaviour,
}

impl ListenerConfig {
    /// HTTP/1.1 in the clear, on connections that stay open.
    pub const PLAIN: Self = Self {
        protocol: Protocol::Http1,
        tls: None,
        keep_alive: true,
        digest: false,
        send_buffer: None,
        behaviour: Behaviour::ORDINARY,
    };

    /// Fails if settings contradict each other, and says which.
    pub(crate) fn check(self) -> Result<(), &'static str> {
        match self {
            Self { protocol: Protocol::H2, tls: None, .. } => Err("h2 needs tls"),
            Self { protocol: Protocol::H2c, tls: Some(_), .. } => Err("h2c goes without tls"),
            Self { protocol: Protocol::H2 | Protocol::H2c, keep_alive: false, .. } => {
                Err("connections of HTTP/2 are kept")
            }
            Self { protocol: Protocol::H2 | Protocol::H2c, behaviour, .. } => {
                behaviour.check_for_http2().and_then(|()| behaviour.check())
            }
            _ => self.behaviour.check(),
        }
    }

    /// The part of the configuration that concerns HTTP.
    pub(crate) fn http(self) -> HttpConfig {
        let Self { protocol, keep_alive, behaviour, .. } = self;
        HttpConfig { protocol, keep_alive, behaviour }
    }
}
