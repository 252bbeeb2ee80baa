//! The route of a request, by its target and method.

use std::borrow::Cow;
use std::time::Duration;

use hyper::header::HeaderName;
use hyper::{Method, StatusCode};
use percent_encoding::percent_decode_str;

use crate::content::bodies::PIECE_BYTES;
use crate::content::coding::Coding;
use crate::content::documents;
use crate::content::refusal::Refusal;
use crate::limits::{DELAY_MS, DOCUMENT_BYTES, DRIP_MS, STORED_BYTES, STREAM_BYTES};
use crate::routes::redirect::is_host;
use crate::routes::store::{self, Id};

const DEFAULT_CHUNK: u64 = 4096;
const DEFAULT_DRIP_MS: u64 = 10;

/// The query of a target.
#[derive(Clone, Copy, Debug)]
pub struct Query<'a>(pub Option<&'a str>);

impl<'a> Query<'a> {
    fn get(self, name: &str) -> Option<Cow<'a, str>> {
        let fields = form_urlencoded::parse(self.0?.as_bytes());
        fields.into_iter().find(|(found, _)| found == name).map(|(_, value)| value)
    }

    /// Whether `keep-alive=off` asks for the connection to be closed after the answer.
    pub fn keep_alive_off(self) -> bool {
        self.0.is_some() && self.get("keep-alive").is_some_and(|value| value == "off")
    }

    fn number(
        self,
        name: &str,
        default: u64,
        range: std::ops::RangeInclusive<u64>,
        wanted: &'static str,
    ) -> Result<u64, Refusal> {
        match self.get(name) {
            None => Ok(default),
            Some(text) => {
                number(&text).filter(|n| range.contains(n)).ok_or(Refusal::BadNumber(wanted))
            }
        }
    }
}

/// One row of the table in docs/origin.md.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Route {
    Home,
    Bytes(u64),
    Json(usize),
    ParseJson,
    Form,
    Multipart,
    Upload { digest: bool },
    Login,
    Private,
    Chunked { length: u64, chunk: u64 },
    Coded(Coding, usize),
    Delay(Duration),
    Drip { length: u64, size: u64, every: Duration },
    Refuse { pause: Duration },
    Redirect { status: StatusCode, host: Option<String>, target: String },
    Status(StatusCode),
    Need { name: HeaderName, value: Vec<u8> },
    Truncate { length: u64, chunk: Option<u64> },
    Stored(Id),
    Source(Id),
    Echo,
}

impl Route {
    /// The route of a target, for any method.
    pub fn find(path: &str, query: Query<'_>) -> Result<Self, Refusal> {
        let (name, argument) = match path.strip_prefix('/').unwrap_or(path).split_once('/') {
            Some((name, argument)) => (name, Some(argument)),
            None => (path.strip_prefix('/').unwrap_or(path), None),
        };
        match (name, argument) {
            ("", None) => Ok(Self::Home),
            ("bytes", Some(n)) => Ok(Self::Bytes(length(n)?)),
            ("json", Some(n)) => Ok(Self::Json(document(n)?)),
            ("json", None) => Ok(Self::ParseJson),
            ("form", None) => Ok(Self::Form),
            ("multipart", None) => Ok(Self::Multipart),
            ("upload", None) => {
                Ok(Self::Upload { digest: query.get("digest").is_none_or(|d| d != "no") })
            }
            ("login", None) => Ok(Self::Login),
            ("private", None) => Ok(Self::Private),
            ("chunked", Some(n)) => chunked(n, query),
            ("gzip", Some(n)) => Ok(Self::Coded(Coding::Gzip, document(n)?)),
            ("deflate", Some(n)) => Ok(Self::Coded(Coding::Deflate, document(n)?)),
            ("br", Some(n)) => Ok(Self::Coded(Coding::Br, document(n)?)),
            ("zstd", Some(n)) => Ok(Self::Coded(Coding::Zstd, document(n)?)),
            ("delay", Some(ms)) => Ok(Self::Delay(delay(ms)?)),
            ("refuse", Some(ms)) => Ok(Self::Refuse { pause: delay(ms)? }),
            ("drip", Some(n)) => drip(n, query),
            ("redirect", Some(k)) => redirect(k, query),
            ("status", Some(code)) => status(code),
            ("need", Some(field)) => need(field),
            ("truncate", Some(n)) => truncate(n, query),
            (store::INDEX, Some(document)) => stored(document),
            ("echo", None) => Ok(Self::Echo),
            _ => Err(Refusal::UnknownRoute),
        }
    }

    /// Refuses a method that the route does not allow.
    pub fn check_method(&self, method: &Method) -> Result<(), Refusal> {
        let (taken, allowed): (&[Method], _) = match self {
            Self::Echo => return Ok(()),
            Self::Home => (&[Method::GET, Method::HEAD, Method::POST], "GET, HEAD, POST"),
            Self::Stored(_) => (&[Method::GET, Method::HEAD, Method::PUT], "GET, HEAD, PUT"),
            Self::Upload { .. } | Self::Refuse { .. } => {
                (&[Method::PUT, Method::POST], "PUT, POST")
            }
            Self::ParseJson | Self::Form | Self::Multipart | Self::Login => {
                (&[Method::POST], "POST")
            }
            _ => (&[Method::GET, Method::HEAD], "GET, HEAD"),
        };
        if taken.contains(method) { Ok(()) } else { Err(Refusal::Method(allowed)) }
    }

    /// The most bytes of content that a request to this route may have.
    pub fn content_limit(&self) -> u64 {
        match self {
            Self::ParseJson | Self::Form | Self::Multipart | Self::Login => DOCUMENT_BYTES as u64,
            Self::Stored(_) => STORED_BYTES as u64,
            _ => STREAM_BYTES,
        }
    }
}

/// A number that consists of digits only; `parse` would accept a sign as well.
fn number(text: &str) -> Option<u64> {
    let digits = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    digits.then(|| text.parse().ok()).flatten()
}

fn length(text: &str) -> Result<u64, Refusal> {
    number(text)
        .filter(|n| *n <= STREAM_BYTES)
        .ok_or(Refusal::BadNumber("a length of at most 17179869184 bytes"))
}

fn document(text: &str) -> Result<usize, Refusal> {
    number(text)
        .and_then(|n| usize::try_from(n).ok())
        .filter(|n| documents::exists(*n))
        .ok_or(Refusal::BadNumber("a length of 17, or from 64 to 67108864 bytes"))
}

fn chunked(text: &str, query: Query<'_>) -> Result<Route, Refusal> {
    Ok(Route::Chunked { length: length(text)?, chunk: chunk(query)? })
}

fn truncate(text: &str, query: Query<'_>) -> Result<Route, Refusal> {
    let chunk = query.get("chunk").is_some().then(|| chunk(query)).transpose()?;
    Ok(Route::Truncate { length: length(text)?, chunk })
}

fn chunk(query: Query<'_>) -> Result<u64, Refusal> {
    query.number("chunk", DEFAULT_CHUNK, 1..=PIECE_BYTES as u64, "a chunk of 1 to 1048576 bytes")
}

fn delay(text: &str) -> Result<Duration, Refusal> {
    let ms = number(text).filter(|ms| *ms <= DELAY_MS);
    let ms = ms.ok_or(Refusal::BadNumber("a delay of at most 60000 milliseconds"))?;
    Ok(Duration::from_millis(ms))
}

fn drip(text: &str, query: Query<'_>) -> Result<Route, Refusal> {
    let length = length(text)?;
    let ms = query.number("ms", DEFAULT_DRIP_MS, 1..=DELAY_MS, "1 to 60000 milliseconds")?;
    let range = 1..=PIECE_BYTES as u64;
    let size = query.number("size", 1, range, "a size of 1 to 1048576 bytes")?;
    if length.div_ceil(size).saturating_mul(ms) > DRIP_MS {
        return Err(Refusal::BadNumber("a drip that ends within 600000 milliseconds"));
    }
    Ok(Route::Drip { length, size, every: Duration::from_millis(ms) })
}

fn redirect(text: &str, query: Query<'_>) -> Result<Route, Refusal> {
    let left = number(text).ok_or(Refusal::BadNumber("the number of redirects"))?;
    let status = match query.get("status").as_deref() {
        None | Some("302") => StatusCode::FOUND,
        Some("301") => StatusCode::MOVED_PERMANENTLY,
        Some("303") => StatusCode::SEE_OTHER,
        Some("307") => StatusCode::TEMPORARY_REDIRECT,
        Some("308") => StatusCode::PERMANENT_REDIRECT,
        Some(_) => return Err(Refusal::BadNumber("a status of 301, 302, 303, 307 or 308")),
    };
    let host = query.get("host").map(Cow::into_owned);
    if host.as_deref().is_some_and(|name| !is_host(name)) {
        return Err(Refusal::BadHost);
    }
    let target = match (left.checked_sub(1), query.0) {
        (None, _) => "/".to_owned(),
        (Some(left), None) => format!("/redirect/{left}"),
        (Some(left), Some(query)) => format!("/redirect/{left}?{query}"),
    };
    Ok(Route::Redirect { status, host, target })
}

fn status(text: &str) -> Result<Route, Refusal> {
    number(text)
        .filter(|code| (200..=599).contains(code))
        .and_then(|code| StatusCode::from_u16(code as u16).ok())
        .map(Route::Status)
        .ok_or(Refusal::BadNumber("a status from 200 to 599"))
}

fn need(field: &str) -> Result<Route, Refusal> {
    let (name, value) = field.split_once('/').ok_or(Refusal::UnknownRoute)?;
    let name = name.parse().map_err(|_| Refusal::UnknownRoute)?;
    Ok(Route::Need { name, value: percent_decode_str(value).collect() })
}

fn stored(document: &str) -> Result<Route, Refusal> {
    match document.split_once('/') {
        Some((_, id)) if id.contains('/') => Err(Refusal::UnknownRoute),
        Some(("_doc", id)) => Ok(Route::Stored(Id::decoded(id)?)),
        Some(("_source", id)) => Ok(Route::Source(Id::decoded(id)?)),
        _ => Err(Refusal::UnknownRoute),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn find(target: &str) -> Result<Route, Refusal> {
        let (path, query) = match target.split_once('?') {
            Some((path, query)) => (path, Some(query)),
            None => (target, None),
        };
        Route::find(path, Query(query))
    }

    #[test]
    fn defaults_and_arguments() {
        assert_eq!(find("/chunked/9"), Ok(Route::Chunked { length: 9, chunk: 4096 }));
        assert_eq!(find("/chunked/9?chunk=2"), Ok(Route::Chunked { length: 9, chunk: 2 }));
        assert_eq!(find("/upload?digest=no"), Ok(Route::Upload { digest: false }));
        let every = Duration::from_millis(10);
        assert_eq!(find("/drip/9"), Ok(Route::Drip { length: 9, size: 1, every }));
    }

    #[test]
    fn redirects_count_down_and_keep_their_query() {
        let leads = |target| match find(target) {
            Ok(Route::Redirect { status, host, target }) => (status.as_u16(), host, target),
            other => panic!("{other:?}"),
        };
        assert_eq!(leads("/redirect/2"), (302, None, "/redirect/1".into()));
        let with_status = (307, None, "/redirect/1?status=307".into());
        assert_eq!(leads("/redirect/2?status=307"), with_status);
        assert_eq!(leads("/redirect/0?status=308"), (308, None, "/".into()));
        let elsewhere = (302, Some("b".into()), "/redirect/0?host=b".into());
        assert_eq!(leads("/redirect/1?host=b"), elsewhere);
        assert_eq!(find("/redirect/1?host=b%2Fc"), Err(Refusal::BadHost));
    }

    #[test]
    fn numbers_out_of_range_are_refused() {
        for target in [
            "/bytes/",
            "/bytes/-1",
            "/bytes/+1",
            "/bytes/1x",
            "/bytes/17179869185",
            "/bytes/99999999999999999999",
            "/json/16",
            "/json/18",
            "/json/63",
            "/json/67108865",
            "/gzip/1",
            "/zstd/1",
            "/delay/60001",
            "/refuse/60001",
            "/chunked/1?chunk=0",
            "/drip/60001",
            "/drip/1?ms=0",
            "/redirect/x",
            "/redirect/1?status=200",
            "/status/100",
            "/status/600",
            "/truncate/a",
            "/truncate/1?chunk=0",
        ] {
            assert!(matches!(find(target), Err(Refusal::BadNumber(_))), "{target}");
        }
    }

    #[test]
    fn unknown_routes() {
        for target in [
            "*",
            "/nowhere",
            "/bytes",
            "/form/1",
            "//",
            "/echo/",
            "/Bytes/1",
            "/documents",
            "/documents/1",
            "/documents/_doc/1/",
            "/documents/_source/1/2",
            "/others/_doc/1",
        ] {
            assert_eq!(find(target), Err(Refusal::UnknownRoute), "{target}");
        }
    }

    #[test]
    fn keep_alive_off() {
        assert!(Query(Some("a=1&keep-alive=off")).keep_alive_off());
        assert!(!Query(Some("keep-alive=on")).keep_alive_off());
        assert!(!Query(None).keep_alive_off());
    }

    proptest! {
        #[test]
        fn no_target_is_too_strange(path in "/?.{0,40}", query in proptest::option::of(".{0,40}")) {
            let _ = Route::find(&path, Query(query.as_deref()));
        }
    }
}
