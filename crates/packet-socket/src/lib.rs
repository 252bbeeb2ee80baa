//! Packet sockets, which receive what passes a network device (packet(7)). The link emulator moves
//! frames with them, and the tap watches packets.
//!
//! Everything that the kernel wants by pointer is in this crate.

#![allow(unsafe_code)]

mod receive;

use std::io;
use std::mem::size_of;
use std::os::fd::{AsFd, AsRawFd as _, BorrowedFd, FromRawFd as _, OwnedFd};

use libc::{
    SOL_PACKET, SOL_SOCKET, c_int, c_void, sock_filter, sock_fprog, sockaddr_ll, socklen_t,
};

pub use receive::Packet;

/// From `linux/if_packet.h`.
const PACKET_STATISTICS: c_int = 6;
const PACKET_VNET_HDR: c_int = 15;
const PACKET_QDISC_BYPASS: c_int = 20;
const PACKET_IGNORE_OUTGOING: c_int = 23;

/// What a packet begins with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Begins {
    /// With the header of its device, such as Ethernet's.
    AtLink,
    /// With the header of IP, whatever the device.
    AtNetwork,
}

/// A packet socket. Reading from it never blocks.
#[derive(Debug)]
pub struct PacketSocket {
    socket: OwnedFd,
}

impl PacketSocket {
    /// A socket that receives nothing before it is bound. Needs `CAP_NET_RAW`.
    pub fn open(begins: Begins) -> io::Result<Self> {
        let kind = match begins {
            Begins::AtLink => libc::SOCK_RAW,
            Begins::AtNetwork => libc::SOCK_DGRAM,
        };
        // Protocol 0 until it is bound; otherwise it would receive from every device.
        // SAFETY: a system call without pointers.
        let raw = unsafe {
            libc::socket(libc::AF_PACKET, kind | libc::SOCK_NONBLOCK | libc::SOCK_CLOEXEC, 0)
        };
        if raw < 0 {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: the descriptor was just made, and nothing else owns it.
        Ok(Self { socket: unsafe { OwnedFd::from_raw_fd(raw) } })
    }

    /// Receives from the device with this index, all protocols.
    pub fn bind(&self, index: u32) -> io::Result<()> {
        // SAFETY: all-zero bytes are a valid `sockaddr_ll`.
        let mut address: sockaddr_ll = unsafe { std::mem::zeroed() };
        address.sll_family = libc::AF_PACKET as u16;
        address.sll_protocol = (libc::ETH_P_ALL as u16).to_be();
        address.sll_ifindex = i32::try_from(index).map_err(io::Error::other)?;
        // SAFETY: the address lives during the call and has the length that is given.
        done(unsafe {
            libc::bind(
                self.socket.as_raw_fd(),
                (&raw const address).cast(),
                size_of::<sockaddr_ll>() as socklen_t,
            )
        })
    }

    /// A `virtio_net_hdr` goes before each packet, so that checksums and segments may be left to
    /// others.
    pub fn with_offload_headers(&self) -> io::Result<()> {
        self.set(SOL_PACKET, PACKET_VNET_HDR, 1)
    }

    /// Does not receive what leaves through the device. Linux 4.20.
    pub fn ignore_outgoing(&self) -> io::Result<()> {
        self.set(SOL_PACKET, PACKET_IGNORE_OUTGOING, 1)
    }

    /// What is sent does not wait in the device's queue.
    pub fn bypass_queue(&self) -> io::Result<()> {
        self.set(SOL_PACKET, PACKET_QDISC_BYPASS, 1)
    }

    /// The kernel stamps each packet (`CLOCK_REALTIME`).
    pub fn stamp(&self) -> io::Result<()> {
        self.set(SOL_SOCKET, libc::SO_TIMESTAMPNS, 1)
    }

    /// Sets how many bytes may wait to be read. Only root outside of user namespaces may exceed
    /// `net.core.rmem_max`; for others it may become less. Returns whether it is what was asked
    /// for.
    pub fn set_backlog(&self, bytes: c_int) -> io::Result<bool> {
        if self.set(SOL_SOCKET, libc::SO_RCVBUFFORCE, bytes).is_ok() {
            return Ok(true);
        }
        self.set(SOL_SOCKET, libc::SO_RCVBUF, bytes)?;
        Ok(false)
    }

    fn set(&self, level: c_int, option: c_int, value: c_int) -> io::Result<()> {
        // SAFETY: the value lives during the call and has the length that is given.
        done(unsafe {
            libc::setsockopt(
                self.socket.as_raw_fd(),
                level,
                option,
                (&raw const value).cast(),
                size_of::<c_int>() as socklen_t,
            )
        })
    }

    /// Receives only what a program of the classic BPF accepts, and only as much of it.
    pub fn attach(&self, program: &[sock_filter]) -> io::Result<()> {
        attach(self.socket.as_fd(), program)
    }

    /// The drops since the last call: reading the counter resets it.
    pub fn take_drops(&self) -> io::Result<u64> {
        let mut packets_and_drops = [0_u32; 2];
        let mut bytes = size_of::<[u32; 2]>() as socklen_t;
        // SAFETY: a `tpacket_stats` is two u32; both pointers live during the call.
        done(unsafe {
            libc::getsockopt(
                self.socket.as_raw_fd(),
                SOL_PACKET,
                PACKET_STATISTICS,
                packets_and_drops.as_mut_ptr().cast(),
                &raw mut bytes,
            )
        })?;
        Ok(u64::from(packets_and_drops[1]))
    }

    /// The next packet, or `None` if there is none now. It is cut to the length of `into`.
    pub fn receive(&self, into: &mut [u8]) -> io::Result<Option<Packet>> {
        receive::receive(self.socket.as_fd(), into)
    }

    /// The socket itself.
    pub fn descriptor(&self) -> &OwnedFd {
        &self.socket
    }
}

/// Attaches a program of the classic BPF to any socket (socket(7), `SO_ATTACH_FILTER`).
pub fn attach(socket: BorrowedFd<'_>, program: &[sock_filter]) -> io::Result<()> {
    let len = u16::try_from(program.len()).map_err(io::Error::other)?;
    let program = sock_fprog { len, filter: program.as_ptr().cast_mut() };
    // SAFETY: the kernel reads the program, which lives during the call and has that length.
    done(unsafe {
        libc::setsockopt(
            socket.as_raw_fd(),
            SOL_SOCKET,
            libc::SO_ATTACH_FILTER,
            (&raw const program).cast::<c_void>(),
            size_of::<sock_fprog>() as socklen_t,
        )
    })
}

fn done(outcome: c_int) -> io::Result<()> {
    if outcome < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}
