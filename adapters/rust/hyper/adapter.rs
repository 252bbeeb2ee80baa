//! hyper: the Client of hyper-util, which keeps connections, with hyper-rustls for TLS. Longer than
//! most: three libraries are put together here, as their users have to.

use std::io::Write;

use fetchoff_kit::{AsyncClient, Bytes, Description, Exchange, Lock, Protocol, Request};
use fetchoff_kit::{Result, Settings, Tasks, serve};
use http_body_util::{BodyExt, Full};
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use rustls::pki_types::{CertificateDer, pem::PemObject};
use rustls::{ClientConfig, RootCertStore};

#[derive(Clone)]
struct Hyper(Client<HttpsConnector<HttpConnector>, Full<Bytes>>);

impl AsyncClient for Hyper {
    fn open(settings: &Settings) -> Result<Self> {
        let mut client = Client::builder(TokioExecutor::new());
        client.http2_only(settings.protocol != Protocol::Http1);
        if settings.is_fresh() {
            client.pool_max_idle_per_host(0);
        }
        if let Ok(bytes) = std::env::var("HTTP2_WINDOW_BYTES") {
            let bytes: u32 = bytes.parse()?;
            client.http2_initial_stream_window_size(bytes);
            client.http2_initial_connection_window_size(bytes);
        }
        Ok(Self(client.build(connector(settings)?)))
    }

    async fn send(&self, exchange: &mut Exchange) -> Result<()> {
        let Exchange { request, answer } = exchange;
        let response = self.0.request(describe(request)?).await?;
        let status = response.status().as_u16();
        let mut content = response.into_body();
        if !answer.is_streamed() {
            return answer.whole(status, &content.collect().await?.to_bytes());
        }
        while let Some(frame) = content.frame().await {
            if let Ok(data) = frame?.into_data() {
                answer.write_all(&data)?;
            }
        }
        answer.end(status)
    }
}

fn connector(settings: &Settings) -> Result<HttpsConnector<HttpConnector>> {
    let mut http = HttpConnector::new();
    http.enforce_http(false);
    http.set_connect_timeout(settings.timeout.connect);
    if let Some(nodelay) = settings.switch("tcp_nodelay").or_else(variant) {
        http.set_nodelay(nodelay);
    }
    let https = HttpsConnectorBuilder::new();
    let https = match settings.authority()? {
        Some(pem) => https.with_tls_config(trusting(&pem)?),
        None => https.with_native_roots()?,
    };
    let https = https.https_or_http();
    Ok(match settings.protocol {
        Protocol::Http1 => https.enable_http1().wrap_connector(http),
        _ => https.enable_http2().wrap_connector(http),
    })
}

/// What a variant of this client asks of its sockets.
fn variant() -> Option<bool> {
    std::env::var("TCP_NODELAY").ok().map(|it| it == "1")
}

fn trusting(pem: &[u8]) -> Result<ClientConfig> {
    let mut roots = RootCertStore::empty();
    for certificate in CertificateDer::pem_slice_iter(pem) {
        roots.add(certificate?)?;
    }
    Ok(ClientConfig::builder().with_root_certificates(roots).with_no_client_auth())
}

fn describe(request: &Request) -> Result<hyper::Request<Full<Bytes>>> {
    let mut builder = hyper::Request::builder().method(&*request.method).uri(&request.url);
    for (name, value) in &request.headers {
        builder = builder.header(name, value);
    }
    Ok(match request.encode()? {
        None => builder.body(Full::default())?,
        Some(body) => {
            builder.header("Content-Type", body.content_type).body(Full::new(body.content))?
        }
    })
}

fn main() -> std::io::Result<()> {
    let lock = Lock(include_str!("Cargo.lock"));
    serve::<Tasks<Hyper>>(Description {
        client: "hyper",
        version: lock.version("hyper"),
        engine: lock.packages(&["hyper-util", "h2", "rustls"]),
        features: "
            http/1.1 h2 h2c tls method.get method.head method.post method.put
            body.form body.json body.raw headers connection.reuse connection.fresh
            sink.buffer sink.discard timeout.connect option.tcp_nodelay"
            .into(),
    })
}
