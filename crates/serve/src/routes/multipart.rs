//! `/multipart`: `multipart/form-data`, parsed while it arrives.

use std::cell::RefCell;
use std::convert::Infallible;

use bytes::Bytes;
use futures_util::stream;
use hyper::HeaderMap;
use hyper::header::CONTENT_TYPE;
use multer::{Field, Multipart};
use serde::Serialize;
use sha2::{Digest, Sha256};
use tokio::sync::mpsc;

use crate::content::memory::{Memory, Share};
use crate::content::refusal::Refusal;
use crate::content::request::{Received, hex, text};

/// Pieces that the reader may be ahead of the parser.
const AHEAD: usize = 2;

#[derive(Debug, PartialEq, Eq, Serialize)]
struct Part {
    name: Option<String>,
    filename: Option<String>,
    content_type: Option<String>,
    bytes: u64,
    sha256: String,
}

/// The parts, in the order sent.
#[derive(Debug, Serialize)]
pub struct Described {
    parts: Vec<Part>,
}

/// The boundary in the content type.
pub fn boundary(headers: &HeaderMap) -> Result<String, Refusal> {
    let wrong = Refusal::MediaType("multipart/form-data with a boundary");
    let value = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
    multer::parse_boundary(value.unwrap_or_default()).map_err(|_| wrong)
}

/// `{"parts":[{"name":…,"filename":…,"content_type":…,"bytes":N,"sha256":…},…]}`
///
/// What the parser has not given back takes memory: it keeps everything while it looks for a
/// boundary, or for the end of a part's head.
pub async fn described(
    mut content: Received,
    boundary: String,
    memory: &Memory,
) -> Result<Described, Refusal> {
    let share = RefCell::new(memory.share());
    // The parser needs a stream that is `Send`, and `Received` is not.
    let (sender, mut pieces) = mpsc::channel::<Bytes>(AHEAD);
    let stream =
        stream::poll_fn(move |cx| pieces.poll_recv(cx).map(|piece| piece.map(Ok::<_, Infallible>)));
    let reading = async {
        while let Some(piece) = content.next().await? {
            // If the parser has stopped, it reports the error itself, and keeps nothing.
            if !sender.is_closed() && !share.borrow_mut().take(piece.len()) {
                content.refuse();
                return Err(Refusal::Busy);
            }
            let _ = sender.send(piece).await;
        }
        drop(sender);
        content.end();
        Ok(())
    };
    let (read, parsed) = tokio::join!(reading, parse(Multipart::new(stream, boundary), &share));
    read?;
    let parts = parsed.map_err(|error| Refusal::BadContent(format!("not multipart: {error}")))?;
    Ok(Described { parts })
}

async fn parse(mut multipart: Multipart<'_>, share: &RefCell<Share>) -> multer::Result<Vec<Part>> {
    let mut parts = Vec::new();
    while let Some(field) = multipart.next_field().await? {
        parts.push(part(field, share).await?);
    }
    Ok(parts)
}

async fn part(mut field: Field<'_>, share: &RefCell<Share>) -> multer::Result<Part> {
    let mut bytes = 0;
    let mut hasher = Sha256::new();
    while let Some(piece) = field.chunk().await? {
        bytes += piece.len() as u64;
        hasher.update(&piece);
        share.borrow_mut().give_back(piece.len());
    }
    let filename = field.file_name().map(str::to_owned);
    // text/plain is the default of a text field (RFC 7578, section 4.4): saying so makes no
    // difference.
    let content_type = filename.as_ref().and_then(|_| field.headers().get(CONTENT_TYPE));
    Ok(Part {
        name: field.name().map(str::to_owned),
        content_type: content_type.map(|value| text(value.as_bytes())),
        filename,
        bytes,
        sha256: hex(&hasher.finalize()),
    })
}
