//! Why a request is not answered as asked.

use bytes::Bytes;
use hyper::header::{ALLOW, CONNECTION, CONTENT_TYPE, HeaderValue, RETRY_AFTER, WWW_AUTHENTICATE};
use hyper::{Response, StatusCode};

use crate::content::response::Content;
use crate::limits::{ID_BYTES, STORE_BYTES, STORE_DOCUMENTS};

/// Each is answered by one status and a line that says what would have been right.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// 400: a number in the target that is none, or is out of range.
    BadNumber(&'static str),
    /// 400: a document's name that is none.
    BadId,
    /// 400: not exactly one `Host`.
    NoHost,
    /// 400: content that cannot be understood.
    BadContent(String),
    /// 400: content that ended early or was framed wrongly. Not counted as an answered request.
    BrokenContent(String),
    /// 401.
    NoSession,
    /// 404.
    UnknownRoute,
    /// 404: nothing is stored under that name.
    NoDocument,
    /// 405, with the methods allowed.
    Method(&'static str),
    /// 412: the request lacks the field, or its value is another.
    NoField(String),
    /// 413.
    TooLarge(u64),
    /// 415, with what was expected.
    MediaType(&'static str),
    /// 503: too much request content is held for other requests.
    Busy,
    /// 507: there is no room for another document.
    StoreFull,
}

impl Refusal {
    fn status(&self) -> StatusCode {
        match self {
            Self::BadNumber(_)
            | Self::BadId
            | Self::NoHost
            | Self::BadContent(_)
            | Self::BrokenContent(_) => StatusCode::BAD_REQUEST,
            Self::NoSession => StatusCode::UNAUTHORIZED,
            Self::UnknownRoute | Self::NoDocument => StatusCode::NOT_FOUND,
            Self::Method(_) => StatusCode::METHOD_NOT_ALLOWED,
            Self::NoField(_) => StatusCode::PRECONDITION_FAILED,
            Self::TooLarge(_) => StatusCode::PAYLOAD_TOO_LARGE,
            Self::MediaType(_) => StatusCode::UNSUPPORTED_MEDIA_TYPE,
            Self::Busy => StatusCode::SERVICE_UNAVAILABLE,
            Self::StoreFull => StatusCode::INSUFFICIENT_STORAGE,
        }
    }

    fn text(&self) -> String {
        match self {
            Self::BadNumber(wanted) => format!("the target needs {wanted}"),
            Self::BadId => format!("a document's name has 1 to {ID_BYTES} bytes of UTF-8"),
            Self::NoHost => "a request needs exactly one Host field".into(),
            Self::BadContent(why) | Self::BrokenContent(why) => why.clone(),
            Self::NoSession => "log in with POST /login first".into(),
            Self::UnknownRoute => "unknown route; docs/origin.md lists them".into(),
            Self::NoDocument => "nothing is stored under that name".into(),
            Self::Method(allowed) => format!("this route takes {allowed}"),
            Self::NoField(name) => format!("the field {name} with that value is needed"),
            Self::TooLarge(limit) => format!("content is limited to {limit} bytes here"),
            Self::MediaType(wanted) => format!("this route takes {wanted}"),
            Self::Busy => "too much content is being received; try again".into(),
            Self::StoreFull => format!(
                "the store has room for {STORE_DOCUMENTS} documents and {STORE_BYTES} bytes"
            ),
        }
    }

    /// Whether the connection cannot be used for another request.
    pub fn ends_connection(&self) -> bool {
        matches!(self, Self::BrokenContent(_) | Self::TooLarge(_) | Self::Busy)
    }

    /// The answer that says so.
    pub fn into_response(self) -> Response<Content> {
        let mut response = Response::new(Content::Whole(Bytes::from(self.text() + "\n")));
        *response.status_mut() = self.status();
        let headers = response.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/plain; charset=utf-8"));
        if self.ends_connection() {
            headers.insert(CONNECTION, HeaderValue::from_static("close"));
        }
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
