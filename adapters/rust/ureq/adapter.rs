//! ureq: an Agent, which threads share. Longer than most: builders with and without a body are of
//! different types.

use fetchoff_kit::{Body, Client, Description, Exchange, Lock, Request, Result, Settings};
use fetchoff_kit::{Threads, serve};
use ureq::config::AutoHeaderValue;
use ureq::tls::{Certificate, RootCerts, TlsConfig};
use ureq::unversioned::multipart::{Form, Part};
use ureq::{Agent, RequestBuilder, http};

#[derive(Clone)]
struct Ureq {
    agent: Agent,
    has_cookies: bool,
}

impl Client for Ureq {
    fn open(settings: &Settings) -> Result<Self> {
        let kept = if settings.is_fresh() { 0 } else { settings.concurrency };
        let mut config = Agent::config_builder()
            .http_status_as_error(false)
            .max_redirects(settings.redirects)
            .proxy(None) // and not the environment's; its own are for CONNECT only
            .timeout_connect(settings.timeout.connect)
            .timeout_per_read(settings.timeout.read)
            .timeout_global(settings.timeout.total)
            // The defaults keep 3 idle connections a host and 10 in all, and close the others.
            .max_idle_connections(kept)
            .max_idle_connections_per_host(kept);
        if !settings.decompress {
            config = config.accept_encoding(AutoHeaderValue::None);
        }
        if let Some(nodelay) = settings.switch("tcp_nodelay") {
            config = config.no_delay(nodelay);
        }
        if let Some(pem) = settings.authority()? {
            let roots = RootCerts::new_with_certs(&[Certificate::from_pem(&pem)?]);
            config = config.tls_config(TlsConfig::builder().root_certs(roots).build());
        }
        Ok(Self { agent: config.build().into(), has_cookies: settings.cookies })
    }

    fn another(&self, _: &Settings) -> Result<Self> {
        Ok(self.clone())
    }

    fn send(&mut self, exchange: &mut Exchange) -> Result<()> {
        let Exchange { request, answer } = exchange;
        let mut response = self.response(request)?;
        if !self.has_cookies {
            self.agent.cookie_jar_lock().clear(); // an Agent that can keep cookies does
        }
        let status = response.status().as_u16();
        let content = response.body_mut().with_config().limit(u64::MAX);
        if answer.is_streamed() {
            answer.read(status, content.reader())
        } else {
            answer.whole(status, &content.read_to_vec()?)
        }
    }
}

impl Ureq {
    fn response(&self, request: &Request) -> Result<http::Response<ureq::Body>> {
        let agent = &self.agent;
        let url = &request.url;
        let builder = match request.method.as_str() {
            "GET" => return Ok(with_headers(agent.get(url), request).call()?),
            "HEAD" => return Ok(with_headers(agent.head(url), request).call()?),
            "PUT" => agent.put(url),
            _ => agent.post(url),
        };
        let builder = with_headers(builder, request);
        Ok(match &request.body {
            None => builder.send_empty()?,
            Some(Body::Form { fields }) => builder.send_form(fields.iter().cloned())?,
            Some(Body::Json { value }) => builder.send_json(value)?,
            Some(Body::Raw { content_type, data }) => {
                builder.content_type(content_type).send(&data[..])?
            }
            Some(Body::Multipart { fields, files }) => {
                let mut form = Form::new();
                for (name, value) in fields {
                    form = form.text(name, value);
                }
                for file in files {
                    let part = Part::file(&file.path)?.file_name(&file.filename);
                    form = form.part(&file.name, part.mime_str(&file.content_type)?);
                }
                builder.send(form)?
            }
        })
    }
}

fn with_headers<B>(mut builder: RequestBuilder<B>, request: &Request) -> RequestBuilder<B> {
    for (name, value) in &request.headers {
        builder = builder.header(name, value);
    }
    builder
}

fn main() -> std::io::Result<()> {
    let lock = Lock(include_str!("Cargo.lock"));
    serve::<Threads<Ureq>>(Description {
        client: "ureq",
        version: lock.version("ureq"),
        engine: lock.packages(&["rustls"]),
        features: "
            http/1.1 tls method.get method.head method.post method.put
            body.form body.json body.multipart body.raw headers
            connection.reuse connection.fresh sink.buffer sink.discard read-size
            cookies decompression coding.br redirects timeout.connect timeout.read timeout.total
            option.tcp_nodelay"
            .into(),
    })
}
