//! The events of one connection, and what the ledger concludes from them.

use std::cell::{Cell, OnceCell, RefCell};
use std::collections::VecDeque;
use std::os::fd::RawFd;
use std::rc::Rc;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use tokio::task::AbortHandle;

use crate::ledger::counters::Ledger;
use crate::ledger::tcp_info::{self, TcpInfo};
use crate::ledger::watch::{Side, What};

/// Sweeps since the listener was opened: a coarse clock that costs nothing to read.
pub type Sweep = u64;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    /// No byte of the next request has arrived yet.
    Idle,
    /// Part of a request head has arrived, the first byte at that sweep.
    Head(Sweep),
    /// A request is being answered.
    Answering,
    /// HTTP/2: several requests may be answered at once.
    Multiplexed,
}

/// What is known about whether a request's content arrived together with its head.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Arrival {
    /// Nothing has been read since the head.
    WithHead,
    /// More had to be read. This many bytes were already in the socket when the head had been read.
    Queued(u64),
}

/// The state of one connection that counting, serving and sweeping share.
#[derive(Debug)]
pub struct Record {
    pub ledger: Rc<Ledger>,
    /// Connections of a ledger are counted from 1.
    number: u64,
    socket: RawFd,
    now: Rc<Cell<Sweep>>,
    phase: Cell<Phase>,
    active: Cell<Sweep>,
    read: Cell<u64>,
    arrival: Cell<Option<Arrival>>,
    flushes: Cell<u64>,
    flushed: RefCell<Vec<Waker>>,
    ended: Cell<bool>,
    closed_by_client: Cell<bool>,
    malformed: Cell<bool>,
    refused: Cell<bool>,
    /// For how long the origin reads nothing after an answer to content that it has not read.
    ignores: Cell<Option<Duration>>,
    shutdown_asked: Cell<bool>,
    /// HTTP/2 streams that were opened while somebody watched, and whose requests hyper has not
    /// handed over yet.
    opened: RefCell<VecDeque<u32>>,
    is_blocked: Cell<bool>,
    is_secure: Cell<bool>,
    task: OnceCell<AbortHandle>,
}

impl Record {
    /// Enters a connection that was just accepted, from this port, into the ledger.
    pub fn open(ledger: Rc<Ledger>, socket: RawFd, port: u16, now: Rc<Cell<Sweep>>) -> Rc<Self> {
        ledger.connections.add(1);
        let number = ledger.connections.get();
        ledger.watch.note(number, || What::Accepted { port });
        Rc::new(Self {
            ledger,
            number,
            socket,
            phase: Cell::new(Phase::Idle),
            active: Cell::new(now.get()),
            now,
            read: Cell::new(0),
            arrival: Cell::new(None),
            flushes: Cell::new(0),
            flushed: RefCell::default(),
            ended: Cell::new(false),
            closed_by_client: Cell::new(false),
            malformed: Cell::new(false),
            refused: Cell::new(false),
            ignores: Cell::new(None),
            shutdown_asked: Cell::new(false),
            opened: RefCell::default(),
            is_blocked: Cell::new(false),
            is_secure: Cell::new(false),
            task: OnceCell::new(),
        })
    }

    /// The connection is about to be closed. Call this while its socket is still open.
    pub fn close(&self) {
        self.closing();
        let tcp = self.tcp_info();
        self.ledger.closed(tcp);
        self.note(|| What::Tcp(tcp));
    }

    /// Tells whoever watches.
    pub fn note(&self, what: impl FnOnce() -> What) {
        self.ledger.watch.note(self.number, what);
    }

    /// Tells whoever watches what the kernel knows by now.
    pub fn note_tcp_info(&self) {
        self.note(|| What::Tcp(self.tcp_info()));
    }

    /// What the kernel knows about the connection.
    pub fn tcp_info(&self) -> TcpInfo {
        TcpInfo::of(self.socket)
    }

    pub fn served_by(&self, task: AbortHandle) {
        let _ = self.task.set(task);
    }

    pub fn abort(&self) {
        if let Some(task) = self.task.get() {
            task.abort();
        }
    }

    /// The socket is about to be read. What has arrived until now came together with the head.
    pub fn reading(&self) {
        if self.arrival.get() == Some(Arrival::WithHead) {
            self.arrival.set(Some(Arrival::Queued(tcp_info::unread(self.socket))));
        }
    }

    pub fn received(&self, bytes: u64) {
        self.note(|| What::Read { size: bytes });
        self.ledger.bytes_in.add(bytes);
        self.read.set(self.read.get() + bytes);
        self.active.set(self.now.get());
        if self.phase.get() == Phase::Idle {
            self.phase.set(Phase::Head(self.now.get()));
        }
    }

    pub fn sent(&self, bytes: u64) {
        self.is_blocked.set(false);
        self.note(|| What::Written { size: bytes });
        self.ledger.bytes_out.add(bytes);
        self.active.set(self.now.get());
    }

    /// The socket takes no more for now.
    pub fn blocked(&self) {
        // A socket that was just accepted may be called full until it was asked once.
        let is_watched = self.ledger.watch.is_on();
        if is_watched && tcp_info::unacknowledged(self.socket) > 0 && !self.is_blocked.replace(true)
        {
            self.note(|| What::Blocked);
        }
    }

    /// The client's side of the connection has ended.
    pub fn end_read(&self) {
        self.note(|| What::Read { size: 0 });
    }

    /// HTTP/2: a stream was opened.
    pub fn stream_opened(&self, stream: u32) {
        if self.ledger.watch.is_on() {
            self.opened.borrow_mut().push_back(stream);
        }
    }

    /// HTTP/2: a stream was reset, perhaps before its request was handed over.
    pub fn stream_refused(&self, stream: u32) {
        self.opened.borrow_mut().retain(|opened| *opened != stream);
    }

    /// The stream of the request that hyper hands over now: it does so in the order in which they
    /// were opened, and does not tell their numbers. 0 in HTTP/1.1, or if nobody watches.
    pub fn next_stream(&self) -> u32 {
        self.opened.borrow_mut().pop_front().unwrap_or(0)
    }

    /// Everything has been written to the socket.
    pub fn flushed(&self) {
        self.flushes.set(self.flushes.get() + 1);
        for waiting in self.flushed.take() {
            waiting.wake();
        }
    }

    /// How often everything has been written to the socket.
    pub fn flushes(&self) -> u64 {
        self.flushes.get()
    }

    /// Waits until everything has been written to the socket more often than `flushes` times.
    pub fn poll_flushed(&self, flushes: u64, cx: &Context<'_>) -> Poll<()> {
        if self.flushes.get() > flushes {
            return Poll::Ready(());
        }
        self.flushed.borrow_mut().push(cx.waker().clone());
        Poll::Pending
    }

    /// The client closed or reset the connection.
    pub fn closed_by_client(&self) {
        if !self.ended.replace(true) {
            self.closed_by_client.set(true);
            self.ledger.closed_by_client.add(1);
            self.note(|| What::Closed { by: Side::Client });
        }
    }

    pub fn was_closed_by_client(&self) -> bool {
        self.closed_by_client.get()
    }

    /// The origin is about to close the connection, unless the client has already closed it.
    pub fn closing(&self) {
        if !self.ended.replace(true) {
            let by_client = self.tcp_info().closed_by_peer();
            let ledger = &self.ledger;
            if by_client { &ledger.closed_by_client } else { &ledger.closed_by_origin }.add(1);
            self.note(|| What::Closed { by: if by_client { Side::Client } else { Side::Origin } });
        }
    }

    /// The TLS handshake is done. The time limit for a request head starts anew with the next byte.
    pub fn handshake_done(&self) {
        self.phase.set(Phase::Idle);
        self.is_secure.set(true);
    }

    /// The scheme of the URIs that lead to this connection (RFC 9110, section 4.2).
    pub fn scheme(&self) -> &'static str {
        if self.is_secure.get() { "https" } else { "http" }
    }

    /// HTTP/2 is spoken: from now on nobody knows which bytes belong to a request's head.
    pub fn multiplexed(&self) {
        self.phase.set(Phase::Multiplexed);
    }

    pub fn is_multiplexed(&self) -> bool {
        self.phase.get() == Phase::Multiplexed
    }

    /// A request's head has been read.
    pub fn head_read(&self) {
        self.turn(Phase::Answering);
    }

    /// HTTP/1: a request is being answered. If its content does not come to its end, whoever reads
    /// that finds out, not the connection.
    pub fn is_answering(&self) -> bool {
        self.phase.get() == Phase::Answering
    }

    fn turn(&self, phase: Phase) {
        if !self.is_multiplexed() {
            self.phase.set(phase);
        }
    }

    /// The content of that request comes next. Returns the number of bytes that have been read so
    /// far.
    pub fn content_begins(&self) -> u64 {
        self.arrival.set(Some(Arrival::WithHead));
        self.read.get()
    }

    /// The content is complete. `begun` is what [`Self::content_begins`] returned.
    pub fn content_ends(&self, begun: u64) {
        if self.is_multiplexed() {
            return;
        }
        let queued = match self.arrival.take() {
            Some(Arrival::Queued(queued)) => queued,
            _ => 0,
        };
        if self.read.get() - begun <= queued {
            self.ledger.body_with_head.add(1);
        }
    }

    /// hyper has taken all of the answer, or the exchange was given up.
    pub fn answered(&self) {
        self.turn(Phase::Idle);
        self.arrival.set(None);
    }

    /// What arrived was not a request. Counts once for each connection.
    pub fn malformed(&self) {
        if !self.malformed.replace(true) {
            self.ledger.bad_requests.add(1);
        }
    }

    pub fn is_malformed(&self) -> bool {
        self.malformed.get()
    }

    /// Asks for a graceful shutdown of HTTP/2: the connection ends after the answers that are due.
    pub fn ask_for_shutdown(&self) {
        self.shutdown_asked.set(true);
    }

    /// Whether it was asked for since the last call.
    pub fn shutdown_asked_for(&self) -> bool {
        self.shutdown_asked.take()
    }

    /// Content was refused before it was read.
    pub fn refuse_content(&self) {
        self.refused.set(true);
    }

    pub fn content_refused(&self) -> bool {
        self.refused.get()
    }

    /// Content is to be refused, and none of it read for so long after the answer.
    pub fn ignore_content(&self, pause: Duration) {
        self.refuse_content();
        self.ignores.set(Some(pause));
    }

    /// For how long nothing is to be read, if that was asked for.
    pub fn content_ignored(&self) -> Option<Duration> {
        self.ignores.get()
    }

    /// Whether the client has acknowledged everything that was written.
    pub fn is_acknowledged(&self) -> bool {
        tcp_info::unacknowledged(self.socket) == 0
    }

    /// Ends the connection if it has kept the origin waiting for too many sweeps.
    pub fn sweep(&self, head_sweeps: Sweep, idle_sweeps: Sweep) {
        let now = self.now.get();
        let slow_head = matches!(self.phase.get(), Phase::Head(since) if now - since > head_sweeps);
        if slow_head {
            self.malformed();
        }
        if slow_head || now - self.active.get() > idle_sweeps {
            self.abort();
        }
    }
}
