//! TLS, by an authority that lives as long as the process.

use std::io::{self, ErrorKind, IoSlice};
use std::pin::Pin;
use std::rc::Rc;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use rcgen::{
    BasicConstraints, CertificateParams, DistinguishedName, DnType, ExtendedKeyUsagePurpose, IsCa,
    Issuer, KeyPair, KeyUsagePurpose,
};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::rustls::{self, HandshakeKind, ServerConfig, ServerConnection};
use tokio_rustls::server::TlsStream;

use crate::connection;
use crate::counting::CountingIo;
use crate::listener::Terms;
use crate::protocol::Protocol;
use crate::record::Record;
use crate::site::Site;

/// The names that the origin goes by.
const NAMES: [&str; 3] = ["localhost", "127.0.0.1", "::1"];

/// What both kinds of TLS listeners need. The keys never leave the process.
#[derive(Debug)]
pub struct Tls {
    authority_pem: String,
    http1: Arc<ServerConfig>,
    h2: Arc<ServerConfig>,
}

impl Tls {
    /// A new authority, and a certificate by it.
    pub fn new() -> Result<Self, String> {
        let (authority_pem, certificate, key) = certified().map_err(|error| error.to_string())?;
        let configured = |protocol| {
            configured(certificate.clone(), key.clone_key(), protocol)
                .map_err(|error| error.to_string())
        };
        Ok(Self {
            http1: configured(Protocol::Http1)?,
            h2: configured(Protocol::H2)?,
            authority_pem,
        })
    }

    /// The authority's certificate, for clients that are to trust it.
    pub fn authority_pem(&self) -> &str {
        &self.authority_pem
    }

    pub fn config(&self, protocol: Protocol) -> Arc<ServerConfig> {
        match protocol {
            Protocol::Http1 => self.http1.clone(),
            Protocol::H2 | Protocol::H2c => self.h2.clone(),
        }
    }
}

fn certified() -> Result<(String, CertificateDer<'static>, PrivateKeyDer<'static>), rcgen::Error> {
    let mut authority = CertificateParams::default();
    authority.distinguished_name = named("Fetchoff origin, an authority for this run only");
    authority.is_ca = IsCa::Ca(BasicConstraints::Constrained(0));
    authority.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
    let authority_key = KeyPair::generate()?;
    let authority_pem = authority.self_signed(&authority_key)?.pem();

    let mut leaf = CertificateParams::new(NAMES.map(String::from))?;
    leaf.distinguished_name = named("Fetchoff origin");
    leaf.is_ca = IsCa::ExplicitNoCa;
    leaf.key_usages = vec![KeyUsagePurpose::DigitalSignature];
    leaf.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
    // RFC 5280, section 4.2.1.1; strict clients miss it.
    leaf.use_authority_key_identifier_extension = true;
    let key = KeyPair::generate()?;
    let certificate = leaf.signed_by(&key, &Issuer::new(authority, authority_key))?;
    let key = PrivateKeyDer::Pkcs8(key.serialize_der().into());
    Ok((authority_pem, certificate.der().clone(), key))
}

fn named(name: &str) -> DistinguishedName {
    let mut names = DistinguishedName::new();
    names.push(DnType::CommonName, name);
    names
}

fn configured(
    certificate: CertificateDer<'static>,
    key: PrivateKeyDer<'static>,
    protocol: Protocol,
) -> Result<Arc<ServerConfig>, rustls::Error> {
    let mut config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()?
        .with_no_client_auth()
        .with_single_cert(vec![certificate], key)?;
    config.alpn_protocols = vec![protocol.alpn().into()];
    config.ticketer = ring::Ticketer::new()?;
    Ok(Arc::new(config))
}

/// Shakes hands, and answers requests.
pub async fn serve(
    io: CountingIo,
    config: Arc<ServerConfig>,
    terms: Terms,
    site: Rc<Site>,
    record: Rc<Record>,
) {
    let Ok(stream) = TlsAcceptor::from(config).accept(io).await else {
        record.ledger.handshakes_failed.add(1);
        return;
    };
    let is_agreed = agreed(stream.get_ref().1, terms.protocol, &record);
    record.handshake_done();
    if is_agreed {
        let plaintext = Plaintext { stream, record: record.clone() };
        Box::pin(connection::serve(plaintext, terms, site, record)).await;
    }
}

/// Enters the handshake into the ledger; whether the client can be served.
fn agreed(session: &ServerConnection, protocol: Protocol, record: &Record) -> bool {
    let ledger = &record.ledger;
    match session.handshake_kind() {
        Some(HandshakeKind::Resumed) => ledger.handshakes_resumed.add(1),
        _ => ledger.handshakes_full.add(1),
    }
    // The one protocol that was offered, or none.
    let is_chosen = session.alpn_protocol().is_some();
    ledger.chosen(if is_chosen { protocol.alpn() } else { "none" });
    is_chosen || protocol.goes_without_alpn()
}

/// The inner side of TLS. Clients that end without a farewell are none the worse for it.
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
        // A farewell inside TLS comes before the connection's own end.
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
