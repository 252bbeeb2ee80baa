//! How bytes come and go: listeners, TCP and TLS. A listener accepts connections on a port of its
//! own, has their bytes counted on the socket, and hands each connection to `http`, over TLS if its
//! configuration says so. Another transport is another module here, beside `tcp` and `tls`.

pub mod authority;
pub mod config;
mod connections;
mod counting;
pub mod listener;
pub mod site;
mod tcp;
mod tls;
