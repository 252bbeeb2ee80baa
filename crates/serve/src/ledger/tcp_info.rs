//! What the kernel knows about a TCP connection.

#![allow(unsafe_code)]

use std::mem::{MaybeUninit, size_of};
use std::os::fd::RawFd;

use libc::{
    FIONREAD, IPPROTO_TCP, TCP_INFO, c_int, c_void, getsockopt, ioctl, socklen_t, tcp_info,
};

/// States of a connection whose peer has closed its side (Linux: `include/net/tcp_states.h`).
const CLOSED: u8 = 7;
const CLOSE_WAIT: u8 = 8;
const LAST_ACK: u8 = 9;

/// The part of `TCP_INFO` (tcp(7)) that the ledger needs.
#[derive(Clone, Copy, Debug, Default)]
pub struct TcpInfo {
    state: u8,
    /// Segments with data that have arrived.
    pub data_segments_in: u64,
    /// Segments that were retransmitted.
    pub retransmits: u64,
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
            data_segments_in: info.tcpi_data_segs_in.into(),
            retransmits: info.tcpi_total_retrans.into(),
        }
    }

    /// Whether the other side has already closed or reset the connection.
    pub fn closed_by_peer(self) -> bool {
        matches!(self.state, CLOSED | CLOSE_WAIT | LAST_ACK)
    }
}

/// Bytes that have arrived and have not been read yet.
pub fn unread(socket: RawFd) -> u64 {
    let mut bytes: c_int = 0;
    // SAFETY: FIONREAD writes one int to the pointer given.
    let failed = unsafe { ioctl(socket, FIONREAD, &raw mut bytes) } != 0;
    if failed { 0 } else { u64::try_from(bytes).unwrap_or(0) }
}
