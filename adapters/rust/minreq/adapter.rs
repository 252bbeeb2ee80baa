//! minreq: its request functions; a connection for each exchange.

use fetchoff_kit::{Client, Description, Exchange, Lock, Request, Result, Settings};
use fetchoff_kit::{Threads, serve};
use minreq::Method;

#[derive(Clone)]
struct Minreq(Settings);

impl Client for Minreq {
    fn open(settings: &Settings) -> Result<Self> {
        Ok(Self(settings.clone()))
    }

    fn another(&self, _: &Settings) -> Result<Self> {
        Ok(self.clone())
    }

    fn send(&mut self, exchange: &mut Exchange) -> Result<()> {
        let Exchange { request, answer } = exchange;
        let described = self.describe(request)?;
        if answer.is_streamed() {
            let response = described.send_lazy()?;
            answer.read(response.status_code, response)
        } else {
            let response = described.send()?;
            answer.whole(response.status_code, response.as_bytes())
        }
    }
}

impl Minreq {
    fn describe(&self, request: &Request) -> Result<minreq::Request> {
        let method = match request.method.as_str() {
            "HEAD" => Method::Head,
            "POST" => Method::Post,
            "PUT" => Method::Put,
            _ => Method::Get,
        };
        let mut described = minreq::Request::new(method, &request.url);
        for (name, value) in &request.headers {
            described = described.with_header(name, value);
        }
        if let Some(body) = request.encode()? {
            described =
                described.with_header("Content-Type", body.content_type).with_body(body.content);
        }
        Ok(described
            .with_follow_redirects(self.0.redirects > 0)
            .with_max_redirects(self.0.redirects as usize))
    }
}

fn main() -> std::io::Result<()> {
    let lock = Lock(include_str!("Cargo.lock"));
    serve::<Threads<Minreq>>(Description {
        client: "minreq",
        version: lock.version("minreq"),
        engine: String::new(),
        features: "
            http/1.1 method.get method.head method.post method.put
            body.form body.json body.raw headers connection.fresh
            sink.buffer sink.discard read-size redirects"
            .into(),
    })
}
