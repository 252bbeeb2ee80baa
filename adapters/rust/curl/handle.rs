//! What both interfaces share: a handle's options, and the transfer that belongs to it.

use std::io::Write;

use curl::easy::{Easy2, Form, Handler, HttpVersion, List, ReadError, WriteError};
use fetchoff_kit::{Body, Bytes, Exchange, Fields, File, Protocol, Request, Result, Settings};

/// The exchange in progress, and what of its content is still to be uploaded.
#[derive(Default)]
pub struct Transfer {
    pub exchange: Exchange,
    upload: Bytes,
}

impl Handler for Transfer {
    fn write(&mut self, piece: &[u8]) -> std::result::Result<usize, WriteError> {
        // Any other number than the piece's length tells libcurl to give up.
        Ok(self.exchange.answer.write(piece).unwrap_or(usize::MAX))
    }

    fn read(&mut self, into: &mut [u8]) -> std::result::Result<usize, ReadError> {
        let piece = self.upload.split_to(into.len().min(self.upload.len()));
        into[..piece.len()].copy_from_slice(&piece);
        Ok(piece.len())
    }
}

/// A handle with the options that hold for every exchange.
pub fn open(settings: &Settings) -> Result<Easy2<Transfer>> {
    let mut easy = Easy2::new(Transfer::default());
    easy.http_version(match settings.protocol {
        Protocol::Http1 => HttpVersion::V11,
        Protocol::H2 => HttpVersion::V2TLS,
        Protocol::H2c => HttpVersion::V2PriorKnowledge,
    })?;
    easy.pipewait(settings.protocol != Protocol::Http1)?; // for a stream of the shared connection
    easy.fresh_connect(settings.is_fresh())?;
    easy.forbid_reuse(settings.is_fresh())?;
    easy.follow_location(settings.redirects > 0)?;
    easy.max_redirections(settings.redirects)?;
    easy.proxy(settings.proxy.as_deref().unwrap_or(""))?;
    easy.noproxy("")?;
    if let Some(timeout) = settings.timeout.connect {
        easy.connect_timeout(timeout)?;
    }
    if let Some(timeout) = settings.timeout.total {
        easy.timeout(timeout)?;
    }
    if let Some(nodelay) = settings.switch("tcp_nodelay") {
        easy.tcp_nodelay(nodelay)?;
    }
    if let Some(size) = settings.read_size {
        easy.buffer_size(size)?;
    }
    if let Some(path) = &settings.tls_ca {
        easy.cainfo(path)?;
    }
    if settings.cookies {
        easy.cookie_file("")?;
    }
    if settings.decompress {
        easy.accept_encoding("")?;
    }
    Ok(easy)
}

/// Tell a handle what is to be sent.
pub fn describe(easy: &mut Easy2<Transfer>, request: &Request) -> Result<()> {
    easy.get(true)?; // and no longer the last exchange's method
    easy.url(&request.url)?;
    let mut headers = List::new();
    for (name, value) in &request.headers {
        headers.append(&format!("{name}: {value}"))?;
    }
    if let Some(Body::Multipart { fields, files }) = &request.body {
        easy.httppost(form(fields, files)?)?;
    } else {
        let body = request.encode()?;
        if let Some(body) = &body {
            headers.append(&format!("Content-Type: {}", body.content_type))?;
        }
        send(easy, &request.method, body.map(|body| body.content).unwrap_or_default())?;
    }
    easy.http_headers(headers)?;
    Ok(())
}

fn send(easy: &mut Easy2<Transfer>, method: &str, content: Bytes) -> Result<()> {
    match method {
        "HEAD" => easy.nobody(true)?,
        "POST" => easy.post_fields_copy(&content)?,
        "PUT" => {
            easy.upload(true)?;
            easy.in_filesize(content.len() as u64)?;
            easy.get_mut().upload = content;
        }
        _ => {}
    }
    Ok(())
}

fn form(fields: &Fields, files: &[File]) -> Result<Form> {
    let mut form = Form::new();
    for (name, value) in fields {
        form.part(name).contents(value.as_bytes()).add()?;
    }
    for file in files {
        let mut part = form.part(&file.name);
        part.file(&file.path).filename(&file.filename).content_type(&file.content_type).add()?;
    }
    Ok(form)
}
