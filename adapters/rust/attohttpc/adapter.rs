//! attohttpc: a Session for each thread; a connection for each exchange. Longer than most: each
//! setting is a statement, and a builder has another type for each kind of body.

use attohttpc::header::HeaderName;
use attohttpc::{MultipartBuilder, MultipartFile, ProxySettings, Response, Session};
use fetchoff_kit::{Body, Client, Description, Exchange, Lock, Request, Result, Settings};
use fetchoff_kit::{Threads, serve};
use rustls_pki_types::{CertificateDer, pem::PemObject};

struct Attohttpc(Session);

impl Client for Attohttpc {
    fn open(settings: &Settings) -> Result<Self> {
        let mut session = Session::new();
        session.follow_redirects(settings.redirects > 0);
        session.max_redirections(settings.redirects);
        session.allow_compression(settings.decompress);
        let proxy = settings.proxy.as_deref().map(str::parse).transpose()?;
        session.proxy_settings(ProxySettings::builder().http_proxy(proxy).build());
        for certificate in
            CertificateDer::pem_slice_iter(&settings.authority()?.unwrap_or_default())
        {
            session.add_root_certificate(certificate?);
        }
        if let Some(timeout) = settings.timeout.connect {
            session.connect_timeout(timeout);
        }
        if let Some(timeout) = settings.timeout.read {
            session.read_timeout(timeout);
        }
        if let Some(timeout) = settings.timeout.total {
            session.timeout(timeout);
        }
        Ok(Self(session))
    }

    fn another(&self, settings: &Settings) -> Result<Self> {
        Self::open(settings)
    }

    fn send(&mut self, exchange: &mut Exchange) -> Result<()> {
        let Exchange { request, answer } = exchange;
        let response = self.response(request)?;
        let status = response.status().as_u16();
        if answer.is_streamed() {
            answer.read(status, response.split().2)
        } else {
            answer.whole(status, &response.bytes()?)
        }
    }
}

impl Attohttpc {
    fn response(&self, request: &Request) -> Result<Response> {
        let url = &request.url;
        let mut builder = match request.method.as_str() {
            "HEAD" => self.0.head(url),
            "POST" => self.0.post(url),
            "PUT" => self.0.put(url),
            _ => self.0.get(url),
        };
        for (name, value) in &request.headers {
            builder = builder.try_header_append(name.parse::<HeaderName>()?, value)?;
        }
        Ok(match &request.body {
            None => builder.send()?,
            Some(Body::Form { fields }) => builder.form(fields)?.send()?,
            Some(Body::Json { value }) => builder.json(value)?.send()?,
            Some(Body::Raw { content_type, data }) => {
                builder.try_header("Content-Type", content_type)?.bytes(data).send()?
            }
            Some(Body::Multipart { fields, files }) => {
                let contents = files.iter().map(|file| std::fs::read(&file.path));
                let contents = contents.collect::<std::io::Result<Vec<_>>>()?;
                let mut form = MultipartBuilder::new();
                for (name, value) in fields {
                    form = form.with_text(name, value);
                }
                for (file, content) in files.iter().zip(&contents) {
                    let part = MultipartFile::new(&file.name, content);
                    let part = part.with_filename(&file.filename).with_type(&file.content_type)?;
                    form = form.with_file(part);
                }
                builder.body(form.build()?).send()?
            }
        })
    }
}

fn main() -> std::io::Result<()> {
    let lock = Lock(include_str!("Cargo.lock"));
    serve::<Threads<Attohttpc>>(Description {
        client: "attohttpc",
        version: lock.version("attohttpc"),
        engine: lock.packages(&["rustls"]),
        features: "
            http/1.1 tls proxy method.get method.head method.post method.put
            body.form body.json body.multipart body.raw headers connection.fresh
            sink.buffer sink.discard read-size decompression coding.deflate redirects
            timeout.connect timeout.read timeout.total"
            .into(),
    })
}
