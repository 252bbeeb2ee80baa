//! The memory for request content, bounded for all connections together.

use std::ops::Deref;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use bytes::Bytes;

/// The memory that all requests share. Large content is parsed on another thread and gives its
/// share back there.
#[derive(Clone, Debug)]
pub struct Memory {
    taken: Arc<AtomicUsize>,
    limit: usize,
}

impl Memory {
    /// Room for `limit` bytes.
    pub fn new(limit: usize) -> Self {
        Self { taken: Arc::default(), limit }
    }

    /// A share for one request; it has no bytes yet.
    pub fn share(&self) -> Share {
        Share { memory: self.clone(), bytes: 0 }
    }
}

/// The bytes that one request has taken. Dropping the share gives them back.
#[derive(Debug)]
pub struct Share {
    memory: Memory,
    bytes: usize,
}

impl Share {
    /// Takes `bytes` more if all shares together stay within the limit; otherwise returns false.
    pub fn take(&mut self, bytes: usize) -> bool {
        let Memory { taken, limit } = &self.memory;
        let more = |taken: usize| taken.checked_add(bytes).filter(|taken| taken <= limit);
        let fits = taken.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more).is_ok();
        if fits {
            self.bytes += bytes;
        }
        fits
    }

    /// Gives `bytes` back before the others.
    pub fn give_back(&mut self, bytes: usize) {
        let bytes = bytes.min(self.bytes);
        self.bytes -= bytes;
        self.memory.taken.fetch_sub(bytes, Ordering::Relaxed);
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        self.memory.taken.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}

/// Content in memory, and the share that it takes until the last clone is dropped.
#[derive(Clone, Debug)]
pub struct Held {
    content: Bytes,
    _share: Arc<Share>,
}

impl Held {
    /// Content for which `share` has taken the bytes.
    pub fn new(content: Bytes, share: Share) -> Self {
        Self { content, _share: Arc::new(share) }
    }
}

impl Deref for Held {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.content
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_shared_and_given_back() {
        let memory = Memory::new(10);
        let mut one = memory.share();
        let mut other = memory.share();
        assert!(one.take(6));
        assert!(!other.take(5));
        assert!(other.take(4));
        drop(one);
        assert!(other.take(6));
    }

    #[test]
    fn a_share_is_given_back_in_parts() {
        let memory = Memory::new(10);
        let mut one = memory.share();
        assert!(one.take(8));
        one.give_back(3);
        assert!(memory.share().take(5));
        assert!(!memory.share().take(6));
        one.give_back(100);
        assert!(memory.share().take(10));
        drop(one);
        assert!(!memory.share().take(11));
    }

    #[test]
    fn content_takes_its_share_until_nobody_holds_it() {
        let memory = Memory::new(5);
        let mut share = memory.share();
        assert!(share.take(5));
        let held = Held::new(Bytes::from_static(b"12345"), share);
        let again = held.clone();
        drop(held);
        assert!(!memory.share().take(1));
        assert_eq!(&again[..], b"12345");
        drop(again);
        assert!(memory.share().take(5));
    }
}
