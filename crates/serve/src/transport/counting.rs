//! A TCP socket whose bytes are counted.

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
use crate::ledger::tcp_info::acknowledge_now;
use crate::transport::connections::Connections;

/// Reports to the record of a connection which bytes pass, and who closes it.
#[derive(Debug)]
pub struct CountingIo {
    stream: TcpStream,
    record: Rc<Record>,
    connections: Rc<Connections>,
    quick_ack: bool,
}

/// How pieces are written; each way is one system call.
enum Way<'a> {
    /// All of them are copied into the socket.
    Copied,
    /// Only the first, a small one, is copied; the next lies in a shared file.
    Announced(&'a [u8]),
    /// Only the first is sent; it lies in a shared file, at this offset and with this length.
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
    /// Adds the connection to `connections`; it is removed when this is dropped.
    /// With `quick_ack`, all that arrives is acknowledged at once.
    pub fn new(
        stream: TcpStream,
        record: Rc<Record>,
        connections: Rc<Connections>,
        quick_ack: bool,
    ) -> Self {
        let socket = stream.as_raw_fd();
        connections.insert(socket, record.clone());
        if quick_ack {
            acknowledge_now(socket);
        }
        Self { stream, record, connections, quick_ack }
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
            0 if outcome.is_err() || buffer.remaining() > 0 => {
                self.record.end_read();
                self.record.closed_by_client();
            }
            bytes => {
                self.record.received(bytes as u64);
                if self.quick_ack {
                    acknowledge_now(self.stream.as_raw_fd());
                }
            }
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
        let Poll::Ready(sent) = self.poll_pieces(pieces, cx) else {
            self.record.blocked();
            return Poll::Pending;
        };
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

// This runs before the fields, and with them the socket, are dropped.
impl Drop for CountingIo {
    fn drop(&mut self) {
        self.record.close();
        self.connections.remove(self.stream.as_raw_fd());
        // Closing with unread bytes would reset the connection, and the client would lose the
        // answer.
        if self.record.is_malformed() {
            let _ = self.stream.try_read(&mut [0; 4096]);
        }
    }
}
