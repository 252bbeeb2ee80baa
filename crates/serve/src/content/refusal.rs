//! The reasons for which a request is refused, and the answers that tell them.

use bytes::Bytes;
use hyper::header::{ALLOW, CONTENT_TYPE, HeaderValue, RETRY_AFTER, WWW_AUTHENTICATE};
use hyper::{Response, StatusCode};

use crate::content::response::Content;
use crate::limits::{ID_BYTES, STORE_BYTES, STORE_DOCUMENTS};

/// Why a request is refused. The answer is a status and one line that tells what would be right.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// 400: the target has something else in the place of a number, or a number out of range. The
    /// text names what the route takes.
    BadNumber(&'static str),
    /// 400: the name of a document is empty, too long, or not UTF-8.
    BadId,
    /// 400: a redirect leads to something that is no name of a host.
    BadHost,
    /// 400: the request has not exactly one `Host` field.
    NoHost,
    /// 400: the content cannot be parsed.
    BadContent(String),
    /// 400: the content ended early or was framed wrongly. Such a request does not count as
    /// answered.
    BrokenContent(String),
    /// 401: the request has no session cookie.
    NoSession,
    /// 404: no route has this target.
    UnknownRoute,
    /// 404: the store has no document of that name.
    NoDocument,
    /// 405, with the methods that the route allows.
    Method(&'static str),
    /// 412: the request has no such field with the required value.
    NoField(String),
    /// 413, with the limit in bytes.
    TooLarge(u64),
    /// 413: the route takes no content at all.
    Unwanted,
    /// 415, with the media type that the route takes.
    MediaType(&'static str),
    /// 503: other requests take up the memory for request content.
    Busy,
    /// 507: the store has no room for the document.
    StoreFull,
}

impl Refusal {
    fn status(&self) -> StatusCode {
        match self {
            Self::BadNumber(_)
            | Self::BadId
            | Self::BadHost
            | Self::NoHost
            | Self::BadContent(_)
            | Self::BrokenContent(_) => StatusCode::BAD_REQUEST,
            Self::NoSession => StatusCode::UNAUTHORIZED,
            Self::UnknownRoute | Self::NoDocument => StatusCode::NOT_FOUND,
            Self::Method(_) => StatusCode::METHOD_NOT_ALLOWED,
            Self::NoField(_) => StatusCode::PRECONDITION_FAILED,
            Self::TooLarge(_) | Self::Unwanted => StatusCode::PAYLOAD_TOO_LARGE,
            Self::MediaType(_) => StatusCode::UNSUPPORTED_MEDIA_TYPE,
            Self::Busy => StatusCode::SERVICE_UNAVAILABLE,
            Self::StoreFull => StatusCode::INSUFFICIENT_STORAGE,
        }
    }

    fn text(&self) -> String {
        match self {
            Self::BadNumber(wanted) => format!("the target needs {wanted}"),
            Self::BadId => format!("a document's name has 1 to {ID_BYTES} bytes of UTF-8"),
            Self::BadHost => "a host's name has letters, digits, hyphens and dots".into(),
            Self::NoHost => "a request needs exactly one Host field".into(),
            Self::BadContent(why) | Self::BrokenContent(why) => why.clone(),
            Self::NoSession => "log in with POST /login first".into(),
            Self::UnknownRoute => "unknown route; docs/origin.md lists them".into(),
            Self::NoDocument => "nothing is stored under that name".into(),
            Self::Method(allowed) => format!("this route takes {allowed}"),
            Self::NoField(name) => format!("the field {name} with that value is needed"),
            Self::TooLarge(limit) => format!("content is limited to {limit} bytes here"),
            Self::Unwanted => "no content is wanted here".into(),
            Self::MediaType(wanted) => format!("this route takes {wanted}"),
            Self::Busy => "too much content is being received; try again".into(),
            Self::StoreFull => format!(
                "the store has room for {STORE_DOCUMENTS} documents and {STORE_BYTES} bytes"
            ),
        }
    }

    /// The answer that tells the client why.
    pub fn into_response(self) -> Response<Content> {
        let mut response = Response::new(Content::Whole(Bytes::from(self.text() + "\n")));
        *response.status_mut() = self.status();
        let headers = response.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/plain; charset=utf-8"));
        match self {
            Self::Method(allowed) => headers.insert(ALLOW, HeaderValue::from_static(allowed)),
            // RFC 9110, section 15.5.2: a 401 must carry a challenge.
            Self::NoSession => headers
                .insert(WWW_AUTHENTICATE, HeaderValue::from_static("Cookie realm=\"/login\"")),
            Self::Busy => headers.insert(RETRY_AFTER, HeaderValue::from_static("1")),
            _ => None,
        };
        response
    }
}
