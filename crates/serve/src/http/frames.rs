//! The frames of an HTTP/2 connection, counted as they pass.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use crate::http::frame_reader::{Frame, FrameReader, GOAWAY, HEADERS, PREFACE, RST_STREAM};
use crate::http::voice::Voice;
use crate::ledger::events::Record;
use crate::ledger::watch::{Side, What};

/// Counts the streams that are opened, `RST_STREAM` frames and GOAWAY frames.
#[derive(Debug)]
pub struct CountingFrames<Io> {
    io: Io,
    record: Rc<Record>,
    voice: Option<Rc<Voice>>,
    incoming: FrameReader,
    outgoing: FrameReader,
    last_stream: u32,
}

impl<Io> CountingFrames<Io> {
    /// `voice`: is told of each stream before hyper reads it, for hyper acknowledges a PING that
    /// comes with a request before it hands the request over.
    pub fn new(io: Io, record: Rc<Record>, voice: Option<Rc<Voice>>) -> Self {
        Self {
            io,
            record,
            voice,
            incoming: FrameReader::after(PREFACE),
            outgoing: FrameReader::default(),
            last_stream: 0,
        }
    }

    fn received(&mut self, bytes: &[u8]) {
        let Self { incoming, last_stream, record, voice, .. } = self;
        let ledger = &record.ledger;
        incoming.read(bytes, |frame, payload| {
            record.note(|| passed(Side::Client, frame, payload));
            match frame.kind {
                // Trailers come in the same kind of frame, on a stream that is already open.
                HEADERS if frame.stream > *last_stream => {
                    *last_stream = frame.stream;
                    ledger.streams.add(1);
                    record.stream_opened(frame.stream);
                    if let Some(voice) = voice {
                        voice.asked();
                    }
                }
                RST_STREAM => ledger.resets_by_client.add(1),
                GOAWAY => ledger.goaways_by_client.add(1),
                _ => {}
            }
        });
    }

    fn sent(&mut self, bytes: &[u8]) {
        let Self { outgoing, record, .. } = self;
        let ledger = &record.ledger;
        outgoing.read(bytes, |frame, payload| {
            record.note(|| passed(Side::Origin, frame, payload));
            match frame.kind {
                RST_STREAM => {
                    ledger.resets_by_origin.add(1);
                    record.stream_refused(frame.stream);
                }
                GOAWAY => ledger.goaways_by_origin.add(1),
                _ => {}
            }
        });
    }
}

fn passed(sender: Side, frame: Frame, payload: &[u8]) -> What {
    What::Frame {
        sender,
        frame: frame.name(),
        stream: frame.stream,
        size: frame.size,
        flags: frame.flags,
        value: frame.value(payload),
        settings: frame.settings(payload),
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
