//! The ports through which packets enter and leave the emulator: what all backends have in common.

use std::io;
use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};

/// The bytes before each frame (`struct virtio_net_hdr`) in which the kernel tells what is left to
/// be done: a checksum, or the division of a large segment. They are handed to the other end
/// unchanged.
pub const OFFLOAD_HEADER_BYTES: usize = 10;

/// How large the packets may be that the kernel hands over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Segments {
    /// At most as large as the MTU.
    Divided,
    /// Up to 64 KiB: segments that a real network card would divide.
    Whole,
}

/// One end of a link.
pub trait Port: Send + Sync {
    /// The non-blocking file that packets are read from and written to.
    fn descriptor(&self) -> &OwnedFd;

    /// The number of bytes of a frame before its IP packet.
    fn header_bytes(&self) -> usize;

    /// Sets how large the packets may be that the kernel hands over from now on.
    fn set_segments(&self, segments: Segments) -> io::Result<()>;

    /// Packets since the start that the kernel dropped because the emulator did not read them in
    /// time.
    fn overruns(&self) -> io::Result<u64>;

    /// The file to poll.
    fn readable(&self) -> BorrowedFd<'_> {
        self.descriptor().as_fd()
    }

    /// Reads one frame, if there is one.
    fn receive(&self, frame: &mut [u8]) -> io::Result<Option<usize>> {
        match rustix::io::read(self.descriptor(), frame) {
            Ok(bytes) => Ok(Some(bytes)),
            Err(rustix::io::Errno::AGAIN | rustix::io::Errno::INTR) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Writes one frame. An error means that the kernel did not accept it.
    fn send(&self, frame: &[u8]) -> io::Result<()> {
        rustix::io::write(self.descriptor(), frame)?;
        Ok(())
    }
}
