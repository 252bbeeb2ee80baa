//! Where packets enter and leave the emulator: the seam between backends and the rest.

use std::io;
use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};

/// Before each frame the kernel tells by this many bytes (`struct virtio_net_hdr`) what is left to be
/// done: a checksum, or the division of a large segment. The other end hands it back as it is.
pub const OFFLOAD_HEADER_BYTES: usize = 10;

/// How large a packet the kernel may hand over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Segments {
    /// None larger than the MTU.
    Divided,
    /// Up to 64 KiB, to be divided only if a real network card needed it.
    Whole,
}

/// One end of a link.
pub trait Port: Send + Sync {
    /// What is read for packets that come, and written for packets that leave; non-blocking.
    fn descriptor(&self) -> &OwnedFd;

    /// Bytes of a frame before its IP packet.
    fn header_bytes(&self) -> usize;

    /// Tells the kernel how large packets may be that it hands over from now on.
    fn set_segments(&self, segments: Segments) -> io::Result<()>;

    /// Packets that came since the start, and were dropped because the emulator was not there in time.
    fn overruns(&self) -> io::Result<u64>;

    /// What to wait on.
    fn readable(&self) -> BorrowedFd<'_> {
        self.descriptor().as_fd()
    }

    /// Reads one frame, if one is there.
    fn receive(&self, frame: &mut [u8]) -> io::Result<Option<usize>> {
        match rustix::io::read(self.descriptor(), frame) {
            Ok(bytes) => Ok(Some(bytes)),
            Err(rustix::io::Errno::AGAIN | rustix::io::Errno::INTR) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Writes one frame; an error means that the kernel would not take it.
    fn send(&self, frame: &[u8]) -> io::Result<()> {
        rustix::io::write(self.descriptor(), frame)?;
        Ok(())
    }
}
