//! The TUN backend: the emulator reads and writes the packets of each end through an open file.

#![allow(unsafe_code)]

use std::io;
use std::os::fd::OwnedFd;

use libc::{IFF_NO_PI, IFF_TUN, IFF_VNET_HDR, TUN_F_CSUM, TUN_F_TSO4, TUN_F_TSO6, TUN_F_USO4};
use libc::{TUN_F_USO6, TUNSETIFF, TUNSETOFFLOAD, c_short, ifreq};
use rustix::fs::{Mode, OFlags};
use rustix::ioctl::{IntegerSetter, Opcode, Setter, ioctl};

use crate::devices::{self, End};
use crate::namespaces::{Namespace, in_context};
use crate::port::{OFFLOAD_HEADER_BYTES, Port, Segments};
use crate::request;

const CONTROL: &str = "/dev/net/tun";

/// The file of a TUN device. The device lasts as long as the file is open.
#[derive(Debug)]
pub struct Tun {
    file: OwnedFd,
    end: End,
    namespace: Namespace,
    overruns_before: u64,
}

impl Tun {
    /// Makes the end's device in its namespace.
    pub fn open(end: End, namespace: Namespace) -> io::Result<Self> {
        let file = namespace.inside(|| {
            if devices::index_of(&end.device()).is_ok() {
                let message = format!("there is a device {} already", end.device());
                return Err(io::Error::new(io::ErrorKind::AlreadyExists, message));
            }
            let flags = OFlags::RDWR | OFlags::NONBLOCK | OFlags::CLOEXEC;
            let file = rustix::fs::open(CONTROL, flags, Mode::empty())
                .map_err(|error| in_context(&format!("cannot open {CONTROL}"), &error.into()))?;
            name(&file, &end.device()).map_err(|error| {
                in_context(&format!("cannot make the TUN device {}", end.device()), &error)
            })?;
            Ok(file)
        })?;
        Ok(Self { file, end, namespace, overruns_before: 0 })
    }

    fn drops(&self) -> io::Result<u64> {
        self.namespace.inside(|| devices::dropped_at(&self.end.device()))
    }

    /// Begins to count overruns. Before the device is up, the kernel drops packets for it.
    pub fn start_counting(&mut self) -> io::Result<()> {
        self.overruns_before = self.drops()?;
        Ok(())
    }
}

impl Port for Tun {
    fn descriptor(&self) -> &OwnedFd {
        &self.file
    }

    fn header_bytes(&self) -> usize {
        OFFLOAD_HEADER_BYTES
    }

    fn set_segments(&self, segments: Segments) -> io::Result<()> {
        match segments {
            Segments::Divided => set_offloads(&self.file, TUN_F_CSUM),
            Segments::Whole => {
                let tcp = TUN_F_CSUM | TUN_F_TSO4 | TUN_F_TSO6;
                // Linux before 6.2 has no segmentation offload for UDP.
                set_offloads(&self.file, tcp | TUN_F_USO4 | TUN_F_USO6)
                    .or_else(|_| set_offloads(&self.file, tcp))
            }
        }
    }

    fn overruns(&self) -> io::Result<u64> {
        Ok(self.drops()?.saturating_sub(self.overruns_before))
    }
}

fn name(file: &OwnedFd, device: &str) -> io::Result<()> {
    let mut request = request::about(device);
    request.ifr_ifru.ifru_flags = (IFF_TUN | IFF_NO_PI | IFF_VNET_HDR) as c_short;
    // SAFETY: TUNSETIFF reads and writes one `ifreq`.
    unsafe { ioctl(file, Setter::<{ TUNSETIFF as Opcode }, ifreq>::new(request)) }?;
    Ok(())
}

fn set_offloads(file: &OwnedFd, offloads: u32) -> io::Result<()> {
    // SAFETY: TUNSETOFFLOAD takes its flags by value.
    let request =
        unsafe { IntegerSetter::<{ TUNSETOFFLOAD as Opcode }>::new_usize(offloads as usize) };
    // SAFETY: as above.
    unsafe { ioctl(file, request) }?;
    Ok(())
}
