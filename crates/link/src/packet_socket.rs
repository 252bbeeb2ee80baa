//! The packet socket backend, for machines without TUN. Each end has a pair of virtual Ethernet
//! devices: the client or the origin uses one, and the emulator reads and writes the other
//! (packet(7)).

#![allow(unsafe_code)]

use std::io;
use std::os::fd::OwnedFd;
use std::sync::atomic::{AtomicU64, Ordering};

use fetchoff_packet_socket::{self as packet, Begins};
use libc::{c_int, ifreq};
use rustix::ioctl::{Opcode, Setter, ioctl};
use rustix::net::{AddressFamily, SocketType, socket};

use crate::devices::{self, End};
use crate::namespaces::{Namespace, in_context};
use crate::port::{OFFLOAD_HEADER_BYTES, Port, Segments};
use crate::request;

/// From `linux/sockios.h` and `linux/ethtool.h`.
const SIOCETHTOOL: Opcode = 0x8946;
const ETHTOOL_STXCSUM: u32 = 0x17;

const ETHERNET_HEADER_BYTES: usize = 14;

/// The size of the receive buffer; without privileges the kernel limits it to `net.core.rmem_max`.
const BACKLOG_BYTES: c_int = 64 << 20;

/// A packet socket on the emulator's device of a pair.
#[derive(Debug)]
pub struct PacketSocket {
    socket: packet::PacketSocket,
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
        self.socket.take_drops()?;
        self.device_drops_before = self.device_drops()?;
        Ok(())
    }

    fn device_drops(&self) -> io::Result<u64> {
        self.namespace.inside(|| devices::dropped_at(&self.end.device()))
    }
}

impl Port for PacketSocket {
    fn descriptor(&self) -> &OwnedFd {
        self.socket.descriptor()
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
        let new = self.socket.take_drops()?;
        let socket = self.socket_overruns.fetch_add(new, Ordering::Relaxed) + new;
        Ok(socket + self.device_drops()?.saturating_sub(self.device_drops_before))
    }
}

fn socket_of(family: AddressFamily, kind: SocketType) -> rustix::io::Result<OwnedFd> {
    socket(family, kind, None)
}

fn listen_on(device: &str) -> io::Result<packet::PacketSocket> {
    let socket = packet::PacketSocket::open(Begins::AtLink)?;
    socket.with_offload_headers()?;
    socket.ignore_outgoing()?;
    socket.bypass_queue()?;
    socket.set_backlog(BACKLOG_BYTES)?;
    socket.bind(devices::index_of(device)?)?;
    Ok(socket)
}
