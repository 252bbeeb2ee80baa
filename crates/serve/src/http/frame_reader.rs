//! The frames of HTTP/2, found in bytes that pass.
//!
//! hyper reports neither resets nor GOAWAY frames, windows nor settings. So the nine bytes at the
//! head of each frame are read here (RFC 9113, section 4.1), and the payload of the short frames
//! that govern a connection; the rest is skipped.

/// What a client sends before its first frame (RFC 9113, section 3.4).
pub const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

const HEAD_BYTES: usize = 9;

/// Frame types of RFC 9113, section 6.
pub const HEADERS: u8 = 1;
pub const RST_STREAM: u8 = 3;
pub const SETTINGS: u8 = 4;
pub const GOAWAY: u8 = 7;
pub const WINDOW_UPDATE: u8 = 8;

const NAMES: [&str; 10] = [
    "data",
    "headers",
    "priority",
    "rst-stream",
    "settings",
    "push-promise",
    "ping",
    "goaway",
    "window-update",
    "continuation",
];

/// What is kept of a payload: more than any client's SETTINGS.
const KEPT_BYTES: usize = 96;
const SETTING_BYTES: usize = 6;

/// The head of a frame.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Frame {
    pub kind: u8,
    pub flags: u8,
    pub stream: u32,
    pub size: u32,
}

impl Frame {
    fn of(head: [u8; HEAD_BYTES]) -> Self {
        let [l0, l1, l2, kind, flags, s0, s1, s2, s3] = head;
        Self {
            kind,
            flags,
            // The reserved bit is not part of the number (RFC 9113, section 4.1).
            stream: u32::from_be_bytes([s0, s1, s2, s3]) & (u32::MAX >> 1),
            size: u32::from_be_bytes([0, l0, l1, l2]),
        }
    }

    pub fn name(self) -> &'static str {
        NAMES.get(usize::from(self.kind)).copied().unwrap_or("other")
    }

    /// What a `WINDOW_UPDATE` adds, and the error code of `RST_STREAM` and `GOAWAY`; otherwise 0.
    pub fn value(self, payload: &[u8]) -> u32 {
        let at = match self.kind {
            RST_STREAM | WINDOW_UPDATE => 0,
            GOAWAY => 4,
            _ => return 0,
        };
        number(payload, at)
    }

    /// Pairs of identifier and value.
    pub fn settings(self, payload: &[u8]) -> Vec<(u16, u32)> {
        if self.kind != SETTINGS {
            return Vec::new();
        }
        let pairs = payload.chunks_exact(SETTING_BYTES);
        pairs.map(|pair| (u16::from_be_bytes([pair[0], pair[1]]), number(pair, 2))).collect()
    }

    fn is_kept(self) -> bool {
        matches!(self.kind, RST_STREAM | SETTINGS | GOAWAY | WINDOW_UPDATE)
    }
}

fn number(bytes: &[u8], at: usize) -> u32 {
    match bytes.get(at..at + 4) {
        Some(&[b0, b1, b2, b3]) => u32::from_be_bytes([b0, b1, b2, b3]),
        _ => 0,
    }
}

/// Finds frames in bytes that come in pieces of any size.
#[derive(Debug, Default)]
pub struct FrameReader {
    preface: &'static [u8],
    head: [u8; HEAD_BYTES],
    head_bytes: usize,
    frame: Frame,
    payload_left: usize,
    payload: Vec<u8>,
    lost: bool,
}

impl FrameReader {
    pub fn after(preface: &'static [u8]) -> Self {
        Self { preface, ..Self::default() }
    }

    /// Reads the next `bytes`, and calls `seen` for each frame that is complete, with what was kept
    /// of its payload.
    pub fn read(&mut self, bytes: &[u8], mut seen: impl FnMut(Frame, &[u8])) {
        let mut bytes = self.after_preface(bytes);
        while !bytes.is_empty() && !self.lost {
            bytes = self.read_payload(bytes);
            let head = bytes.len().min(HEAD_BYTES - self.head_bytes);
            if self.head_bytes < HEAD_BYTES {
                self.head[self.head_bytes..][..head].copy_from_slice(&bytes[..head]);
                self.head_bytes += head;
                bytes = &bytes[head..];
                if self.head_bytes == HEAD_BYTES {
                    self.frame = Frame::of(self.head);
                    self.payload_left = self.frame.size as usize;
                    self.payload.clear();
                }
            }
            if self.head_bytes == HEAD_BYTES && self.payload_left == 0 {
                self.head_bytes = 0;
                seen(self.frame, &self.payload);
            }
        }
    }

    fn read_payload<'a>(&mut self, bytes: &'a [u8]) -> &'a [u8] {
        let (payload, rest) = bytes.split_at(self.payload_left.min(bytes.len()));
        self.payload_left -= payload.len();
        if self.frame.is_kept() {
            let kept = payload.len().min(KEPT_BYTES - self.payload.len());
            self.payload.extend_from_slice(&payload[..kept]);
        }
        rest
    }

    fn after_preface<'a>(&mut self, bytes: &'a [u8]) -> &'a [u8] {
        let (expected, found) = (self.preface.len().min(bytes.len()), bytes);
        self.lost |= found[..expected] != self.preface[..expected];
        self.preface = &self.preface[expected..];
        &found[expected..]
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn written(frame: Frame) -> Vec<u8> {
        let [_, l0, l1, l2] = frame.size.to_be_bytes();
        let [s0, s1, s2, s3] = (frame.stream | 1 << 31).to_be_bytes();
        let mut bytes = vec![l0, l1, l2, frame.kind, frame.flags, s0, s1, s2, s3];
        bytes.resize(HEAD_BYTES + frame.size as usize, RST_STREAM);
        bytes
    }

    fn walked(preface: &'static [u8], bytes: &[u8], piece: usize) -> Vec<(Frame, Vec<u8>)> {
        let mut reader = FrameReader::after(preface);
        let mut seen = Vec::new();
        for piece in bytes.chunks(piece) {
            reader.read(piece, |frame, payload| seen.push((frame, payload.to_vec())));
        }
        seen
    }

    proptest! {
        #[test]
        fn every_frame_is_seen_however_the_bytes_are_cut(
            frames in proptest::collection::vec(
                (0u8..12, 0u8..=255, 0u32..1 << 31, 0u32..40), 0..12
            ),
            piece in 1usize..60,
        ) {
            let mut bytes = PREFACE.to_vec();
            let mut expected = Vec::new();
            for (kind, flags, stream, size) in frames {
                let frame = Frame { kind, flags, stream, size };
                let kept = if frame.is_kept() { size as usize } else { 0 };
                expected.push((frame, vec![RST_STREAM; kept]));
                bytes.extend(written(frame));
            }
            prop_assert_eq!(walked(PREFACE, &bytes, piece), expected);
        }
    }

    #[test]
    fn a_long_payload_is_kept_in_part() {
        let frame = Frame { kind: SETTINGS, flags: 0, stream: 0, size: 6 * 40 };
        let seen = walked(b"", &written(frame), 7);
        assert_eq!(seen, [(frame, vec![RST_STREAM; KEPT_BYTES])]);
    }

    #[test]
    fn payloads_are_read() {
        let of = |kind| Frame { kind, ..Frame::default() };
        assert_eq!(of(WINDOW_UPDATE).value(&[0, 1, 0, 2]), 65_538);
        assert_eq!(of(GOAWAY).value(&[0, 0, 0, 9, 0, 0, 0, 11]), 11);
        assert_eq!(of(GOAWAY).value(&[0]), 0);
        let settings = of(SETTINGS).settings(&[0, 4, 0, 0, 255, 255, 0, 3, 0, 0, 0, 100]);
        assert_eq!(settings, [(4, 65_535), (3, 100)]);
    }

    #[test]
    fn what_is_not_http_2_has_no_frames() {
        let request = b"GET / HTTP/1.1\r\nHost: origin.example\r\nAccept: text/html\r\n\r\n";
        assert_eq!(walked(PREFACE, request, 7), []);
    }
}
