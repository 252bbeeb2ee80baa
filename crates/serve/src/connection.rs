//! One connection, from its first byte to its end. TLS wraps `io` before it comes here.

use std::future::poll_fn;
use std::pin::pin;
use std::rc::Rc;

use hyper::rt::Executor;
use hyper::server::conn::{http1, http2};
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite};
use tokio::task::spawn_local;

use crate::frames::CountingFrames;
use crate::limits::{CONNECTION_WINDOW, STREAM_WINDOW, STREAMS};
use crate::listener::Terms;
use crate::protocol::Protocol;
use crate::record::Record;
use crate::service::Requests;
use crate::site::Site;

/// Answers requests until either side ends the connection.
pub async fn serve<Io>(io: Io, terms: Terms, site: Rc<Site>, record: Rc<Record>)
where
    Io: AsyncRead + AsyncWrite + Unpin + 'static,
{
    match terms.protocol {
        Protocol::Http1 => serve_http1(io, terms.keep_alive, site, record).await,
        // Boxed, so that connections of HTTP/1.1 do not carry its size.
        Protocol::H2 | Protocol::H2c => Box::pin(serve_http2(io, site, record)).await,
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

async fn serve_http2<Io>(io: Io, site: Rc<Site>, record: Rc<Record>)
where
    Io: AsyncRead + AsyncWrite + Unpin + 'static,
{
    record.multiplexed();
    let io = TokioIo::new(CountingFrames::new(io, record.clone()));
    let requests = Requests::new(site.clone(), record.clone());
    let connection = http2::Builder::new(OnThisThread)
        .initial_stream_window_size(STREAM_WINDOW)
        .initial_connection_window_size(CONNECTION_WINDOW)
        .max_concurrent_streams(STREAMS)
        .max_header_list_size(u32::try_from(site.limits.head_bytes).unwrap_or(u32::MAX))
        .serve_connection(io, requests);
    let mut connection = pin!(connection);
    let served = poll_fn(|cx| {
        if record.takes_leave() {
            connection.as_mut().graceful_shutdown();
        }
        connection.as_mut().poll(cx)
    });
    if served.await.is_err() && !record.was_closed_by_client() {
        record.malformed();
    }
}

/// Streams are tasks of the thread that serves their connection.
#[derive(Clone, Copy, Debug)]
struct OnThisThread;

impl<Stream> Executor<Stream> for OnThisThread
where
    Stream: Future<Output = ()> + 'static,
{
    fn execute(&self, stream: Stream) {
        spawn_local(stream);
    }
}
