//! The memory for request content, bounded for all connections together.

use std::cell::Cell;
use std::rc::Rc;

/// The memory that all requests share.
#[derive(Clone, Debug)]
pub struct Memory {
    taken: Rc<Cell<usize>>,
    limit: usize,
}

impl Memory {
    /// Room for `limit` bytes.
    pub fn new(limit: usize) -> Self {
        Self { taken: Rc::default(), limit }
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
        let taken = self.memory.taken.get() + bytes;
        let fits = taken <= self.memory.limit;
        if fits {
            self.memory.taken.set(taken);
            self.bytes += bytes;
        }
        fits
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        self.memory.taken.set(self.memory.taken.get() - self.bytes);
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
}
