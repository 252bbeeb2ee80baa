//! A pipe that stays full of the same content, so that it can be sent any number of times.

use std::fs::File;
use std::io;
use std::os::fd::{AsFd, OwnedFd};

use rustix::pipe::{PipeFlags, SpliceFlags, fcntl_setpipe_size, pipe_with, splice, tee};

/// The largest pipe that a process without privileges may have (pipe(7):
/// `/proc/sys/fs/pipe-max-size`).
const MOST: usize = 1 << 20;

thread_local! {
    /// The pipe that duplicates pass through on their way to a socket. It is empty between two
    /// sends.
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

/// A pipe with the pages of a file. Only duplicates of them are sent, so it never runs empty.
#[derive(Debug)]
pub struct FullPipe {
    pipe: Pipe,
    length: usize,
}

impl FullPipe {
    /// Fills a pipe with the first `length` bytes of `file`. Fails if one pipe cannot hold them.
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

    /// Whether this thread has a pipe for duplicates to pass through. A process without privileges
    /// may have got one for the content and none as large as this.
    pub fn has_passage() -> bool {
        PASSAGE.with(Result::is_ok)
    }

    /// Sends the content from its beginning, as much as the socket takes. Returns the number of
    /// bytes.
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

/// Reads and drops what was not sent.
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
