//! The content of answers, as hyper sends it.

use std::convert::Infallible;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};
use tokio::time::{Instant, Sleep, sleep_until};

use crate::content::bodies;
use crate::ledger::events::Record;

/// The error that ends the content of `/truncate/N` before its announced end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Truncated {
    /// The bytes of content that come before the end.
    pub size: u64,
    /// The length that the head announces; `None` for chunks, of which the last is missing.
    pub announced: Option<u64>,
}

impl std::fmt::Display for Truncated {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("truncated, as asked")
    }
}

impl std::error::Error for Truncated {}

impl From<Infallible> for Truncated {
    fn from(never: Infallible) -> Self {
        match never {}
    }
}

/// The part of `/bytes/N` that is still to be sent.
#[derive(Clone, Copy, Debug)]
pub struct Rest {
    position: u64,
    left: u64,
}

impl Rest {
    fn next(&mut self, at_most: u64) -> Option<Frame<Bytes>> {
        if self.left == 0 {
            return None;
        }
        let piece = bodies::bytes(self.position, self.left.min(at_most));
        self.position += piece.len() as u64;
        self.left -= piece.len() as u64;
        Some(Frame::data(piece))
    }
}

/// One answer's content.
#[derive(Debug)]
pub enum Content {
    /// In one piece.
    Whole(Bytes),
    /// Of known length, in pieces of at most [`bodies::PIECE_BYTES`].
    Stream(Rest),
    /// Without an announced length, in pieces of `chunk` bytes.
    Chunked { rest: Rest, chunk: u64 },
    /// `size` bytes at a time, one write after each interval.
    Drip { rest: Rest, size: u64, every: Duration, next: Pin<Box<Sleep>> },
    /// In so many pieces, each of which is written on its own.
    InPieces(Box<Pieces>),
    /// Ends with an error before everything that its framing announces has been sent.
    Truncate { promised: Option<u64>, rest: Rest, chunk: u64, record: Rc<Record>, flushes: u64 },
}

impl Content {
    pub fn empty() -> Self {
        Self::Whole(Bytes::new())
    }

    pub fn bytes(length: u64) -> Self {
        if length <= bodies::PIECE_BYTES as u64 {
            Self::Whole(bodies::bytes(0, length))
        } else {
            Self::Stream(Rest { position: 0, left: length })
        }
    }

    /// The same in so many pieces, if it has a known length and there is something to divide.
    pub fn in_pieces(self, pieces: u64, record: &Rc<Record>) -> Self {
        let Some(length) = self.size_hint().exact().filter(|length| pieces > 1 && *length > 1)
        else {
            return self;
        };
        let most = usize::try_from(length.div_ceil(pieces)).unwrap_or(usize::MAX);
        let (content, record) = (self, record.clone());
        Self::InPieces(Box::new(Pieces {
            content,
            rest: Bytes::new(),
            most,
            record,
            flushes: None,
        }))
    }

    pub fn chunked(length: u64, chunk: u64) -> Self {
        Self::Chunked { rest: Rest { position: 0, left: length }, chunk }
    }

    pub fn drip(length: u64, size: u64, every: Duration) -> Self {
        let next = Box::pin(sleep_until(Instant::now()));
        Self::Drip { rest: Rest { position: 0, left: length }, size, every, next }
    }

    /// Without `chunk`: announces `length` and sends half of it. With it: sends all bytes in
    /// chunks, but not the last chunk of length 0.
    pub fn truncate(length: u64, chunk: Option<u64>, record: Rc<Record>) -> Self {
        let flushes = record.flushes();
        let sent = if chunk.is_none() { length / 2 } else { length };
        Self::Truncate {
            promised: chunk.is_none().then_some(length),
            rest: Rest { position: 0, left: sent },
            chunk: chunk.unwrap_or(u64::MAX),
            record,
            flushes,
        }
    }
}

/// Content that is divided, and whose pieces are written one by one.
#[derive(Debug)]
pub struct Pieces {
    content: Content,
    rest: Bytes,
    most: usize,
    record: Rc<Record>,
    /// How often everything had been written when the last piece was handed over.
    flushes: Option<u64>,
}

impl Pieces {
    fn poll_frame(
        &mut self,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Truncated>>> {
        if let Some(flushes) = self.flushes {
            ready!(self.record.poll_flushed(flushes, cx));
        }
        if self.rest.is_empty() {
            match ready!(Pin::new(&mut self.content).poll_frame(cx)) {
                Some(Ok(frame)) => self.rest = frame.into_data().unwrap_or_default(),
                end => return Poll::Ready(end),
            }
        }
        self.flushes = Some(self.record.flushes());
        let piece = self.rest.split_to(self.rest.len().min(self.most));
        Poll::Ready(Some(Ok(Frame::data(piece))))
    }

    fn is_end(&self) -> bool {
        self.rest.is_empty() && self.content.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        let left = self.content.size_hint().exact().unwrap_or(0);
        SizeHint::with_exact(left + self.rest.len() as u64)
    }
}

impl Body for Content {
    type Data = Bytes;
    type Error = Truncated;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Truncated>>> {
        let frame = match &mut *self {
            Self::Whole(bytes) => {
                let bytes = std::mem::take(bytes);
                (!bytes.is_empty()).then(|| Frame::data(bytes))
            }
            Self::Stream(rest) => rest.next(u64::MAX),
            Self::Chunked { rest, chunk } => rest.next(*chunk),
            Self::Drip { rest, size, every, next } => {
                ready!(next.as_mut().poll(cx));
                let due = next.deadline() + *every;
                next.as_mut().reset(due);
                rest.next(*size)
            }
            Self::InPieces(pieces) => return pieces.poll_frame(cx),
            Self::Truncate { promised, rest, chunk, record, flushes } => {
                if let Some(frame) = rest.next(*chunk) {
                    *flushes = record.flushes();
                    Some(frame)
                } else {
                    // When content fails, hyper drops what it has not written yet.
                    ready!(record.poll_flushed(*flushes, cx));
                    let cut = Truncated { size: rest.position, announced: *promised };
                    return Poll::Ready(Some(Err(cut)));
                }
            }
        };
        Poll::Ready(frame.map(Ok))
    }

    fn is_end_stream(&self) -> bool {
        match self {
            Self::Whole(bytes) => bytes.is_empty(),
            Self::Stream(rest) | Self::Chunked { rest, .. } | Self::Drip { rest, .. } => {
                rest.left == 0
            }
            Self::InPieces(pieces) => pieces.is_end(),
            Self::Truncate { promised, .. } => *promised == Some(0),
        }
    }

    fn size_hint(&self) -> SizeHint {
        match self {
            Self::Whole(bytes) => SizeHint::with_exact(bytes.len() as u64),
            Self::Stream(rest) | Self::Drip { rest, .. } => SizeHint::with_exact(rest.left),
            Self::InPieces(pieces) => pieces.size_hint(),
            Self::Chunked { .. } | Self::Truncate { promised: None, .. } => SizeHint::default(),
            Self::Truncate { promised: Some(promised), .. } => SizeHint::with_exact(*promised),
        }
    }
}
