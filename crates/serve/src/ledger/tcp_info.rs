//! What the kernel knows about a TCP connection.

#![allow(unsafe_code)]

use std::mem::{MaybeUninit, size_of};
use std::os::fd::RawFd;

use libc::{
    FIONREAD, IPPROTO_TCP, TCP_INFO, TCP_QUICKACK, TIOCOUTQ, c_int, c_ulong, c_void, getsockopt,
    ioctl, setsockopt, socklen_t, tcp_info,
};
use serde::Serialize;

/// States of a connection whose peer has closed its side (Linux: `include/net/tcp_states.h`).
const CLOSED: u8 = 7;
const CLOSE_WAIT: u8 = 8;
const LAST_ACK: u8 = 9;

/// The part of `TCP_INFO` (tcp(7)) that the ledger needs, since the connection was opened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct TcpInfo {
    #[serde(skip)]
    state: u8,
    /// Time with data to send, in microseconds.
    pub busy_us: u64,
    /// Of it: held by the peer's window.
    pub rwnd_limited_us: u64,
    /// Of it: held by the send buffer.
    pub sndbuf_limited_us: u64,
    /// The smoothed round-trip time.
    pub rtt_us: u64,
    pub segments_in: u64,
    pub segments_out: u64,
    /// Segments with data that have arrived.
    pub data_segments_in: u64,
    pub data_segments_out: u64,
    /// Segments that were retransmitted.
    pub retransmits: u64,
    /// Segments that arrived at the peer.
    pub delivered: u64,
}

impl TcpInfo {
    /// Asks the kernel; zeros if it does not answer.
    pub fn of(socket: RawFd) -> Self {
        let mut info = MaybeUninit::<tcp_info>::zeroed();
        let mut length = size_of::<tcp_info>() as socklen_t;
        // SAFETY: the pointers are to live memory of the length given, and the kernel writes no
        // more than that; every bit pattern, zeros included, is a valid tcp_info.
        let info = unsafe {
            let target = info.as_mut_ptr().cast::<c_void>();
            if getsockopt(socket, IPPROTO_TCP, TCP_INFO, target, &raw mut length) != 0 {
                return Self::default();
            }
            info.assume_init()
        };
        Self {
            state: info.tcpi_state,
            busy_us: info.tcpi_busy_time,
            rwnd_limited_us: info.tcpi_rwnd_limited,
            sndbuf_limited_us: info.tcpi_sndbuf_limited,
            rtt_us: info.tcpi_rtt.into(),
            segments_in: info.tcpi_segs_in.into(),
            segments_out: info.tcpi_segs_out.into(),
            data_segments_in: info.tcpi_data_segs_in.into(),
            data_segments_out: info.tcpi_data_segs_out.into(),
            retransmits: info.tcpi_total_retrans.into(),
            delivered: info.tcpi_delivered.into(),
        }
    }

    /// Whether the other side has already closed or reset the connection.
    pub fn closed_by_peer(self) -> bool {
        matches!(self.state, CLOSED | CLOSE_WAIT | LAST_ACK)
    }
}

/// Bytes that have arrived and have not been read yet.
pub fn unread(socket: RawFd) -> u64 {
    queued(socket, FIONREAD)
}

/// Bytes that were written and that the peer has not acknowledged yet.
pub fn unacknowledged(socket: RawFd) -> u64 {
    queued(socket, TIOCOUTQ)
}

fn queued(socket: RawFd, which: c_ulong) -> u64 {
    let mut bytes: c_int = 0;
    // SAFETY: both requests write one int to the pointer given.
    let failed = unsafe { ioctl(socket, which, &raw mut bytes) } != 0;
    if failed { 0 } else { u64::try_from(bytes).unwrap_or(0) }
}

/// Acknowledges what has arrived at once. The kernel forgets this after a while (tcp(7)), so it has
/// to be asked again and again.
pub fn acknowledge_now(socket: RawFd) {
    let on: c_int = 1;
    // SAFETY: the pointer is to a live int of the length given.
    unsafe {
        setsockopt(
            socket,
            IPPROTO_TCP,
            TCP_QUICKACK,
            (&raw const on).cast::<c_void>(),
            size_of::<c_int>() as socklen_t,
        );
    }
}
