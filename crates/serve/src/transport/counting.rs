//! A socket that tells its record what passes.

use std::io::{self, IoSlice};
use std::os::fd::AsRawFd as _;
use std::pin::Pin;
use std::rc::Rc;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use rustix::net::{SendFlags, send};
use tokio::io::{AsyncRead, AsyncWrite, Interest, ReadBuf};
use tokio::net::TcpStream;

use crate::content::shared_file::{self, SharedFile};
use crate::ledger::events::Record;
use crate::transport::connections::Connections;

/// Counts the bytes of a connection, and sees who closes it.
#[derive(Debug)]
pub struct CountingIo {
    stream: TcpStream,
    record: Rc<Record>,
    connections: Rc<Connections>,
}

/// How pieces are best written; each way is one system call.
enum Way<'a> {
    /// All of them at once.
    Copied,
    /// The first is small, and a shared one follows.
    Announced(&'a [u8]),
    /// The first is shared.
    Shared(Arc<SharedFile>, u64, usize),
}

impl<'a> Way<'a> {
    fn of(pieces: &'a [IoSlice<'a>]) -> Self {
        match pieces {
            [first, ..] if first.len() >= shared_file::LEAST_BYTES => {
                match shared_file::find(first) {
                    Some((file, offset)) => Self::Shared(file, offset, first.len()),
                    None => Self::Copied,
                }
            }
            [first, second, ..] if !first.is_empty() && shared_file::find(second).is_some() => {
                Self::Announced(first)
            }
            _ => Self::Copied,
        }
    }
}

impl CountingIo {
    /// The connection is one of `connections` for as long as its socket is open.
    pub fn new(stream: TcpStream, record: Rc<Record>, connections: Rc<Connections>) -> Self {
        connections.insert(stream.as_raw_fd(), record.clone());
        Self { stream, record, connections }
    }

    fn poll_pieces(
        &mut self,
        pieces: &[IoSlice<'_>],
        cx: &mut Context<'_>,
    ) -> Poll<io::Result<usize>> {
        match Way::of(pieces) {
            Way::Copied => Pin::new(&mut self.stream).poll_write_vectored(cx, pieces),
            Way::Announced(piece) => self.poll_call(cx, |stream| {
                Ok(send(stream, piece, SendFlags::MORE | SendFlags::NOSIGNAL)?)
            }),
            Way::Shared(file, offset, length) => {
                self.poll_call(cx, |stream| file.send(stream, offset, length))
            }
        }
    }

    fn poll_call(
        &self,
        cx: &mut Context<'_>,
        call: impl Fn(&TcpStream) -> io::Result<usize>,
    ) -> Poll<io::Result<usize>> {
        loop {
            ready!(self.stream.poll_write_ready(cx))?;
            match self.stream.try_io(Interest::WRITABLE, || call(&self.stream)) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                outcome => return Poll::Ready(outcome),
            }
        }
    }

    fn count_sent(&self, sent: io::Result<usize>) -> io::Result<usize> {
        match &sent {
            Ok(bytes) => self.record.sent(*bytes as u64),
            Err(_) => self.record.closed_by_client(),
        }
        sent
    }
}

impl AsyncRead for CountingIo {
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

impl AsyncWrite for CountingIo {
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
        let sent = ready!(self.poll_pieces(pieces, cx));
        Poll::Ready(self.count_sent(sent))
    }

    fn is_write_vectored(&self) -> bool {
        true
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
impl Drop for CountingIo {
    fn drop(&mut self) {
        self.record.close();
        self.connections.remove(self.stream.as_raw_fd());
        // Bytes that are left unread would make the close a reset, and take what was said with it.
        if self.record.is_malformed() {
            let _ = self.stream.try_read(&mut [0; 4096]);
        }
    }
}
