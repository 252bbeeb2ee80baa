//! isahc: an HttpClient, which threads share. Longer than most for its imports and settings.

use fetchoff_kit::{Client, Description, Exchange, Lock, Protocol, Result, Settings};
use fetchoff_kit::{Threads, serve};
use isahc::config::{Configurable, RedirectPolicy, VersionNegotiation};
use isahc::http::Uri;
use isahc::tls::{TlsConfig, TrustStore};
use isahc::{HttpClient, ReadResponseExt, Request};

#[derive(Clone)]
struct Isahc(HttpClient);

impl Client for Isahc {
    fn open(settings: &Settings) -> Result<Self> {
        let proxy = settings.proxy.as_deref().map(str::parse::<Uri>).transpose()?;
        let mut client = HttpClient::builder()
            .version_negotiation(match settings.protocol {
                Protocol::Http1 => VersionNegotiation::http11(),
                Protocol::H2 => VersionNegotiation::latest_compatible(),
                Protocol::H2c => VersionNegotiation::http2(),
            })
            .redirect_policy(match settings.redirects {
                0 => RedirectPolicy::None,
                most => RedirectPolicy::Limit(most),
            })
            .automatic_decompression(settings.decompress)
            .proxy(proxy);
        if settings.is_fresh() {
            client = client.connection_cache_size(0);
        }
        if settings.cookies {
            client = client.cookies();
        }
        if let Some(timeout) = settings.timeout.connect {
            client = client.connect_timeout(timeout);
        }
        if let Some(timeout) = settings.timeout.total {
            client = client.timeout(timeout);
        }
        if let Some(path) = &settings.tls_ca {
            client = client
                .tls_config(TlsConfig::builder().trust_store(TrustStore::from_file(path)).build());
        }
        Ok(Self(client.build()?))
    }

    fn another(&self, _: &Settings) -> Result<Self> {
        Ok(self.clone())
    }

    fn send(&mut self, exchange: &mut Exchange) -> Result<()> {
        let Exchange { request, answer } = exchange;
        let mut builder = Request::builder().method(&*request.method).uri(&request.url);
        for (name, value) in &request.headers {
            builder = builder.header(name, value);
        }
        let mut response = match request.encode()? {
            None => self.0.send(builder.body(())?)?,
            Some(body) => {
                let builder = builder.header("Content-Type", body.content_type);
                self.0.send(builder.body(body.content.to_vec())?)?
            }
        };
        let status = response.status().as_u16();
        if answer.is_streamed() {
            answer.read(status, response.body_mut())
        } else {
            answer.whole(status, &response.bytes()?)
        }
    }
}

fn main() -> std::io::Result<()> {
    let lock = Lock(include_str!("Cargo.lock"));
    serve::<Threads<Isahc>>(Description {
        client: "isahc",
        version: lock.version("isahc"),
        engine: lock.packages(&["curl-sys", "rustls"]),
        features: "
            http/1.1 h2 h2c tls proxy method.get method.head method.post method.put
            body.form body.json body.raw headers connection.reuse connection.fresh
            sink.buffer sink.discard read-size cookies decompression coding.deflate redirects
            timeout.connect timeout.total"
            .into(),
    })
}
