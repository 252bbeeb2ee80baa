//! One connection, from its first byte to its end.
//!
//! Other protocols find their place in [`serve`]: TLS wraps `io` before it comes here, and HTTP/2 is
//! another [`Protocol`].

use std::rc::Rc;

use hyper::server::conn::http1;
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite};

use crate::record::Record;
use crate::service::Requests;
use crate::site::Site;

/// What is spoken on a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Protocol {
    /// HTTP/1.1 and HTTP/1.0, with or without persistent connections.
    Http1 { keep_alive: bool },
}

/// Answers requests until either side ends the connection.
pub async fn serve<Io>(io: Io, protocol: Protocol, site: Rc<Site>, record: Rc<Record>)
where
    Io: AsyncRead + AsyncWrite + Unpin + 'static,
{
    match protocol {
        Protocol::Http1 { keep_alive } => serve_http1(io, keep_alive, site, record).await,
    }
}

async fn serve_http1<Io>(io: Io, keep_alive: bool, site: Rc<Site>, record: Rc<Record>)
where
    Io: AsyncRead + AsyncWrite + Unpin + 'static,
{
    let requests = Requests::new(site.clone(), record.clone());
    let mut connection = http1::Builder::new()
        .keep_alive(keep_alive)
        .max_header_size(site.limits.head_bytes)
        .header_read_timeout(None)
        .serve_connection(TokioIo::new(io), requests);
    if let Err(error) = (&mut connection).await
        && (error.is_parse() || error.is_incomplete_message())
    {
        record.malformed();
        record.refuse_content();
    }
    if record.content_refused() {
        linger(connection.into_parts().io.into_inner(), &site).await;
    }
}

/// Closing while the client still sends would reset the connection, and the client could lose the
/// answer that tells it why (RFC 9112, section 9.6).
async fn linger(mut io: impl AsyncRead + Unpin, site: &Site) {
    let mut dropped = [0; 16 << 10];
    let reading = async { while io.read(&mut dropped).await.is_ok_and(|bytes| bytes > 0) {} };
    let _ = tokio::time::timeout(site.limits.linger, reading).await;
}
