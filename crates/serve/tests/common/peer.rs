//! TLS and HTTP/2 clients, by the same libraries as the origin.

#![allow(dead_code, missing_docs, clippy::unwrap_used)]

use std::io;
use std::sync::Arc;

use bytes::Bytes;
use http_body_util::{BodyExt as _, Full};
use hyper::client::conn::{http1, http2};
use hyper::header::HeaderMap;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::{TokioExecutor, TokioIo};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::runtime;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::pem::PemObject as _;
use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName};
use tokio_rustls::rustls::{
    ClientConfig, DEFAULT_VERSIONS, RootCertStore, SupportedProtocolVersion,
};

use super::Origin;

pub fn wait_for<T>(test: impl Future<Output = T>) -> T {
    runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(test)
}

/// A connector that trusts the origin, offers these protocols, and can resume sessions.
pub fn trusting(origin: &Origin, alpn: &[&str]) -> TlsConnector {
    connector(&[authority(origin)], alpn)
}

/// The same, in one version of TLS only.
pub fn trusting_in(
    version: &'static SupportedProtocolVersion,
    origin: &Origin,
    alpn: &[&str],
) -> TlsConnector {
    connector_in(&[version], &[authority(origin)], alpn)
}

fn authority(origin: &Origin) -> CertificateDer<'static> {
    let pem = origin.authority_pem.as_ref().unwrap();
    CertificateDer::from_pem_slice(pem.as_bytes()).unwrap()
}

pub fn connector(authorities: &[CertificateDer<'static>], alpn: &[&str]) -> TlsConnector {
    connector_in(DEFAULT_VERSIONS, authorities, alpn)
}

fn connector_in(
    versions: &[&'static SupportedProtocolVersion],
    authorities: &[CertificateDer<'static>],
    alpn: &[&str],
) -> TlsConnector {
    let mut roots = RootCertStore::empty();
    for authority in authorities {
        roots.add(authority.clone()).unwrap();
    }
    let mut config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_protocol_versions(versions)
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    config.alpn_protocols = alpn.iter().map(|name| (*name).into()).collect();
    TlsConnector::from(Arc::new(config))
}

pub async fn secured(
    origin: &Origin,
    connector: &TlsConnector,
    name: &'static str,
) -> io::Result<TlsStream<TcpStream>> {
    let stream = TcpStream::connect(origin.address).await?;
    connector.connect(ServerName::try_from(name).unwrap(), stream).await
}

/// An answer, read to its end or to the point where it broke off.
#[derive(Debug)]
pub struct Reply {
    pub status: StatusCode,
    pub fields: HeaderMap,
    pub content: Result<Bytes, hyper::Error>,
}

impl Reply {
    async fn of(response: Response<hyper::body::Incoming>) -> Self {
        let (head, content) = response.into_parts();
        let content = content.collect().await.map(http_body_util::Collected::to_bytes);
        Self { status: head.status, fields: head.headers, content }
    }

    pub fn json(self) -> serde_json::Value {
        serde_json::from_slice(&self.content.unwrap()).unwrap()
    }
}

pub fn request(method: &Method, uri: &str, content: impl Into<Bytes>) -> Request<Full<Bytes>> {
    Request::builder()
        .method(method)
        .uri(uri)
        .header("host", "origin")
        .body(Full::new(content.into()))
        .unwrap()
}

pub async fn http1_get(io: impl AsyncRead + AsyncWrite + Unpin + 'static, target: &str) -> Reply {
    let (mut sender, connection) = http1::handshake(TokioIo::new(io)).await.unwrap();
    let answered = async {
        let request = request(&Method::GET, target, "");
        let reply = Reply::of(sender.send_request(request).await.unwrap()).await;
        drop(sender);
        reply
    };
    let (reply, ended) = tokio::join!(answered, connection);
    ended.unwrap();
    reply
}

/// An HTTP/2 connection. It lasts until the last clone is dropped.
#[derive(Clone)]
pub struct Http2(http2::SendRequest<Full<Bytes>>);

impl Http2 {
    pub async fn in_the_clear(origin: &Origin) -> Self {
        Self::on(TcpStream::connect(origin.address).await.unwrap()).await
    }

    pub async fn on(io: impl AsyncRead + AsyncWrite + Unpin + Send + 'static) -> Self {
        let builder = http2::Builder::new(TokioExecutor::new());
        let (sender, connection) = builder.handshake(TokioIo::new(io)).await.unwrap();
        tokio::spawn(connection);
        Self(sender)
    }

    pub async fn ask(&self, method: Method, target: &str, content: impl Into<Bytes>) -> Reply {
        let mut sender = self.0.clone();
        sender.ready().await.unwrap();
        let mut request = request(&method, &format!("http://origin{target}"), content);
        request.headers_mut().remove("host");
        Reply::of(sender.send_request(request).await.unwrap()).await
    }

    pub async fn get(&self, target: &str) -> Reply {
        self.ask(Method::GET, target, "").await
    }

    pub fn is_closed(&self) -> bool {
        self.0.is_closed()
    }
}
