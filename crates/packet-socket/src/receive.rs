//! Reading one packet, with what the kernel says of it.

use std::io;
use std::mem::{size_of, zeroed};
use std::os::fd::{AsRawFd as _, BorrowedFd};
use std::ptr::read_unaligned;

use libc::{cmsghdr, iovec, msghdr, sockaddr_ll, socklen_t, timespec};

/// From `linux/if_packet.h`.
const PACKET_OUTGOING: u8 = 4;

const NS_PER_S: i64 = 1_000_000_000;

/// Room for a timestamp, and for what else a kernel may add.
const CONTROL_BYTES: usize = 128;

/// What a read brought.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Packet {
    /// The bytes that were written to the buffer.
    pub size: usize,
    /// When the kernel saw it, in nanoseconds of `CLOCK_REALTIME`; 0 without a stamp.
    pub at_ns: u64,
    /// Whether it left through the device.
    pub is_outgoing: bool,
}

/// A control message must be aligned as its header is (cmsg(3)).
#[repr(align(8))]
struct Control([u8; CONTROL_BYTES]);

pub fn receive(socket: BorrowedFd<'_>, into: &mut [u8]) -> io::Result<Option<Packet>> {
    let mut control = Control([0; CONTROL_BYTES]);
    let mut buffer = iovec { iov_base: into.as_mut_ptr().cast(), iov_len: into.len() };
    // SAFETY: all-zero bytes are valid for both.
    let (mut sender, mut message): (sockaddr_ll, msghdr) = unsafe { (zeroed(), zeroed()) };
    message.msg_name = (&raw mut sender).cast();
    message.msg_namelen = size_of::<sockaddr_ll>() as socklen_t;
    message.msg_iov = &raw mut buffer;
    message.msg_iovlen = 1;
    message.msg_control = control.0.as_mut_ptr().cast();
    message.msg_controllen = CONTROL_BYTES as _;
    // SAFETY: all that the message points to lives during the call and has the length that is
    // given.
    let outcome = unsafe { libc::recvmsg(socket.as_raw_fd(), &raw mut message, 0) };
    let Ok(size) = usize::try_from(outcome) else {
        let error = io::Error::last_os_error();
        return match error.kind() {
            io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted => Ok(None),
            _ => Err(error),
        };
    };
    let at_ns = stamp_of(&message).unwrap_or(0);
    Ok(Some(Packet { size, at_ns, is_outgoing: sender.sll_pkttype == PACKET_OUTGOING }))
}

fn stamp_of(message: &msghdr) -> Option<u64> {
    // SAFETY: the macros of cmsg(3) on a message that recvmsg has just filled in; they stay within
    // its control buffer, which still lives.
    unsafe {
        let mut next: *const cmsghdr = libc::CMSG_FIRSTHDR(message);
        while let Some(header) = next.as_ref() {
            if header.cmsg_level == libc::SOL_SOCKET && header.cmsg_type == libc::SCM_TIMESTAMPNS {
                let time: timespec = read_unaligned(libc::CMSG_DATA(next).cast());
                return u64::try_from(time.tv_sec * NS_PER_S + time.tv_nsec).ok();
            }
            next = libc::CMSG_NXTHDR(message, next);
        }
    }
    None
}
