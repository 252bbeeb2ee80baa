//! The versions of HTTP that a listener can speak.

use serde::Deserialize;

use crate::http::behaviour::Behaviour;

/// The one version of HTTP that a listener speaks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
pub enum Protocol {
    /// HTTP/1.1 and HTTP/1.0, in the clear or over TLS.
    #[default]
    #[serde(rename = "http/1.1")]
    Http1,
    /// HTTP/2 over TLS.
    #[serde(rename = "h2")]
    H2,
    /// HTTP/2 in the clear, by prior knowledge (RFC 9113, section 3.3).
    #[serde(rename = "h2c")]
    H2c,
}

impl Protocol {
    /// The identifier in ALPN (RFC 7301, section 6). `h2c` is reserved, but never negotiated.
    pub fn alpn(self) -> &'static str {
        match self {
            Self::Http1 => "http/1.1",
            Self::H2 => "h2",
            Self::H2c => "h2c",
        }
    }

    /// Whether a client that negotiated nothing by ALPN is served. HTTP/2 over TLS must be
    /// negotiated (RFC 9113, section 3.2).
    pub fn goes_without_alpn(self) -> bool {
        self == Self::Http1
    }
}

/// How HTTP is spoken on the connections of a listener.
#[derive(Clone, Copy, Debug)]
pub struct HttpConfig {
    /// The version of HTTP.
    pub protocol: Protocol,
    /// Whether HTTP/1.1 connections stay open after an answer.
    pub keep_alive: bool,
    /// What is toggled.
    pub behaviour: Behaviour,
}
