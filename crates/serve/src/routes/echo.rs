//! `/echo`: the request as JSON.

use hyper::http::request::Parts;
use serde::Serialize;

use crate::content::request::{Sum, target, text};

/// A request as JSON.
#[derive(Serialize)]
pub struct Echo<'a> {
    method: &'a str,
    target: String,
    headers: Vec<(&'a str, String)>,
    bytes: u64,
    sha256: String,
}

/// `{"method":…,"target":…,"headers":[[name,value],…],"bytes":N,"sha256":…}`
pub fn echo(parts: &Parts, sum: Sum) -> Echo<'_> {
    let headers = parts.headers.iter();
    Echo {
        method: parts.method.as_str(),
        target: target(parts),
        headers: headers.map(|(name, value)| (name.as_str(), text(value.as_bytes()))).collect(),
        bytes: sum.bytes,
        sha256: sum.sha256.unwrap_or_default(),
    }
}
