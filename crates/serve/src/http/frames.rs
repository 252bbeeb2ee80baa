//! The frames of an HTTP/2 connection, counted as they pass.
//!
//! hyper reports neither resets nor GOAWAY frames. So the nine bytes at the head of each frame are
//! read here (RFC 9113, section 4.1); the payload is skipped.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use crate::ledger::events::Record;

/// What a client sends before its first frame (RFC 9113, section 3.4).
const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

const HEAD_BYTES: usize = 9;

/// Frame types of RFC 9113, section 6.
const HEADERS: u8 = 1;
const RST_STREAM: u8 = 3;
const GOAWAY: u8 = 7;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Frame {
    kind: u8,
    stream: u32,
}

/// Finds the heads of frames in bytes that come in pieces of any size.
#[derive(Debug, Default)]
struct FrameReader {
    preface: &'static [u8],
    head: [u8; HEAD_BYTES],
    head_bytes: usize,
    payload_left: usize,
    lost: bool,
}

impl FrameReader {
    fn after(preface: &'static [u8]) -> Self {
        Self { preface, ..Self::default() }
    }

    /// Reads the next `bytes`, and calls `seen` for each frame whose head is complete.
    fn read(&mut self, bytes: &[u8], mut seen: impl FnMut(Frame)) {
        let mut bytes = self.after_preface(bytes);
        while !bytes.is_empty() && !self.lost {
            let payload = self.payload_left.min(bytes.len());
            self.payload_left -= payload;
            bytes = &bytes[payload..];
            let head = bytes.len().min(HEAD_BYTES - self.head_bytes);
            self.head[self.head_bytes..][..head].copy_from_slice(&bytes[..head]);
            self.head_bytes += head;
            bytes = &bytes[head..];
            if self.head_bytes == HEAD_BYTES {
                self.head_bytes = 0;
                let [l0, l1, l2, kind, _flags, s0, s1, s2, s3] = self.head;
                self.payload_left = u32::from_be_bytes([0, l0, l1, l2]) as usize;
                seen(Frame {
                    kind,
                    stream: u32::from_be_bytes([s0, s1, s2, s3]) & (u32::MAX >> 1),
                });
            }
        }
    }

    fn after_preface<'a>(&mut self, bytes: &'a [u8]) -> &'a [u8] {
        let (expected, found) = (self.preface.len().min(bytes.len()), bytes);
        self.lost |= found[..expected] != self.preface[..expected];
        self.preface = &self.preface[expected..];
        &found[expected..]
    }
}

/// Counts the streams that are opened, `RST_STREAM` frames and GOAWAY frames.
#[derive(Debug)]
pub struct CountingFrames<Io> {
    io: Io,
    record: Rc<Record>,
    incoming: FrameReader,
    outgoing: FrameReader,
    last_stream: u32,
}

impl<Io> CountingFrames<Io> {
    pub fn new(io: Io, record: Rc<Record>) -> Self {
        Self {
            io,
            record,
            incoming: FrameReader::after(PREFACE),
            outgoing: FrameReader::default(),
            last_stream: 0,
        }
    }

    fn received(&mut self, bytes: &[u8]) {
        let Self { incoming, last_stream, record, .. } = self;
        let ledger = &record.ledger;
        incoming.read(bytes, |frame| match frame.kind {
            // Trailers come in the same kind of frame, on a stream that is already open.
            HEADERS if frame.stream > *last_stream => {
                *last_stream = frame.stream;
                ledger.streams.add(1);
            }
            RST_STREAM => ledger.resets_by_client.add(1),
            GOAWAY => ledger.goaways_by_client.add(1),
            _ => {}
        });
    }

    fn sent(&mut self, bytes: &[u8]) {
        let Self { outgoing, record, .. } = self;
        let ledger = &record.ledger;
        outgoing.read(bytes, |frame| match frame.kind {
            RST_STREAM => ledger.resets_by_origin.add(1),
            GOAWAY => ledger.goaways_by_origin.add(1),
            _ => {}
        });
    }
}

impl<Io: AsyncRead + Unpin> AsyncRead for CountingFrames<Io> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        ready!(Pin::new(&mut self.io).poll_read(cx, buffer))?;
        self.received(&buffer.filled()[before..]);
        Poll::Ready(Ok(()))
    }
}

impl<Io: AsyncWrite + Unpin> AsyncWrite for CountingFrames<Io> {
    fn poll_write(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.poll_write_vectored(cx, &[IoSlice::new(bytes)])
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        pieces: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = ready!(Pin::new(&mut self.io).poll_write_vectored(cx, pieces))?;
        let mut left = written;
        for piece in pieces {
            let bytes = left.min(piece.len());
            self.sent(&piece[..bytes]);
            left -= bytes;
        }
        Poll::Ready(Ok(written))
    }

    fn is_write_vectored(&self) -> bool {
        self.io.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.io).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.io).poll_shutdown(cx)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn written(frame: Frame, payload: usize) -> Vec<u8> {
        let [_, l0, l1, l2] = (payload as u32).to_be_bytes();
        // The reserved bit is not part of the number (RFC 9113, section 4.1).
        let [s0, s1, s2, s3] = (frame.stream | 1 << 31).to_be_bytes();
        let mut bytes = vec![l0, l1, l2, frame.kind, 0xff, s0, s1, s2, s3];
        bytes.resize(HEAD_BYTES + payload, RST_STREAM);
        bytes
    }

    fn walked(preface: &'static [u8], bytes: &[u8], piece: usize) -> Vec<Frame> {
        let mut reader = FrameReader::after(preface);
        let mut seen = Vec::new();
        for piece in bytes.chunks(piece) {
            reader.read(piece, |frame| seen.push(frame));
        }
        seen
    }

    proptest! {
        #[test]
        fn every_frame_is_seen_however_the_bytes_are_cut(
            frames in proptest::collection::vec((0u8..12, 0u32..1 << 31, 0usize..40), 0..12),
            piece in 1usize..60,
        ) {
            let mut bytes = PREFACE.to_vec();
            let mut expected = Vec::new();
            for (kind, stream, payload) in frames {
                let frame = Frame { kind, stream };
                expected.push(frame);
                bytes.extend(written(frame, payload));
            }
            prop_assert_eq!(walked(PREFACE, &bytes, piece), expected);
        }
    }

    #[test]
    fn what_is_not_http_2_has_no_frames() {
        let request = b"GET / HTTP/1.1\r\nHost: origin.example\r\nAccept: text/html\r\n\r\n";
        assert_eq!(walked(PREFACE, request, 7), []);
    }
}
