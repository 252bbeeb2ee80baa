//! How the origin behaves where HTTP and TCP leave it a choice. A diagnosis changes one factor at a
//! time, and everything else stays the same.

use serde::Deserialize;

/// The smallest and the largest limit of a frame's size (RFC 9113, section 6.5.2).
const FRAME_BYTES: std::ops::RangeInclusive<u32> = 1 << 14..=(1 << 24) - 1;

/// The largest window (RFC 9113, section 6.9.1).
const WINDOW_BYTES: u32 = (1 << 31) - 1;

/// When the origin sends 100 (Continue) to a request that expects it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Continue {
    /// As soon as it reads the content.
    #[default]
    WhenRead,
    /// Never: the client gives up waiting for it.
    Never,
}

/// The choices; the defaults are what the origin does while clients are ranked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[expect(clippy::struct_excessive_bools, reason = "each is a choice of its own, as JSON has it")]
pub struct Behaviour {
    /// Acknowledge what has arrived after every read, instead of waiting for the answer.
    pub quick_ack: bool,
    /// When 100 (Continue) is sent. HTTP/1.1 only.
    pub continues: Continue,
    /// Add `charset=utf-8` to each content type that has no parameter.
    pub charset: bool,
    /// Use content codings that the client accepts.
    pub coding: bool,
    /// Send content in so many pieces, each written on its own.
    pub answer_pieces: u32,
    /// Answer so many requests of a connection, and from the next one on nothing at all: read on,
    /// but write no answer and acknowledge no PING. `None`: every request.
    pub silent_after: Option<u32>,
    /// With `silent_after`: close the connection instead, once the request has arrived whole.
    /// HTTP/1.1 only.
    pub hangs_up: bool,
    /// Settings of HTTP/2; `None` is the origin's own.
    pub streams: Option<u32>,
    /// The window of one stream.
    pub stream_window: Option<u32>,
    /// The window of a connection.
    pub connection_window: Option<u32>,
    /// The largest frame that the client may send.
    pub frame_bytes: Option<u32>,
}

impl Behaviour {
    /// What the origin does by itself.
    pub const ORDINARY: Self = Self {
        quick_ack: false,
        continues: Continue::WhenRead,
        charset: false,
        coding: true,
        answer_pieces: 1,
        silent_after: None,
        hangs_up: false,
        streams: None,
        stream_window: None,
        connection_window: None,
        frame_bytes: None,
    };

    /// Fails if a value is out of its range, and says which.
    pub(crate) fn check(self) -> Result<(), &'static str> {
        let wide = |window: Option<u32>| window.is_some_and(|bytes| bytes > WINDOW_BYTES);
        if self.answer_pieces == 0 {
            Err("answer_pieces begins at 1")
        } else if self.silent_after.is_some() && self.continues == Continue::Never {
            Err("silent_after and continues are changed one at a time")
        } else if self.hangs_up && self.silent_after.is_none() {
            Err("hangs_up needs silent_after: after how many requests")
        } else if wide(self.stream_window) || wide(self.connection_window) {
            Err("a window has at most 2147483647 bytes")
        } else if self.frame_bytes.is_some_and(|bytes| !FRAME_BYTES.contains(&bytes)) {
            Err("frame_bytes is between 16384 and 16777215")
        } else {
            Ok(())
        }
    }

    /// Fails if a choice is one of HTTP/1.1 alone, and says which.
    pub(crate) fn check_for_http2(self) -> Result<(), &'static str> {
        if self.hangs_up {
            Err("hangs_up is for HTTP/1.1 only")
        } else if self.continues == Continue::Never {
            Err("continues is for HTTP/1.1 only")
        } else {
            Ok(())
        }
    }
}

impl Default for Behaviour {
    fn default() -> Self {
        Self::ORDINARY
    }
}
