//! One HTTP connection from its first byte to its end, by hyper. TLS, if any, is already part of
//! `io`.

use std::future::poll_fn;
use std::pin::pin;
use std::rc::Rc;
use std::time::Duration;

use hyper::rt::Executor;
use hyper::server::conn::{http1, http2};
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite};
use tokio::task::spawn_local;
use tokio::time::{sleep, timeout};

use crate::http::behaviour::{Behaviour, Continue};
use crate::http::frames::CountingFrames;
use crate::http::protocol::{HttpConfig, Protocol};
use crate::http::service::Requests;
use crate::http::silence::Silent;
use crate::http::voice::{Voice, Voiced};
use crate::ledger::events::Record;
use crate::limits::{CONNECTION_WINDOW, STREAM_WINDOW, STREAMS};
use crate::routes::resources::Resources;

/// The pause between two looks at what a client has acknowledged.
const LOOK_AGAIN: Duration = Duration::from_millis(1);

/// The most bytes that are read and dropped at once.
const DROPPED_BYTES: usize = 16 << 10;

/// Answers the requests of one connection until either side closes it.
pub async fn serve<Io>(io: Io, config: HttpConfig, resources: Rc<Resources>, record: Rc<Record>)
where
    Io: AsyncRead + AsyncWrite + Unpin + 'static,
{
    let HttpConfig { protocol, behaviour, .. } = config;
    let voice = behaviour.silent_after.map(Voice::of);
    let requests = Requests::new(resources.clone(), record.clone(), behaviour, voice.clone());
    match (protocol, voice) {
        (Protocol::Http1, Some(voice)) => {
            let io = Voiced::new(io, voice);
            Box::pin(serve_http1(io, config, requests, (resources, record))).await;
        }
        (Protocol::Http1, None) if behaviour.continues == Continue::Never => {
            Box::pin(serve_http1(Silent(io), config, requests, (resources, record))).await;
        }
        (Protocol::Http1, None) => serve_http1(io, config, requests, (resources, record)).await,
        // In a box of its own, because it is larger than what HTTP/1.1 needs.
        (Protocol::H2 | Protocol::H2c, None) => {
            let io = CountingFrames::new(io, record.clone(), None);
            Box::pin(serve_http2(io, behaviour, requests, (resources, record))).await;
        }
        // Frames that nobody hears are not counted.
        (Protocol::H2 | Protocol::H2c, Some(voice)) => {
            let io = CountingFrames::new(io, record.clone(), Some(voice.clone()));
            let io = Voiced::new(io, voice);
            Box::pin(serve_http2(io, behaviour, requests, (resources, record))).await;
        }
    }
}

async fn serve_http1<Io>(
    io: Io,
    config: HttpConfig,
    requests: Requests,
    (resources, record): (Rc<Resources>, Rc<Record>),
) where
    Io: AsyncRead + AsyncWrite + Unpin + 'static,
{
    // `half_close` stays off: the system of a client that dies sends the same FIN as a client that
    // ends its side alone, and a request that is held or delayed must be given up then.
    let mut connection = http1::Builder::new()
        .keep_alive(config.keep_alive)
        .max_header_size(resources.limits.head_bytes)
        .header_read_timeout(None)
        .serve_connection(TokioIo::new(io), requests);
    if let Err(error) = (&mut connection).await
        && (error.is_parse() || error.is_incomplete_message())
        && !record.is_answering()
    {
        record.malformed();
        record.refuse_content();
    }
    if record.content_refused() {
        let (io, patience) = (connection.into_parts().io.into_inner(), resources.limits.linger);
        match record.content_ignored() {
            Some(pause) => ignore(&record, pause, patience).await,
            None => linger(io, patience).await,
        }
    }
}

/// Reads nothing for a while, and until the client's system has the answer: then the connection may
/// be closed without losing it (RFC 9112, section 9.6). Closing resets it, as content is unread.
async fn ignore(record: &Record, pause: Duration, patience: Duration) {
    sleep(pause).await;
    let acknowledged = async {
        while !record.is_acknowledged() {
            sleep(LOOK_AGAIN).await;
        }
    };
    let _ = timeout(patience, acknowledged).await;
}

/// Reads and drops for a while what the client still sends. Closing at once would reset the
/// connection, and the client could lose the answer that tells it why (RFC 9112, section 9.6).
async fn linger(mut io: impl AsyncRead + Unpin, patience: Duration) {
    // Not an array, which would be part of the task of every connection.
    let mut dropped = vec![0; DROPPED_BYTES];
    let reading = async { while io.read(&mut dropped).await.is_ok_and(|bytes| bytes > 0) {} };
    let _ = timeout(patience, reading).await;
}

async fn serve_http2<Io>(
    io: Io,
    behaviour: Behaviour,
    requests: Requests,
    (resources, record): (Rc<Resources>, Rc<Record>),
) where
    Io: AsyncRead + AsyncWrite + Unpin + 'static,
{
    record.multiplexed();
    let connection = http2::Builder::new(OnThisThread)
        .initial_stream_window_size(behaviour.stream_window.unwrap_or(STREAM_WINDOW))
        .initial_connection_window_size(behaviour.connection_window.unwrap_or(CONNECTION_WINDOW))
        .max_frame_size(behaviour.frame_bytes)
        .max_concurrent_streams(behaviour.streams.unwrap_or(STREAMS))
        .max_header_list_size(u32::try_from(resources.limits.head_bytes).unwrap_or(u32::MAX))
        .serve_connection(TokioIo::new(io), requests);
    let mut connection = pin!(connection);
    let served = poll_fn(|cx| {
        if record.shutdown_asked_for() {
            connection.as_mut().graceful_shutdown();
        }
        connection.as_mut().poll(cx)
    });
    if served.await.is_err() && !record.was_closed_by_client() {
        record.malformed();
    }
}

/// Runs the tasks of HTTP/2 streams on the thread that serves their connection.
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
