//! The answers of the routes.

use std::rc::Rc;

use bytes::Bytes;
use hyper::header::{
    CONTENT_ENCODING, CONTENT_TYPE, EXPECT, HeaderName, HeaderValue, LOCATION, SET_COOKIE, VARY,
};
use hyper::http::request::Parts;
use hyper::{HeaderMap, Method, Response, StatusCode};
use serde::Serialize;
use serde_json::Value;

use crate::content::coding::Coding;
use crate::content::documents::Document;
use crate::content::memory::{Held, Memory};
use crate::content::refusal::Refusal;
use crate::content::request::{Received, Sum};
use crate::content::response::Content;
use crate::ledger::events::Record;
use crate::limits::INLINE_BYTES;
use crate::routes::resources::Resources;
use crate::routes::route::Route;
use crate::routes::store::{Id, Outcome};
use crate::routes::{echo, forms, login, multipart, redirect, store};

const BYTES: HeaderValue = HeaderValue::from_static("application/octet-stream");
const FORM: HeaderValue = HeaderValue::from_static("application/x-www-form-urlencoded");
const HTML: HeaderValue = HeaderValue::from_static("text/html");
const JSON: HeaderValue = HeaderValue::from_static("application/json");
const TEXT: HeaderValue = HeaderValue::from_static("text/plain; charset=utf-8");

/// The answer to a request, or why it is refused.
pub type Answer = Result<Response<Content>, Refusal>;

/// The answer, if it needs neither the request's content nor any waiting.
pub fn immediate(
    route: &Route,
    parts: &Parts,
    resources: &Resources,
    record: &Rc<Record>,
) -> Option<Answer> {
    let answer = match route {
        Route::Home if parts.method == Method::POST => text(HTML, "HiPost"),
        Route::Home => text(HTML, "Hi"),
        Route::Bytes(length) => answer(BYTES, Content::bytes(*length)),
        Route::Json(size) => {
            answer(JSON, whole(resources.documents.immediate(Document::Plain(*size))?))
        }
        Route::Coded(coding, size) => {
            let document = negotiated(*coding, *size, &parts.headers);
            coded(document, resources.documents.immediate(document)?)
        }
        Route::Private if login::has_session(&parts.headers) => text(TEXT, "private"),
        Route::Private => return Some(Err(Refusal::NoSession)),
        Route::Chunked { length, chunk } => answer(BYTES, Content::chunked(*length, *chunk)),
        Route::Drip { length, size, every } => answer(BYTES, Content::drip(*length, *size, *every)),
        Route::Redirect { status, host, target } => {
            let mut response = answer(TEXT, Content::empty());
            *response.status_mut() = *status;
            let scheme = record.scheme();
            let location = redirect::location(host.as_deref(), target, scheme, parts);
            let location = HeaderValue::from_str(&location).map_err(|_| Refusal::UnknownRoute);
            return Some(location.map(|value| with(response, LOCATION, value)));
        }
        Route::Status(status) => {
            let mut response = text(HTML, if has_content(*status) { "Hi" } else { "" });
            *response.status_mut() = *status;
            response
        }
        Route::Need { name, value } if has_field(&parts.headers, name, value) => text(HTML, "Hi"),
        Route::Need { name, .. } => return Some(Err(Refusal::NoField(name.to_string()))),
        Route::Truncate { length, chunk } => {
            answer(BYTES, Content::truncate(*length, *chunk, record.clone()))
        }
        Route::Stored(_) if parts.method == Method::PUT => return None,
        Route::Stored(id) => found(id, resources),
        Route::Source(id) => match resources.store.get(id) {
            Some(stored) => answer(JSON, whole(stored.source)),
            None => return Some(Err(Refusal::NoDocument)),
        },
        Route::Refuse { .. }
        | Route::Form
        | Route::Login
        | Route::ParseJson
        | Route::Multipart
        | Route::Upload { .. }
        | Route::Echo
        | Route::Delay(_) => return None,
    };
    Some(Ok(answer))
}

/// The answer to a request that has content, or whose answer needs time.
pub async fn deferred(
    route: Result<Route, Refusal>,
    parts: &Parts,
    content: Received,
    resources: &Resources,
    record: &Rc<Record>,
) -> Answer {
    content.check_length()?;
    match route {
        Err(refusal) => Err(refused(refusal, parts, content).await),
        Ok(Route::Refuse { pause }) => {
            record.ignore_content(pause);
            Err(Refusal::Unwanted)
        }
        Ok(Route::Form) => form(parts, content, resources).await,
        Ok(Route::Login) => logged_in(parts, content, resources).await,
        Ok(Route::ParseJson) => parsed(parts, content, resources).await,
        Ok(Route::Multipart) => described(parts, content, &resources.memory).await,
        Ok(Route::Upload { digest: true }) => Ok(json(&content.hashed().drain().await?)),
        Ok(Route::Upload { digest: false }) => {
            let sum = content.drain().await?;
            Ok(json(&Sum { sha256: None, ..sum }))
        }
        Ok(Route::Stored(id)) if parts.method == Method::PUT => {
            stored(&id, parts, content, resources).await
        }
        Ok(Route::Echo) => Ok(json(&echo::echo(parts, content.hashed().drain().await?))),
        Ok(route) => {
            content.drain().await?;
            waited(&route, parts, resources, record).await
        }
    }
}

async fn waited(
    route: &Route,
    parts: &Parts,
    resources: &Resources,
    record: &Rc<Record>,
) -> Answer {
    if let Some(answer) = immediate(route, parts, resources, record) {
        return answer;
    }
    match route {
        Route::Delay(time) => {
            tokio::time::sleep(*time).await;
            Ok(text(HTML, "Hi"))
        }
        Route::Json(size) => {
            Ok(answer(JSON, whole(resources.documents.get(Document::Plain(*size)).await)))
        }
        Route::Coded(coding, size) => {
            let document = negotiated(*coding, *size, &parts.headers);
            Ok(coded(document, resources.documents.get(document).await))
        }
        _ => Err(Refusal::UnknownRoute),
    }
}

/// Reads the content before the refusal is sent, so that the connection can be used again. A client
/// that expects 100 Continue has not sent any yet, unless it doesn't wait.
async fn refused(refusal: Refusal, parts: &Parts, content: Received) -> Refusal {
    if parts.headers.contains_key(EXPECT) {
        content.refuse();
        return refusal;
    }
    content.drain().await.err().unwrap_or(refusal)
}

async fn form(parts: &Parts, content: Received, resources: &Resources) -> Answer {
    if !is_form(parts) {
        return Err(refused(Refusal::MediaType(FORM_TYPE), parts, content).await);
    }
    let content = content.collect(&resources.memory).await?;
    Ok(answer(FORM, whole(forms::canonical(&content).into())))
}

async fn logged_in(parts: &Parts, content: Received, resources: &Resources) -> Answer {
    if !is_form(parts) {
        return Err(refused(Refusal::MediaType(FORM_TYPE), parts, content).await);
    }
    login::check_form(&content.collect(&resources.memory).await?)?;
    Ok(with(text(TEXT, "welcome"), SET_COOKIE, HeaderValue::from_static(login::SET_COOKIE)))
}

async fn parsed(parts: &Parts, content: Received, resources: &Resources) -> Answer {
    let content = json_content(parts, content, resources).await?;
    let text = worked(content, rewritten).await?;
    Ok(answer(JSON, whole(text.into())))
}

async fn stored(id: &Id, parts: &Parts, content: Received, resources: &Resources) -> Answer {
    let content = json_content(parts, content, resources).await?;
    worked(content.clone(), store::check).await?;
    let written = resources.store.put(id, &content)?;
    let mut response = json(&written);
    if written.result == Outcome::Created {
        *response.status_mut() = StatusCode::CREATED;
    }
    Ok(response)
}

fn found(id: &Id, resources: &Resources) -> Response<Content> {
    if let Some(stored) = resources.store.get(id) {
        return answer(JSON, whole(stored.described(id).into()));
    }
    let mut response = answer(JSON, whole(store::not_found(id).into()));
    *response.status_mut() = StatusCode::NOT_FOUND;
    response
}

async fn json_content(
    parts: &Parts,
    content: Received,
    resources: &Resources,
) -> Result<Held, Refusal> {
    if !has_media_type(parts, JSON_TYPE) {
        return Err(refused(Refusal::MediaType(JSON_TYPE), parts, content).await);
    }
    content.collect(&resources.memory).await
}

/// Works on content: on the serving thread if it is small, otherwise on another.
async fn worked<T: Send + 'static>(
    content: Held,
    work: fn(&[u8]) -> Result<T, Refusal>,
) -> Result<T, Refusal> {
    if content.len() <= INLINE_BYTES {
        return work(&content);
    }
    tokio::task::spawn_blocking(move || work(&content))
        .await
        .unwrap_or_else(|error| Err(Refusal::BadContent(error.to_string())))
}

fn has_field(headers: &HeaderMap, name: &HeaderName, wanted: &[u8]) -> bool {
    headers.get_all(name).iter().any(|value| value.as_bytes() == wanted)
}

/// Whether answers with this status have content (RFC 9110, sections 6.4.1 and 15.3.6).
fn has_content(status: StatusCode) -> bool {
    has_length(status) && status != StatusCode::RESET_CONTENT
}

/// Whether answers with this status tell the length of their content, if only that it is 0.
pub fn has_length(status: StatusCode) -> bool {
    !matches!(status, StatusCode::NO_CONTENT | StatusCode::NOT_MODIFIED)
}

/// Parses JSON and writes it compactly, with sorted keys.
fn rewritten(content: &[u8]) -> Result<Vec<u8>, Refusal> {
    let wrong = |error: serde_json::Error| Refusal::BadContent(format!("not JSON: {error}"));
    serde_json::to_vec(&serde_json::from_slice::<Value>(content).map_err(wrong)?).map_err(wrong)
}

async fn described(parts: &Parts, content: Received, memory: &Memory) -> Answer {
    match multipart::boundary(&parts.headers) {
        Ok(boundary) => Ok(json(&multipart::described(content, boundary, memory).await?)),
        Err(refusal) => Err(refused(refusal, parts, content).await),
    }
}

const FORM_TYPE: &str = "application/x-www-form-urlencoded";
const JSON_TYPE: &str = "application/json";

fn is_form(parts: &Parts) -> bool {
    has_media_type(parts, FORM_TYPE)
}

/// Upper and lower case are the same in a media type (RFC 9110, section 8.3.1).
fn has_media_type(parts: &Parts, wanted: &str) -> bool {
    media_type(parts).is_some_and(|found| found.eq_ignore_ascii_case(wanted))
}

fn media_type(parts: &Parts) -> Option<&str> {
    let value = parts.headers.get(CONTENT_TYPE)?.to_str().ok()?;
    Some(value.split(';').next().unwrap_or(value).trim())
}

fn negotiated(coding: Coding, size: usize, headers: &HeaderMap) -> Document {
    if coding.is_accepted(headers) { Document::Coded(coding, size) } else { Document::Plain(size) }
}

fn coded(document: Document, bytes: Bytes) -> Response<Content> {
    let response = answer(JSON, whole(bytes));
    let response = with(response, VARY, HeaderValue::from_static("accept-encoding"));
    match document {
        Document::Plain(_) => response,
        Document::Coded(coding, _) => with(response, CONTENT_ENCODING, coding.name()),
    }
}

fn whole(bytes: Bytes) -> Content {
    Content::Whole(bytes)
}

fn text(media_type: HeaderValue, text: &'static str) -> Response<Content> {
    answer(media_type, whole(Bytes::from_static(text.as_bytes())))
}

fn json(value: &impl Serialize) -> Response<Content> {
    answer(JSON, whole(serde_json::to_vec(value).unwrap_or_default().into()))
}

fn answer(media_type: HeaderValue, content: Content) -> Response<Content> {
    with(Response::new(content), CONTENT_TYPE, media_type)
}

fn with(
    mut response: Response<Content>,
    name: HeaderName,
    value: HeaderValue,
) -> Response<Content> {
    response.headers_mut().insert(name, value);
    response
}
