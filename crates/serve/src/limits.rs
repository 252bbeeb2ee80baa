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

/// The longest name of a stored document, in bytes.
pub const ID_BYTES: usize = 128;

/// Content of at most this size is parsed or made on the serving thread; larger content on another.
pub const INLINE_BYTES: usize = 256 << 10;

/// The longest wait that a request can ask for, in milliseconds.
pub const DELAY_MS: u64 = 60_000;

/// The longest time from the first to the last write of `/drip/N`, in milliseconds.
pub const DRIP_MS: u64 = 600_000;

/// The flow-control window of one HTTP/2 stream: 16 MiB that a client may send before it has to wait
/// for the origin. That is more than any link that ships holds on its way (bandwidth times round-trip
/// time).
pub const STREAM_WINDOW: u32 = 16 << 20;

/// The flow-control window of a whole HTTP/2 connection: 32 MiB. It bounds the content that the
/// origin can have to hold for a connection before a route reads it.
pub const CONNECTION_WINDOW: u32 = 32 << 20;

/// Streams that may be open at once on one HTTP/2 connection.
pub const STREAMS: u32 = 1024;

/// The most content in one HTTP/2 frame. A frame and its head of 9 bytes then fill exactly one TLS
/// record (RFC 8446, section 5.1; RFC 9113, section 4.1). A longer frame would end in a second,
/// almost empty record, and a client would read and decrypt that one as well.
pub const DATA_BYTES: u32 = (16 << 10) - 9;

/// The room that the first frame of content leaves for the head of the answer, which h2 writes
/// together with it: both have to fit in that record. No head of the origin's is longer.
pub const ANSWER_HEAD_BYTES: u32 = 128;

/// How much memory and time clients can take before the origin cuts them off.
#[derive(Clone, Debug)]
pub struct Limits {
    /// The longest request head; beyond it the answer is 431.
    pub head_bytes: usize,
    /// The longest time from the first byte of a request head to its last.
    pub head_timeout: Duration,
    /// The longest time that a connection may stay open without a byte in either direction.
    pub idle_timeout: Duration,
    /// Request content held in memory for all connections together; beyond it the answer is 503.
    pub held_bytes: usize,
    /// How long refused content is read and dropped, so that the client can read the refusal.
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
