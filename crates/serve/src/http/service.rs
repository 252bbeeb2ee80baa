//! hyper's service: it takes requests, has `routes` answer them, and fits the answers to HTTP/1.1
//! or HTTP/2.

use std::error::Error;
use std::fmt;
use std::future::pending;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};
use hyper::body::Incoming;
use hyper::header::{
    ACCEPT_ENCODING, CONNECTION, CONTENT_LENGTH, CONTENT_TYPE, HOST, HeaderName, HeaderValue,
};
use hyper::http::request::Parts;
use hyper::http::uri::Authority;
use hyper::service::Service;
use hyper::{HeaderMap, Method, Request, Response, Version};

use crate::content::refusal::Refusal;
use crate::content::request::{Received, target, text};
use crate::content::response::{Content, Truncated};
use crate::http::behaviour::Behaviour;
use crate::http::voice::Voice;
use crate::ledger::events::Record;
use crate::ledger::watch::What;
use crate::limits::{ANSWER_HEAD_BYTES, DATA_BYTES, STREAM_BYTES};
use crate::routes::answers::{self, Answer};
use crate::routes::resources::Resources;
use crate::routes::route::{Query, Route};

/// The requests of one connection.
#[derive(Debug)]
pub struct Requests {
    resources: Rc<Resources>,
    record: Rc<Record>,
    behaviour: Behaviour,
    voice: Option<Rc<Voice>>,
}

impl Requests {
    /// `voice`: how many of them are answered, if not all. Those of HTTP/2 are counted as they
    /// arrive.
    pub fn new(
        resources: Rc<Resources>,
        record: Rc<Record>,
        behaviour: Behaviour,
        voice: Option<Rc<Voice>>,
    ) -> Self {
        Self { resources, record, behaviour, voice }
    }

    /// Call this once for each request: it takes the number of the next stream.
    fn asked(&self, parts: &Parts) -> Asked {
        let stream = self.record.next_stream();
        self.record.note(|| head(stream, parts));
        let Behaviour { charset, answer_pieces, .. } = self.behaviour;
        Asked { stream, charset, pieces: answer_pieces.into() }
    }

    /// `arrives`: the request has not been told to the gate, and has arrived when its content has.
    async fn deferred(
        resources: Rc<Resources>,
        route: Result<Route, Refusal>,
        parts: Parts,
        content: Received,
        (exchange, asked): (Exchange, Asked),
        arrives: bool,
    ) -> Result<Response<Reply>, HungUp> {
        let answer = answers::deferred(route, &parts, content, &resources, &exchange.0).await;
        // Half a request never arrives, and nobody waits for its answer.
        let arrives = arrives && !matches!(answer, Err(Refusal::BrokenContent(_)));
        if arrives && let Some(held) = exchange.0.ledger.gate.arrive() {
            held.wait().await;
        }
        Ok(exchange.reply(&parts, answer, &asked))
    }

    /// Reads a request to its end, and hangs up, or answers nothing until the client gives it up.
    async fn unanswered(
        content: Received,
        _exchange: Exchange,
        hangs_up: bool,
    ) -> Result<Response<Reply>, HungUp> {
        let _ = content.drain().await;
        if hangs_up { Err(HungUp) } else { pending().await }
    }

    fn is_answered(&self) -> bool {
        let Some(voice) = &self.voice else { return true };
        if !self.record.is_multiplexed() {
            voice.asked();
        }
        !voice.is_lost()
    }
}

impl Service<Request<Incoming>> for Requests {
    type Response = Response<Reply>;
    type Error = HungUp;
    type Future = Answering;

    fn call(&self, request: Request<Incoming>) -> Answering {
        let (mut parts, content) = request.into_parts();
        // If it were held at its head, its client would go on sending into the sockets' buffers,
        // outside its turn.
        let arrives_later = !content.is_end_stream();
        let held = if arrives_later { None } else { self.record.ledger.gate.arrive() };
        let exchange = Exchange::begin(&self.record, &parts);
        let asked = self.asked(&parts);
        if !self.behaviour.coding {
            parts.headers.remove(ACCEPT_ENCODING);
        }
        let route = route(&parts);
        let is_answered = self.is_answered();
        let is_simple = content.is_end_stream() && !self.record.ledger.digest();
        if is_answered && held.is_none() && is_simple {
            let answer = match &route {
                Ok(route) => answers::immediate(route, &parts, &self.resources, &self.record),
                Err(refusal) => Some(Err(refusal.clone())),
            };
            if let Some(answer) = answer {
                return Answering::Done(Some(exchange.reply(&parts, answer, &asked)));
            }
        }
        let limit = route.as_ref().map_or(STREAM_BYTES, Route::content_limit);
        let stream = asked.stream;
        let content = Received::new(&parts, content, self.record.clone(), limit, stream);
        if !is_answered {
            return Answering::Waiting(Box::pin(Self::unanswered(
                content,
                exchange,
                self.behaviour.hangs_up,
            )));
        }
        let resources = self.resources.clone();
        let answering =
            Self::deferred(resources, route, parts, content, (exchange, asked), arrives_later);
        match held {
            Some(held) => Answering::Waiting(Box::pin(async {
                held.wait().await;
                answering.await
            })),
            None => Answering::Waiting(Box::pin(answering)),
        }
    }
}

fn route(parts: &Parts) -> Result<Route, Refusal> {
    // RFC 9112, section 3.2.
    if parts.version == Version::HTTP_11 && parts.headers.get_all(HOST).iter().count() != 1 {
        return Err(Refusal::NoHost);
    }
    let route = Route::find(parts.uri.path(), Query(parts.uri.query()))?;
    route.check_method(&parts.method)?;
    Ok(route)
}

/// What an answer needs to know beside the request.
#[derive(Clone, Copy, Debug)]
struct Asked {
    /// Of HTTP/2, if somebody watches; otherwise 0.
    stream: u32,
    charset: bool,
    pieces: u64,
}

/// One exchange, from the request's head until hyper has taken all of the answer.
#[derive(Debug)]
struct Exchange(Rc<Record>);

impl Exchange {
    fn begin(record: &Rc<Record>, parts: &Parts) -> Self {
        record.head_read();
        record.ledger.begin();
        // The absolute form, as it is sent to a proxy (RFC 9112, section 3.2.2).
        if parts.uri.scheme().is_some() && parts.version != Version::HTTP_2 {
            record.ledger.absolute_form.add(1);
        }
        Self(record.clone())
    }

    fn reply(self, parts: &Parts, answer: Answer, asked: &Asked) -> Response<Reply> {
        let broken = matches!(answer, Err(Refusal::BrokenContent(_)));
        let mut response = answer.unwrap_or_else(Refusal::into_response);
        let most = if parts.version == Version::HTTP_2 {
            self.fit_http2(parts, &mut response);
            DATA_BYTES - ANSWER_HEAD_BYTES
        } else {
            self.fit_http1(parts, &mut response, broken);
            u32::MAX
        };
        if !broken {
            self.0.ledger.answered(response.status().as_u16());
        }
        let Asked { stream, charset, pieces } = *asked;
        if charset {
            name_charset(response.headers_mut());
        }
        let status = response.status().as_u16();
        self.0.note(|| What::Answered { stream, status });
        response.map(|content| Reply {
            content: content.in_pieces(pieces, &self.0),
            piece: Bytes::new(),
            most,
            stream,
            exchange: self,
        })
    }

    fn fit_http1(&self, parts: &Parts, response: &mut Response<Content>, is_broken: bool) {
        let is_old = parts.version == Version::HTTP_10;
        // HTTP/1.0 has no chunks.
        let ends_by_closing = || is_old && response.body().size_hint().exact().is_none();
        if is_broken
            || self.0.content_refused()
            || Query(parts.uri.query()).keep_alive_off()
            || ends_by_closing()
        {
            response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
            if is_old {
                // Otherwise hyper would add `keep-alive` if the client asked for that.
                *response.version_mut() = Version::HTTP_10;
            }
        }
        // hyper leaves out the length of an empty answer to HEAD.
        let no_content = response.body().is_end_stream() && answers::has_length(response.status());
        if parts.method == Method::HEAD && no_content {
            response.headers_mut().insert(CONTENT_LENGTH, HeaderValue::from_static("0"));
        }
    }

    fn fit_http2(&self, parts: &Parts, response: &mut Response<Content>) {
        if Query(parts.uri.query()).keep_alive_off() {
            self.0.ask_for_shutdown();
        }
        // HTTP/2 has frames for what this field says (RFC 9113, section 8.2.2).
        response.headers_mut().remove(CONNECTION);
        // hyper leaves out the content of answers to HEAD, but only in HTTP/1.1.
        if parts.method == Method::HEAD && answers::has_length(response.status()) {
            if let Some(length) = response.body().size_hint().exact() {
                response.headers_mut().insert(CONTENT_LENGTH, length.into());
            }
            *response.body_mut() = Content::empty();
        }
    }
}

fn head(stream: u32, parts: &Parts) -> What {
    let field = |(name, value): (&HeaderName, &HeaderValue)| {
        (name.as_str().to_owned(), text(value.as_bytes()))
    };
    let host = authority(parts).map(|host| (HOST.as_str().to_owned(), host.to_string()));
    What::Head {
        stream,
        method: parts.method.to_string(),
        target: target(parts),
        version: format!("{:?}", parts.version),
        fields: host.into_iter().chain(parts.headers.iter().map(field)).collect(),
    }
}

/// What says the host in HTTP/2 in the place of `Host` (RFC 9113, section 8.3.1).
fn authority(parts: &Parts) -> Option<&Authority> {
    let is_told = parts.version != Version::HTTP_2 || parts.headers.contains_key(HOST);
    if is_told { None } else { parts.uri.authority() }
}

/// Names a character set wherever the content type leaves it open.
fn name_charset(headers: &mut HeaderMap) {
    let Some(named) = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()) else {
        return;
    };
    if !named.contains(';')
        && let Ok(value) = HeaderValue::try_from(format!("{named}; charset=utf-8"))
    {
        headers.insert(CONTENT_TYPE, value);
    }
}

impl Drop for Exchange {
    fn drop(&mut self) {
        self.0.ledger.end();
        self.0.answered();
    }
}

/// The connection is to be closed without an answer. hyper does so when a service fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HungUp;

impl fmt::Display for HungUp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the origin hangs up")
    }
}

impl Error for HungUp {}

/// The future of an answer. Most answers are ready at once.
pub enum Answering {
    Done(Option<Response<Reply>>),
    Waiting(Pin<Box<dyn Future<Output = Result<Response<Reply>, HungUp>>>>),
}

impl Future for Answering {
    type Output = Result<Response<Reply>, HungUp>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        match &mut *self {
            Self::Done(response) => match response.take() {
                Some(response) => Poll::Ready(Ok(response)),
                None => Poll::Pending,
            },
            Self::Waiting(response) => response.as_mut().poll(cx),
        }
    }
}

/// The content of an answer. The exchange lasts as long as this.
#[derive(Debug)]
pub struct Reply {
    content: Content,
    /// The rest of a piece that is longer than `most`.
    piece: Bytes,
    /// The most bytes that may be sent at once: in HTTP/1, everything.
    most: u32,
    /// Of HTTP/2, if somebody watches; otherwise 0.
    stream: u32,
    exchange: Exchange,
}

impl Body for Reply {
    type Data = Bytes;
    type Error = Truncated;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Truncated>>> {
        if self.piece.is_empty() {
            match ready!(Pin::new(&mut self.content).poll_frame(cx)) {
                Some(Ok(frame)) => self.piece = frame.into_data().unwrap_or_default(),
                Some(Err(cut)) => {
                    let (stream, Truncated { size, announced }) = (self.stream, cut);
                    self.exchange.0.note(|| What::Cut { stream, size, announced });
                    return Poll::Ready(Some(Err(cut)));
                }
                None => return Poll::Ready(None),
            }
        }
        let bytes = self.piece.len().min(self.most as usize);
        if self.most < u32::MAX {
            self.most = DATA_BYTES;
        }
        Poll::Ready(Some(Ok(Frame::data(self.piece.split_to(bytes)))))
    }

    fn is_end_stream(&self) -> bool {
        self.piece.is_empty() && self.content.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        let (mut hint, piece) = (self.content.size_hint(), self.piece.len() as u64);
        match hint.exact() {
            Some(content) => hint.set_exact(content + piece),
            None => hint.set_lower(hint.lower() + piece),
        }
        hint
    }
}
