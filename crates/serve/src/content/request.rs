//! The content of requests: counted, timed and hashed while it arrives.

use std::rc::Rc;
use std::time::Instant;

use bytes::Bytes;
use http_body::Body as _;
use http_body_util::BodyExt as _;
use hyper::body::Incoming;
use hyper::header::CONTENT_TYPE;
use hyper::http::request::Parts;
use hyper::{Method, Version};
use serde::Serialize;
use sha2::{Digest, Sha256};

use crate::content::memory::{Held, Memory};
use crate::content::refusal::Refusal;
use crate::ledger::counters::Upload;
use crate::ledger::events::Record;
use crate::ledger::watch::What;

/// Methods whose requests count as uploads even without content.
const UPLOADING: [Method; 3] = [Method::PUT, Method::POST, Method::PATCH];

/// The number of content bytes, and their SHA-256 if it was asked for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Sum {
    pub bytes: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sha256: Option<String>,
}

/// The content of one request while it is read.
#[derive(Debug)]
pub struct Received {
    content: Incoming,
    record: Rc<Record>,
    stream: u32,
    limit: u64,
    bytes: u64,
    hasher: Option<Sha256>,
    begun: Option<(Instant, u64)>,
    upload: Option<Upload>,
}

impl Received {
    /// Call this as soon as the request's head has been read: the time to the content is measured
    /// from here. `stream`: of HTTP/2, for whoever watches.
    pub fn new(
        parts: &Parts,
        content: Incoming,
        record: Rc<Record>,
        limit: u64,
        stream: u32,
    ) -> Self {
        let begun = (!content.is_end_stream()).then(|| (Instant::now(), record.content_begins()));
        let is_upload = begun.is_some() || UPLOADING.contains(&parts.method);
        let upload = (is_upload && record.ledger.digest()).then(|| Upload {
            method: parts.method.to_string(),
            target: target(parts),
            content_type: parts.headers.get(CONTENT_TYPE).map(|value| text(value.as_bytes())),
            bytes: 0,
            sha256: String::new(),
        });
        Self {
            hasher: upload.as_ref().map(|_| Sha256::new()),
            upload,
            limit,
            bytes: 0,
            begun,
            content,
            record,
            stream,
        }
    }

    /// Has the content hashed.
    pub fn hashed(mut self) -> Self {
        self.hasher.get_or_insert_default();
        self
    }

    /// Refuses content whose announced length exceeds the limit, before any of it is read.
    pub fn check_length(&self) -> Result<(), Refusal> {
        if self.content.size_hint().lower() > self.limit {
            self.record.refuse_content();
            return Err(Refusal::TooLarge(self.limit));
        }
        Ok(())
    }

    /// Leaves the content unread. What the client sends of it is dropped after the answer.
    pub fn refuse(self) {
        self.record.refuse_content();
    }

    /// Reads the next piece; `None` at the end.
    pub async fn next(&mut self) -> Result<Option<Bytes>, Refusal> {
        while let Some(frame) = self.content.frame().await {
            let frame = frame.map_err(|error| self.broken(&error))?;
            // Trailers are not content.
            let Ok(piece) = frame.into_data() else { continue };
            self.count(&piece)?;
            return Ok(Some(piece));
        }
        Ok(None)
    }

    fn broken(&self, error: &hyper::Error) -> Refusal {
        // In HTTP/2 only the stream ends; the connection goes on.
        if !self.record.is_multiplexed() {
            self.record.malformed();
        }
        Refusal::BrokenContent(format!("the content cannot be read: {error}"))
    }

    fn count(&mut self, piece: &Bytes) -> Result<(), Refusal> {
        let bytes = piece.len() as u64;
        self.bytes += bytes;
        self.record.ledger.body_bytes_in.add(bytes);
        if let Some(hasher) = &mut self.hasher {
            hasher.update(piece);
        }
        if self.bytes > self.limit {
            self.record.refuse_content();
            return Err(Refusal::TooLarge(self.limit));
        }
        Ok(())
    }

    /// Reads and drops the rest of the content.
    pub async fn drain(mut self) -> Result<Sum, Refusal> {
        while self.next().await?.is_some() {}
        Ok(self.end())
    }

    /// Reads all content into memory, of which it keeps its share.
    pub async fn collect(mut self, memory: &Memory) -> Result<Held, Refusal> {
        let mut share = memory.share();
        let mut pieces = Pieces::of(self.content.size_hint().lower());
        while let Some(piece) = self.next().await? {
            if !share.take(piece.len()) {
                self.record.refuse_content();
                return Err(Refusal::Busy);
            }
            pieces.push(piece);
        }
        self.end();
        Ok(Held::new(pieces.joined(), share))
    }

    /// Enters the content into the ledger. Call this once all of it has been read.
    pub fn end(self) -> Sum {
        let ledger = &self.record.ledger;
        if let Some((head_at, read)) = self.begun {
            ledger.head_to_body(head_at.elapsed());
            self.record.content_ends(read);
            let (stream, size) = (self.stream, self.bytes);
            self.record.note(|| What::Content { stream, size });
        }
        let sha256 = self.hasher.map(|hasher| hex(&hasher.finalize()));
        if let Some(upload) = self.upload {
            let sha256 = sha256.clone().unwrap_or_default();
            ledger.uploaded(Upload { bytes: self.bytes, sha256, ..upload });
        }
        Sum { bytes: self.bytes, sha256 }
    }
}

/// The target as the client sent it. HTTP/2 sends a URI in parts (RFC 9113, section 8.3.1); hyper
/// joins them, but only path and query are the target.
pub fn target(parts: &Parts) -> String {
    match parts.uri.path_and_query() {
        Some(target) if parts.version == Version::HTTP_2 => target.to_string(),
        _ => parts.uri.to_string(),
    }
}

/// The most memory that is taken because of a length that a client merely announces.
const RESERVED_BYTES: u64 = 1 << 20;

/// Content that comes in pieces. Each is copied as it comes: kept by itself, a piece of one byte
/// would take the memory of its handle, and of everything that was read together with it.
#[derive(Debug)]
struct Pieces {
    announced: u64,
    /// The first piece, which is not copied if it remains the only one.
    first: Bytes,
    all: Vec<u8>,
}

impl Pieces {
    fn of(announced: u64) -> Self {
        Self { announced, first: Bytes::new(), all: Vec::new() }
    }

    fn push(&mut self, piece: Bytes) {
        if self.first.is_empty() && self.all.is_empty() {
            self.first = piece;
            return;
        }
        if !self.first.is_empty() {
            // Lossless: it is at most RESERVED_BYTES.
            self.all.reserve(self.announced.min(RESERVED_BYTES) as usize);
            self.all.extend_from_slice(&std::mem::take(&mut self.first));
        }
        self.all.extend_from_slice(&piece);
    }

    fn joined(mut self) -> Bytes {
        if self.all.is_empty() {
            return self.first;
        }
        self.all.shrink_to_fit();
        self.all.into()
    }
}

/// Lower-case hexadecimal digits.
pub fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write as _;
    bytes.iter().fold(String::with_capacity(2 * bytes.len()), |mut text, byte| {
        // Writing into a String cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// The value of a field as text: UTF-8 if it is valid, otherwise ISO-8859-1 (RFC 9110, section
/// 5.5).
pub fn text(value: &[u8]) -> String {
    match str::from_utf8(value) {
        Ok(text) => text.to_owned(),
        Err(_) => value.iter().map(|byte| char::from(*byte)).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn content_in_small_pieces_takes_hardly_more_memory_than_it_has_bytes() {
        for announced in [0, 1_000_000, 64 << 30] {
            let mut pieces = Pieces::of(announced);
            for _ in 0..1_000_000 {
                pieces.push(Bytes::from_static(b"x"));
            }
            assert!(pieces.all.capacity() <= 2_000_000, "{}", pieces.all.capacity());
            assert_eq!(pieces.joined(), vec![b'x'; 1_000_000]);
        }
    }

    #[test]
    fn pieces_are_joined_in_order() {
        let joined = |all: &[&'static [u8]]| {
            let mut pieces = Pieces::of(5);
            for piece in all {
                pieces.push(Bytes::from_static(piece));
            }
            pieces.joined()
        };
        assert_eq!(joined(&[]), "");
        assert_eq!(joined(&[b"", b"a", b"", b"bc", b"de"]), "abcde");
        let only: &[u8] = b"only";
        assert_eq!(joined(&[b"only"]).as_ptr(), only.as_ptr());
    }
}
