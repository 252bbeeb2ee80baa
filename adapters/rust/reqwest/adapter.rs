//! reqwest: one async Client; with `REQWEST_CLIENT=blocking`, the blocking one. Longer than most: it
//! has nearly every feature there is.

mod blocking;

use std::io::Write;

use blocking::Blocking;
use fetchoff_kit::{AsyncClient, Body, Description, Exchange, Lock, Protocol, Request};
use fetchoff_kit::{Result, Settings, Tasks, Threads, serve};
use reqwest::multipart::{Form, Part};
use reqwest::redirect::Policy;
use reqwest::{Certificate, Client, ClientBuilder, Proxy, RequestBuilder};

#[derive(Clone)]
struct Reqwest(Client);

impl AsyncClient for Reqwest {
    fn open(settings: &Settings) -> Result<Self> {
        let mut client = builder(settings)?;
        if let Some(timeout) = settings.timeout.total {
            client = client.timeout(timeout);
        }
        Ok(Self(client.build()?))
    }

    async fn send(&self, exchange: &mut Exchange) -> Result<()> {
        let Exchange { request, answer } = exchange;
        let mut response = describe(&self.0, request)?.send().await?;
        let status = response.status().as_u16();
        if !answer.is_streamed() {
            return answer.whole(status, &response.bytes().await?);
        }
        while let Some(chunk) = response.chunk().await? {
            answer.write_all(&chunk)?;
        }
        answer.end(status)
    }
}

fn builder(settings: &Settings) -> Result<ClientBuilder> {
    let mut client = Client::builder()
        .cookie_store(settings.cookies)
        .gzip(settings.decompress)
        .brotli(settings.decompress)
        .deflate(settings.decompress)
        .zstd(settings.decompress)
        .redirect(match settings.redirects {
            0 => Policy::none(),
            most => Policy::limited(most as usize),
        });
    client = match settings.protocol {
        Protocol::Http1 => client.http1_only(),
        _ => client.http2_prior_knowledge(), // over TLS, ALPN offers nothing else
    };
    client = match &settings.proxy {
        Some(url) => client.proxy(Proxy::all(url)?),
        None => client.no_proxy(),
    };
    if settings.is_fresh() {
        client = client.pool_max_idle_per_host(0);
    }
    if let Some(timeout) = settings.timeout.connect {
        client = client.connect_timeout(timeout);
    }
    if let Some(timeout) = settings.timeout.read {
        client = client.read_timeout(timeout);
    }
    if let Some(nodelay) = settings.switch("tcp_nodelay") {
        client = client.tcp_nodelay(nodelay);
    }
    if let Ok(bytes) = std::env::var("HTTP2_WINDOW_BYTES") {
        let bytes: u32 = bytes.parse()?;
        client = client.http2_initial_stream_window_size(bytes);
        client = client.http2_initial_connection_window_size(bytes);
    }
    if let Some(pem) = settings.authority()? {
        client = client.tls_certs_merge([Certificate::from_pem(&pem)?]);
    }
    Ok(client)
}

fn describe(client: &Client, request: &Request) -> Result<RequestBuilder> {
    let mut builder = client.request(request.method.parse()?, &request.url);
    for (name, value) in &request.headers {
        builder = builder.header(name, value);
    }
    Ok(match &request.body {
        None => builder,
        Some(Body::Form { fields }) => builder.form(fields),
        Some(Body::Json { value }) => builder.json(value),
        Some(Body::Raw { content_type, data }) => {
            builder.header("Content-Type", content_type).body(data.clone())
        }
        Some(Body::Multipart { fields, files }) => {
            let mut form = Form::new();
            for (name, value) in fields {
                form = form.text(name.clone(), value.clone());
            }
            for file in files {
                let part = Part::bytes(std::fs::read(&file.path)?).file_name(file.filename.clone());
                form = form.part(file.name.clone(), part.mime_str(&file.content_type)?);
            }
            builder.multipart(form)
        }
    })
}

const FEATURES: &str = "
    http/1.1 h2 h2c tls proxy method.get method.head method.post method.put
    body.form body.json body.multipart body.raw headers connection.reuse connection.fresh
    sink.buffer sink.discard cookies decompression coding.deflate coding.br coding.zstd redirects
    timeout.connect timeout.read timeout.total option.tcp_nodelay";

fn main() -> std::io::Result<()> {
    let lock = Lock(include_str!("Cargo.lock"));
    let description = |features| Description {
        client: "reqwest",
        version: lock.version("reqwest"),
        engine: lock.packages(&["hyper", "h2", "rustls"]),
        features,
    };
    match std::env::var("REQWEST_CLIENT").as_deref() {
        Ok("blocking") => serve::<Threads<Blocking>>(description(format!("{FEATURES} read-size"))),
        _ => serve::<Tasks<Reqwest>>(description(FEATURES.into())),
    }
}
