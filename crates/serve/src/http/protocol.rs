//! What is spoken on a connection.

use serde::Deserialize;

/// A version of HTTP, and how it is known to both sides.
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
    /// Its identifier in ALPN (RFC 7301, section 6); `h2c` is reserved, and never negotiated.
    pub fn alpn(self) -> &'static str {
        match self {
            Self::Http1 => "http/1.1",
            Self::H2 => "h2",
            Self::H2c => "h2c",
        }
    }

    /// Whether a client that did not negotiate it can be understood all the same (RFC 9113,
    /// section 3.2, wants HTTP/2 over TLS to be negotiated).
    pub fn goes_without_alpn(self) -> bool {
        self == Self::Http1
    }
}

/// How the connections of a listener are served.
#[derive(Clone, Copy, Debug)]
pub struct HttpConfig {
    pub protocol: Protocol,
    /// Whether connections of HTTP/1.1 are kept after an answer.
    pub keep_alive: bool,
}
