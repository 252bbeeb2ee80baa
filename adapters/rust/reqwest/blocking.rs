//! reqwest's blocking Client, with the options of the async one.

use fetchoff_kit::{Body, Client, Exchange, Request, Result, Settings};
use reqwest::blocking::multipart::{Form, Part};
use reqwest::blocking::{ClientBuilder, RequestBuilder};

#[derive(Clone)]
pub struct Blocking(reqwest::blocking::Client);

impl Client for Blocking {
    fn open(settings: &Settings) -> Result<Self> {
        let mut client = ClientBuilder::from(crate::builder(settings)?);
        if let Some(timeout) = settings.timeout.total {
            client = client.timeout(timeout);
        }
        Ok(Self(client.build()?))
    }

    fn another(&self, _: &Settings) -> Result<Self> {
        Ok(self.clone())
    }

    fn send(&mut self, exchange: &mut Exchange) -> Result<()> {
        let Exchange { request, answer } = exchange;
        let response = describe(&self.0, request)?.send()?;
        let status = response.status().as_u16();
        if answer.is_streamed() {
            answer.read(status, response)
        } else {
            answer.whole(status, &response.bytes()?)
        }
    }
}

fn describe(client: &reqwest::blocking::Client, request: &Request) -> Result<RequestBuilder> {
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
                let part = Part::file(&file.path)?.file_name(file.filename.clone());
                form = form.part(file.name.clone(), part.mime_str(&file.content_type)?);
            }
            builder.multipart(form)
        }
    })
}
