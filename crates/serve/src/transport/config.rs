//! How a listener treats its connections.

use crate::http::protocol::{HttpConfig, Protocol};

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
pub struct ListenerConfig {
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

impl ListenerConfig {
    /// HTTP/1.1 in the clear, on connections that are kept.
    pub const PLAIN: Self = Self {
        protocol: Protocol::Http1,
        tls: None,
        keep_alive: true,
        digest: false,
        send_buffer: None,
    };

    /// Why nobody could keep to these terms, if they contradict each other.
    pub(crate) fn check(self) -> Result<(), &'static str> {
        match self {
            Self { protocol: Protocol::H2, tls: None, .. } => Err("h2 needs tls"),
            Self { protocol: Protocol::H2c, tls: Some(_), .. } => Err("h2c goes without tls"),
            Self { protocol: Protocol::H2 | Protocol::H2c, keep_alive: false, .. } => {
                Err("connections of HTTP/2 are kept")
            }
            _ => Ok(()),
        }
    }

    /// What concerns HTTP only.
    pub(crate) fn http(self) -> HttpConfig {
        HttpConfig { protocol: self.protocol, keep_alive: self.keep_alive }
    }
}
