//! Content in sealed memory files, which the kernel can send without copying it.
//!
//! Copying each large answer would take most of the origin's CPU time, and twice as much while
//! other cores use the memory. nginx sends its files in the same way. Looking up the pages for
//! every answer is a sixth of the remaining cost, so content that fits into a pipe is kept in one
//! as well.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Write as _};
use std::os::fd::AsFd;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bytes::Bytes;
use memmap2::Mmap;
use rustix::fs::{MemfdFlags, SealFlags, fcntl_add_seals, memfd_create, sendfile};

use crate::content::pipe::FullPipe;

/// Copying is cheaper for content of fewer bytes.
pub const LEAST_BYTES: usize = 32 << 10;

/// A memory file whose content the kernel can send.
#[derive(Debug)]
pub struct SharedFile {
    length: usize,
    file: File,
    pipe: Option<FullPipe>,
}

impl SharedFile {
    /// Sends `length` bytes from `offset` on, as many as the socket takes. Returns their number.
    pub fn send(&self, socket: impl AsFd, offset: u64, length: usize) -> io::Result<usize> {
        match &self.pipe {
            Some(pipe) if offset == 0 && length == self.length && FullPipe::has_passage() => {
                pipe.send(socket)
            }
            _ => Ok(sendfile(socket, &self.file, Some(&mut { offset }), length)?),
        }
    }
}

/// All files that are mapped now, by the first address of the mapping.
static FILES: Mutex<BTreeMap<usize, Arc<SharedFile>>> = Mutex::new(BTreeMap::new());

fn files() -> MutexGuard<'static, BTreeMap<usize, Arc<SharedFile>>> {
    FILES.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The mapping of a file. Dropping it removes the file from [`FILES`] before it is unmapped.
struct Mapping(Mmap);

impl AsRef<[u8]> for Mapping {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        files().remove(&self.0.as_ptr().addr());
    }
}

/// Moves content of at least [`LEAST_BYTES`] into a file that [`find`] finds; smaller content stays
/// as it is.
pub fn shared(content: Vec<u8>) -> Bytes {
    if content.len() < LEAST_BYTES {
        return content.into();
    }
    match mapped(&content) {
        Ok(pages) => Bytes::from_owner(pages),
        Err(_) => content.into(),
    }
}

#[allow(unsafe_code)]
fn mapped(content: &[u8]) -> io::Result<Mapping> {
    let flags = MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING;
    let mut file = File::from(memfd_create("fetchoff", flags)?);
    file.write_all(content)?;
    fcntl_add_seals(
        &file,
        SealFlags::SEAL | SealFlags::SHRINK | SealFlags::GROW | SealFlags::WRITE,
    )?;
    // SAFETY: with these seals nobody can change or shorten the file.
    let map = unsafe { Mmap::map(&file)? };
    let pipe = FullPipe::of(&file, map.len()).ok();
    let shared = SharedFile { length: map.len(), file, pipe };
    files().insert(map.as_ptr().addr(), Arc::new(shared));
    Ok(Mapping(map))
}

/// The file that a piece of content lies in, and its offset there; `None` if [`shared`] did not
/// make it.
pub fn find(piece: &[u8]) -> Option<(Arc<SharedFile>, u64)> {
    if piece.len() < LEAST_BYTES {
        return None;
    }
    let address = piece.as_ptr().addr();
    let files = files();
    let (first, file) = files.range(..=address).next_back()?;
    let offset = address - first;
    (offset + piece.len() <= file.length).then(|| (file.clone(), offset as u64))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::FileExt as _;

    use super::*;

    #[test]
    fn a_piece_is_found_in_its_file() {
        let content: Vec<u8> = (0..100_000u32).map(|n| n as u8).collect();
        let bytes = shared(content.clone());
        assert_eq!(bytes, content);
        let piece = bytes.slice(1_000..60_000);
        let (file, offset) = find(&piece).unwrap();
        assert_eq!(offset, 1_000);
        let mut read = vec![0; piece.len()];
        file.file.read_exact_at(&mut read, offset).unwrap();
        assert_eq!(read, piece);
    }

    #[test]
    fn other_memory_is_not() {
        let _bytes = shared(vec![1; LEAST_BYTES]);
        assert!(find(&vec![1; LEAST_BYTES]).is_none());
    }

    #[test]
    fn small_content_and_small_pieces_are_not_worth_it() {
        assert!(find(&shared(vec![1; LEAST_BYTES - 1])).is_none());
        assert!(find(&shared(vec![1; LEAST_BYTES])[1..]).is_none());
    }

    #[test]
    fn a_file_is_forgotten_with_its_last_piece() {
        let piece = shared(vec![1; 2 * LEAST_BYTES]).slice(LEAST_BYTES..);
        let address = piece.as_ptr().addr() - LEAST_BYTES;
        assert!(files().contains_key(&address));
        drop(piece);
        assert!(files().get(&address).is_none_or(|file| file.length != 2 * LEAST_BYTES));
    }
}
