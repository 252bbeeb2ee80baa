//! A stream that tells its record what passes.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use crate::record::Record;

/// Counts the bytes of `S`, and sees who closes it.
#[derive(Debug)]
pub struct CountingIo<S> {
    stream: S,
    record: Rc<Record>,
}

impl<S> CountingIo<S> {
    pub fn new(stream: S, record: Rc<Record>) -> Self {
        Self { stream, record }
    }

    fn count_sent(&self, sent: io::Result<usize>) -> io::Result<usize> {
        match &sent {
            Ok(bytes) => self.record.sent(*bytes as u64),
            Err(_) => self.record.closed_by_client(),
        }
        sent
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for CountingIo<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        self.record.reading();
        let outcome = ready!(Pin::new(&mut self.stream).poll_read(cx, buffer));
        match buffer.filled().len() - before {
            0 if outcome.is_err() || buffer.remaining() > 0 => self.record.closed_by_client(),
            bytes => self.record.received(bytes as u64),
        }
        Poll::Ready(outcome)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for CountingIo<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let sent = ready!(Pin::new(&mut self.stream).poll_write(cx, bytes));
        Poll::Ready(self.count_sent(sent))
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        pieces: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let sent = ready!(Pin::new(&mut self.stream).poll_write_vectored(cx, pieces));
        Poll::Ready(self.count_sent(sent))
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        ready!(Pin::new(&mut self.stream).poll_flush(cx))?;
        self.record.flushed();
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.record.closing();
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}

// The record is closed before the fields, and with them the socket, are dropped.
impl<S> Drop for CountingIo<S> {
    fn drop(&mut self) {
        self.record.close();
    }
}
