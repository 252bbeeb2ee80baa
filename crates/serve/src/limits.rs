//! The bounds of what clients can ask for, send and occupy.

use std::time::Duration;

/// The largest streamed content, sent or received: 16 GiB.
pub const STREAM_BYTES: u64 = 16 << 30;

/// The largest content that has to be held in memory: 64 MiB.
pub const DOCUMENT_BYTES: usize = 64 << 20;

/// The largest document that can be stored: 16 MiB.
pub const STORED_BYTES: usize = 16 << 20;

/// The room for stored documents, by bytes and by number.
pub const STORE_BYTES: usize = 64 << 20;
pub const STORE_DOCUMENTS: usize = 1024;

/// The longest name of a stored document.
pub const ID_BYTES: usize = 128;

/// Work on more content than this leaves the serving thread.
pub const INLINE_BYTES: usize = 256 << 10;

/// The longest wait that a request can ask for, in milliseconds.
pub const DELAY_MS: u64 = 60_000;

/// The longest time that a drip may take from its first to its last write, in milliseconds.
pub const DRIP_MS: u64 = 600_000;

/// What a client may send of one request over HTTP/2 before it has to wait for the origin: 1 MiB.
pub const STREAM_WINDOW: u32 = 1 << 20;

/// The same for all requests of a connection: 16 MiB.
pub const CONNECTION_WINDOW: u32 = 16 << 20;

/// Requests that may be open on one connection of HTTP/2.
pub const STREAMS: u32 = 1024;

/// The most content in a frame of HTTP/2, so that frame and head fill one record of TLS (RFC 8446,
/// section 5.1; RFC 9113, section 4.1). Were they longer by the 9 bytes of the head, each would end in a
/// second record, for which a client reads and decrypts as for a full one.
pub const DATA_BYTES: usize = (16 << 10) - 9;

/// What one client can take from the origin before it is cut off.
#[derive(Clone, Debug)]
pub struct Limits {
    /// The longest request head; beyond it the answer is 431.
    pub head_bytes: usize,
    /// From the first byte of a request head to its end.
    pub head_timeout: Duration,
    /// How long a connection may stay without a byte in either direction.
    pub idle_timeout: Duration,
    /// Request content held in memory for all connections together; beyond it the answer is 503.
    pub held_bytes: usize,
    /// How long content that was refused is read and dropped, so that the refusal can be read.
    pub linger: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            head_bytes: 64 << 10,
            head_timeout: Duration::from_secs(10),
            idle_timeout: Duration::from_secs(300),
            held_bytes: 512 << 20,
            linger: Duration::from_secs(1),
        }
    }
}
