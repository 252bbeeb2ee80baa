//! TLS by rustls: handshakes are counted, and what is inside goes to `http`.

use std::io::{self, ErrorKind, IoSlice};
use std::pin::Pin;
use std::rc::Rc;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::server::NoServerSessionStorage;
use tokio_rustls::rustls::{self, HandshakeKind, ProtocolVersion, ServerConfig, ServerConnection};
use tokio_rustls::server::TlsStream;

use crate::http::connection;
use crate::http::protocol::{HttpConfig, Protocol};
use crate::ledger::events::Record;
use crate::ledger::watch::What;
use crate::routes::resources::Resources;
use crate::transport::authority::Authority;
use crate::transport::config::Handshakes;
use crate::transport::counting::CountingIo;

/// The TLS configuration of one listener. Tickets are valid for this listener only.
pub fn server_config(
    authority: &Authority,
    protocol: Protocol,
    handshakes: Handshakes,
) -> Result<Arc<ServerConfig>, rustls::Error> {
    let mut config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()?
        .with_no_client_auth()
        .with_single_cert(vec![authority.certificate()], authority.key())?;
    config.alpn_protocols = vec![protocol.alpn().into()];
    match handshakes {
        Handshakes::Resumable => config.ticketer = ring::Ticketer::new()?,
        Handshakes::Full => {
            config.send_tls13_tickets = 0;
            config.session_storage = Arc::new(NoServerSessionStorage {});
        }
    }
    Ok(Arc::new(config))
}

/// Does the handshake, and serves the connection.
pub async fn serve(
    io: CountingIo,
    config: Arc<ServerConfig>,
    http: HttpConfig,
    resources: Rc<Resources>,
    record: Rc<Record>,
) {
    let Ok(stream) = TlsAcceptor::from(config).accept(io).await else {
        record.ledger.handshakes_failed.add(1);
        return;
    };
    let is_agreed = agreed(stream.get_ref().1, http.protocol, &record);
    record.handshake_done();
    if is_agreed {
        let plaintext = Plaintext { stream, record: record.clone() };
        Box::pin(connection::serve(plaintext, http, resources, record)).await;
    }
}

/// Enters the handshake into the ledger. Returns whether the client can be served.
fn agreed(session: &ServerConnection, protocol: Protocol, record: &Record) -> bool {
    let ledger = &record.ledger;
    match session.handshake_kind() {
        Some(HandshakeKind::Resumed) => ledger.handshakes_resumed.add(1),
        _ => ledger.handshakes_full.add(1),
    }
    // Either the one protocol that was offered, or none.
    let is_chosen = session.alpn_protocol().is_some();
    ledger.chosen(if is_chosen { protocol.alpn() } else { "none" });
    record.note(|| handshaken(session));
    is_chosen || protocol.goes_without_alpn()
}

fn handshaken(session: &ServerConnection) -> What {
    What::Handshaken {
        is_resumed: session.handshake_kind() == Some(HandshakeKind::Resumed),
        version: match session.protocol_version() {
            Some(ProtocolVersion::TLSv1_3) => "1.3",
            _ => "1.2",
        },
        protocol: session
            .alpn_protocol()
            .map(|name| String::from_utf8_lossy(name).into_owned())
            .unwrap_or_default(),
    }
}

/// The decrypted side of TLS. A client that closes without `close_notify` causes no error.
#[derive(Debug)]
struct Plaintext {
    stream: TlsStream<CountingIo>,
    record: Rc<Record>,
}

impl AsyncRead for Plaintext {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let outcome = match ready!(Pin::new(&mut self.stream).poll_read(cx, buffer)) {
            Err(error) if error.kind() == ErrorKind::UnexpectedEof => Ok(()),
            outcome => outcome,
        };
        // `close_notify` comes before the end of the TCP connection.
        if outcome.is_ok() && buffer.filled().len() == before && buffer.remaining() > 0 {
            self.record.closed_by_client();
        }
        Poll::Ready(outcome)
    }
}

impl AsyncWrite for Plaintext {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(cx, bytes)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        pieces: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write_vectored(cx, pieces)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}
