//! A pipe that stays full of the same content, for sending it again and again.

use std::fs::File;
use std::io;
use std::os::fd::{AsFd, OwnedFd};

use rustix::pipe::{PipeFlags, SpliceFlags, fcntl_setpipe_size, pipe_with, splice, tee};

/// What a pipe of somebody without privileges can hold (pipe(7): `/proc/sys/fs/pipe-max-size`).
const MOST: usize = 1 << 20;

thread_local! {
    /// Where copies pass through; it is empty between two of them.
    static PASSAGE: io::Result<Pipe> = Pipe::of(MOST);
}

#[derive(Debug)]
struct Pipe {
    read: OwnedFd,
    write: OwnedFd,
}

impl Pipe {
    fn of(size: usize) -> io::Result<Self> {
        let (read, write) = pipe_with(PipeFlags::CLOEXEC | PipeFlags::NONBLOCK)?;
        fcntl_setpipe_size(&write, size)?;
        Ok(Self { read, write })
    }
}

/// The pages of a file in a pipe; duplicates of them are sent, so that it never runs empty.
#[derive(Debug)]
pub struct FullPipe {
    pipe: Pipe,
    length: usize,
}

impl FullPipe {
    /// A pipe with the first `length` bytes of `file`; an error if one pipe cannot hold them.
    pub fn of(file: &File, length: usize) -> io::Result<Self> {
        if length > MOST {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        let pipe = Pipe::of(length)?;
        let mut filled = 0;
        while filled < length {
            let mut offset = filled as u64;
            let left = length - filled;
            filled +=
                splice(file, Some(&mut offset), &pipe.write, None, left, SpliceFlags::empty())?;
        }
        Ok(Self { pipe, length })
    }

    /// Sends what the socket takes of the content, from its beginning.
    pub fn send(&self, socket: impl AsFd) -> io::Result<usize> {
        PASSAGE.with(|passage| {
            let Ok(passage) = passage else {
                return Err(io::ErrorKind::Unsupported.into());
            };
            let ready = tee(&self.pipe.read, &passage.write, self.length, SpliceFlags::NONBLOCK)?;
            let sent = splice(&passage.read, None, socket, None, ready, SpliceFlags::NONBLOCK);
            let left = ready - sent.unwrap_or(0);
            drained(passage, left)?;
            Ok(sent?)
        })
    }
}

/// Throws away what was not sent.
fn drained(passage: &Pipe, mut left: usize) -> io::Result<()> {
    let mut waste = [0; 4096];
    while left > 0 {
        left -= rustix::io::read(&passage.read, &mut waste[..left.min(4096)])?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::io::{Read as _, Write as _};
    use std::os::unix::net::UnixStream;

    use super::*;

    fn file_of(content: &[u8]) -> File {
        let mut file =
            File::from(rustix::fs::memfd_create("test", rustix::fs::MemfdFlags::CLOEXEC).unwrap());
        file.write_all(content).unwrap();
        file
    }

    fn content_of(bytes: usize) -> Vec<u8> {
        (0..bytes).map(|n| (n % 251) as u8).collect()
    }

    #[test]
    fn the_same_content_is_sent_again_and_again() {
        let content = content_of(100_001);
        let pipe = FullPipe::of(&file_of(&content), content.len()).unwrap();
        for _ in 0..3 {
            let (near, mut far) = UnixStream::pair().unwrap();
            assert_eq!(pipe.send(&near).unwrap(), content.len());
            drop(near);
            let mut received = Vec::new();
            far.read_to_end(&mut received).unwrap();
            assert!(received == content);
        }
    }

    #[test]
    fn what_a_full_socket_did_not_take_is_not_sent_to_the_next() {
        let content = content_of(1 << 20);
        let pipe = FullPipe::of(&file_of(&content), content.len()).unwrap();
        let (near, _far) = UnixStream::pair().unwrap();
        near.set_nonblocking(true).unwrap();
        let taken = pipe.send(&near).unwrap();
        assert!(0 < taken && taken < content.len());
        assert_eq!(pipe.send(&near).unwrap_err().kind(), io::ErrorKind::WouldBlock);

        let (near, mut far) = UnixStream::pair().unwrap();
        near.set_nonblocking(true).unwrap();
        let taken = pipe.send(&near).unwrap();
        drop(near);
        let mut received = Vec::new();
        far.read_to_end(&mut received).unwrap();
        assert!(received == content[..taken]);
    }

    #[test]
    fn more_than_a_pipe_holds_is_refused() {
        let error = FullPipe::of(&file_of(b""), MOST + 1).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::FileTooLarge);
    }
}
