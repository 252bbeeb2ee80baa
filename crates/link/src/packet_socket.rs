//! The packet socket backend, for machines without TUN. Each end has a pair of virtual Ethernet
//! devices: the client or the origin uses one, and the emulator reads and writes the other
//! (packet(7)).

#![allow(unsafe_code)]

use std::io;
use std::mem::size_of;
use std::os::fd::{AsRawFd as _, FromRawFd as _, OwnedFd};
use std::sync::atomic::{AtomicU64, Ordering};

use libc::{SOL_PACKET, c_int, ifreq, sockaddr_ll, socklen_t};
use rustix::ioctl::{Opcode, Setter, ioctl};
use rustix::net::{AddressFamily, SocketType, socket};

use crate::devices::{self, End};
use crate::namespaces::{Namespace, in_context};
use crate::port::{OFFLOAD_HEADER_BYTES, Port, Segments};
use crate::request;

/// From `linux/if_packet.h`, `linux/sockios.h` and `linux/ethtool.h`.
const PACKET_STATISTICS: c_int = 6;
const PACKET_VNET_HDR: c_int = 15;
const PACKET_QDISC_BYPASS: c_int = 20;
const PACKET_IGNORE_OUTGOING: c_int = 23;
const SIOCETHTOOL: Opcode = 0x8946;
const ETHTOOL_STXCSUM: u32 = 0x17;

const ETHERNET_HEADER_BYTES: usize = 14;

/// The size of the receive buffer; without privileges the kernel limits it to `net.core.rmem_max`.
const BACKLOG_BYTES: c_int = 64 << 20;

/// A packet socket on the emulator's device of a pair.
#[derive(Debug)]
pub struct PacketSocket {
    socket: OwnedFd,
    /// A socket in the namespace of the other device, to change that device's settings.
    beside: OwnedFd,
    end: End,
    namespace: Namespace,
    socket_overruns: AtomicU64,
    device_drops_before: u64,
}

impl PacketSocket {
    /// Makes the end's device in its namespace, and the peer of it in `middle`.
    pub fn open(end: End, namespace: Namespace, middle: &Namespace, mtu: u32) -> io::Result<Self> {
        let socket = middle.inside(|| {
            let ours = devices::make_pair(end, &namespace, mtu)?;
            listen_on(&ours)
                .map_err(|error| in_context(&format!("cannot listen on {ours}"), &error))
        })?;
        let beside = namespace.inside(|| Ok(socket_of(AddressFamily::INET, SocketType::DGRAM)?))?;
        Ok(Self {
            socket,
            beside,
            end,
            namespace,
            socket_overruns: AtomicU64::new(0),
            device_drops_before: 0,
        })
    }

    /// Begins to count overruns. Before the device is up, the kernel drops packets for it.
    pub fn start_counting(&mut self) -> io::Result<()> {
        take_socket_drops(&self.socket)?;
        self.device_drops_before = self.device_drops()?;
        Ok(())
    }

    fn device_drops(&self) -> io::Result<u64> {
        self.namespace.inside(|| devices::dropped_at(&self.end.device()))
    }
}

impl Port for PacketSocket {
    fn descriptor(&self) -> &OwnedFd {
        &self.socket
    }

    fn header_bytes(&self) -> usize {
        OFFLOAD_HEADER_BYTES + ETHERNET_HEADER_BYTES
    }

    /// Without checksum offload the kernel makes no large segments either, neither of TCP nor of
    /// UDP.
    fn set_segments(&self, segments: Segments) -> io::Result<()> {
        let checksums_later = u32::from(segments == Segments::Whole);
        let mut value = [ETHTOOL_STXCSUM, checksums_later];
        let mut request = request::about(&self.end.device());
        request.ifr_ifru.ifru_data = value.as_mut_ptr().cast();
        // SAFETY: SIOCETHTOOL reads an `ifreq`, and an `ethtool_value` behind its pointer, which
        // lives.
        unsafe { ioctl(&self.beside, Setter::<SIOCETHTOOL, ifreq>::new(request)) }?;
        Ok(())
    }

    fn overruns(&self) -> io::Result<u64> {
        let new = take_socket_drops(&self.socket)?;
        let socket = self.socket_overruns.fetch_add(new, Ordering::Relaxed) + new;
        Ok(socket + self.device_drops()?.saturating_sub(self.device_drops_before))
    }
}

fn socket_of(family: AddressFamily, kind: SocketType) -> rustix::io::Result<OwnedFd> {
    socket(family, kind, None)
}

fn listen_on(device: &str) -> io::Result<OwnedFd> {
    let protocol = (libc::ETH_P_ALL as u16).to_be();
    let kind = libc::SOCK_RAW | libc::SOCK_NONBLOCK | libc::SOCK_CLOEXEC;
    // Protocol 0 until it is bound; otherwise it would receive from every device.
    // SAFETY: a system call without pointers.
    let raw = unsafe { libc::socket(libc::AF_PACKET, kind, 0) };
    if raw < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the descriptor was just made, and nothing else owns it.
    let socket = unsafe { OwnedFd::from_raw_fd(raw) };
    set(&socket, SOL_PACKET, PACKET_VNET_HDR, 1)?;
    set(&socket, SOL_PACKET, PACKET_IGNORE_OUTGOING, 1)?;
    set(&socket, SOL_PACKET, PACKET_QDISC_BYPASS, 1)?;
    // Only root outside of user namespaces may exceed net.core.rmem_max.
    set(&socket, libc::SOL_SOCKET, libc::SO_RCVBUFFORCE, BACKLOG_BYTES)
        .or_else(|_| set(&socket, libc::SOL_SOCKET, libc::SO_RCVBUF, BACKLOG_BYTES))?;
    // SAFETY: all-zero bytes are a valid `sockaddr_ll`.
    let mut address: sockaddr_ll = unsafe { std::mem::zeroed() };
    address.sll_family = libc::AF_PACKET as u16;
    address.sll_protocol = protocol;
    address.sll_ifindex = i32::try_from(devices::index_of(device)?).map_err(io::Error::other)?;
    // SAFETY: the address lives during the call and has the length that is given.
    let bound = unsafe {
        libc::bind(
            socket.as_raw_fd(),
            (&raw const address).cast(),
            size_of::<sockaddr_ll>() as socklen_t,
        )
    };
    if bound < 0 { Err(io::Error::last_os_error()) } else { Ok(socket) }
}

fn set(socket: &OwnedFd, level: c_int, option: c_int, value: c_int) -> io::Result<()> {
    // SAFETY: the value lives during the call and has the length that is given.
    let outcome = unsafe {
        libc::setsockopt(
            socket.as_raw_fd(),
            level,
            option,
            (&raw const value).cast(),
            size_of::<c_int>() as socklen_t,
        )
    };
    if outcome < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}

/// The drops since the last call: reading the counter resets it.
fn take_socket_drops(socket: &OwnedFd) -> io::Result<u64> {
    let mut packets_and_drops = [0_u32; 2];
    let mut bytes = size_of::<[u32; 2]>() as socklen_t;
    // SAFETY: a `tpacket_stats` is two u32; both pointers live during the call.
    let outcome = unsafe {
        libc::getsockopt(
            socket.as_raw_fd(),
            SOL_PACKET,
            PACKET_STATISTICS,
            packets_and_drops.as_mut_ptr().cast(),
            &raw mut bytes,
        )
    };
    if outcome < 0 {
        return Err(io::Error::last_os_error());
    }
    Ok(u64::from(packets_and_drops[1]))
}
