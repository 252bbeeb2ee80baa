//! What the requests of all connections share.

use crate::content::documents::DocumentCache;
use crate::content::memory::Memory;
use crate::limits::Limits;
use crate::routes::store::Store;

/// The origin's limits, cached documents, document store and memory for request content.
#[derive(Debug)]
pub struct Resources {
    pub limits: Limits,
    pub documents: DocumentCache,
    pub store: Store,
    pub memory: Memory,
}

impl Resources {
    pub fn new(limits: Limits) -> Self {
        let memory = Memory::new(limits.held_bytes);
        Self { limits, documents: DocumentCache::default(), store: Store::default(), memory }
    }
}
