//! What all connections share.

use std::cell::{Cell, OnceCell};
use std::net::IpAddr;
use std::rc::Rc;

use crate::authority::Authority;
use crate::documents::Shelf;
use crate::limits::Limits;
use crate::store::Store;

/// The origin's documents, store, limits and held memory.
#[derive(Debug, Default)]
pub struct Site {
    pub(crate) limits: Limits,
    pub(crate) shelf: Shelf,
    pub(crate) store: Store,
    held: Rc<Cell<usize>>,
    authority: OnceCell<Authority>,
}

impl Site {
    /// A site with these limits.
    pub fn new(limits: Limits) -> Rc<Self> {
        Rc::new(Self { limits, ..Self::default() })
    }

    /// The authority of this origin, made when it is first needed: for the address of that listener.
    pub(crate) fn authority(&self, address: IpAddr) -> Result<&Authority, rcgen::Error> {
        match self.authority.get() {
            Some(authority) => Ok(authority),
            None => {
                Authority::new(address).map(|authority| self.authority.get_or_init(|| authority))
            }
        }
    }

    pub(crate) fn hold(&self) -> Held {
        Held { total: self.held.clone(), limit: self.limits.held_bytes, mine: 0 }
    }
}

/// A share of the memory for request content, given back when dropped.
#[derive(Debug)]
pub struct Held {
    total: Rc<Cell<usize>>,
    limit: usize,
    mine: usize,
}

impl Held {
    /// Takes `bytes` more, if all shares together stay within the limit.
    pub fn take(&mut self, bytes: usize) -> bool {
        let total = self.total.get() + bytes;
        let fits = total <= self.limit;
        if fits {
            self.total.set(total);
            self.mine += bytes;
        }
        fits
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        self.total.set(self.total.get() - self.mine);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_shared_and_given_back() {
        let site = Site::new(Limits { held_bytes: 10, ..Limits::default() });
        let mut one = site.hold();
        let mut other = site.hold();
        assert!(one.take(6));
        assert!(!other.take(5));
        assert!(other.take(4));
        drop(one);
        assert!(other.take(6));
    }
}
