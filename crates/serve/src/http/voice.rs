//! A connection that falls silent: the origin reads on, but its client hears nothing any more.
//!
//! So does a dead peer look to an application as long as something on the way acknowledges its
//! segments. hyper acknowledges PING and SETTINGS by itself; so whatever it writes from then on is
//! left out on its way to the socket.

use std::cell::Cell;
use std::io::{self, IoSlice};
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// How many more requests of a connection are answered before it falls silent.
#[derive(Debug)]
pub struct Voice {
    left: Cell<u32>,
    lost: Cell<bool>,
}

impl Voice {
    /// One that lasts for so many requests.
    pub fn of(requests: u32) -> Rc<Self> {
        Rc::new(Self { left: Cell::new(requests), lost: Cell::new(false) })
    }

    /// A request has come. The first that is too many silences the connection, and with it answers
    /// that are still under way.
    pub fn asked(&self) {
        match self.left.get().checked_sub(1) {
            Some(left) => self.left.set(left),
            None => self.lost.set(true),
        }
    }

    pub fn is_lost(&self) -> bool {
        self.lost.get()
    }
}

/// Drops what is written once the voice is lost.
#[derive(Debug)]
pub struct Voiced<Io> {
    io: Io,
    voice: Rc<Voice>,
}

impl<Io> Voiced<Io> {
    pub fn new(io: Io, voice: Rc<Voice>) -> Self {
        Self { io, voice }
    }
}

impl<Io: AsyncRead + Unpin> AsyncRead for Voiced<Io> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.io).poll_read(cx, buffer)
    }
}

impl<Io: AsyncWrite + Unpin> AsyncWrite for Voiced<Io> {
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
        if self.voice.is_lost() {
            return Poll::Ready(Ok(pieces.iter().map(|piece| piece.len()).sum()));
        }
        Pin::new(&mut self.io).poll_write_vectored(cx, pieces)
    }

    fn is_write_vectored(&self) -> bool {
        self.io.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.io).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        // TLS writes a farewell of its own (`close_notify`).
        if self.voice.is_lost() {
            return Poll::Ready(Ok(()));
        }
        Pin::new(&mut self.io).poll_shutdown(cx)
    }
}
