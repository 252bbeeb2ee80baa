//! curl: an Easy2 handle that is told anew what differs from the exchange before; with
//! `CURL_INTERFACE=multi`, one for each exchange in flight, on a Multi handle.

mod handle;
mod multi;

use curl::easy::Easy2;
use fetchoff_kit::{Client, Description, Exchange, Lock, Protocol, Result, Settings, Threads};
use fetchoff_kit::{Unsupported, serve};

use handle::Transfer;

struct Easy(Easy2<Transfer>);

impl Client for Easy {
    fn open(settings: &Settings) -> Result<Self> {
        if settings.protocol != Protocol::Http1 && settings.concurrency > 1 {
            return Err(Unsupported("concurrency").into()); // handles share no connection
        }
        handle::open(settings).map(Self)
    }

    fn another(&self, settings: &Settings) -> Result<Self> {
        Self::open(settings)
    }

    fn send(&mut self, exchange: &mut Exchange) -> Result<()> {
        let Self(easy) = self;
        handle::describe(easy, &exchange.request)?;
        std::mem::swap(&mut easy.get_mut().exchange, exchange);
        let performed = easy.perform();
        std::mem::swap(&mut easy.get_mut().exchange, exchange);
        performed?;
        exchange.answer.end(easy.response_code()?.try_into()?)
    }
}

fn engine() -> String {
    let libcurl = curl::Version::get();
    let tls = libcurl.ssl_version().unwrap_or("no TLS");
    let http2 = libcurl.nghttp2_version().unwrap_or("none");
    let version = libcurl.version().trim_end_matches("-DEV"); // as a release's header is in git
    format!("libcurl {version} {tls} nghttp2/{http2}")
}

fn main() -> std::io::Result<()> {
    let description = Description {
        client: "curl",
        version: Lock(include_str!("Cargo.lock")).version("curl"),
        engine: engine(),
        features: "
            http/1.1 h2 h2c tls proxy method.get method.head method.post method.put
            body.form body.json body.multipart body.raw headers
            connection.reuse connection.fresh sink.buffer sink.discard read-size
            cookies decompression coding.deflate redirects timeout.connect timeout.total
            option.tcp_nodelay"
            .into(),
    };
    match std::env::var("CURL_INTERFACE").as_deref() {
        Ok("multi") => serve::<multi::Transfers>(description),
        _ => serve::<Threads<Easy>>(description),
    }
}
