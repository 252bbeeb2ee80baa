//! The content of `/bytes/N`: one block, repeated endlessly.

use std::sync::OnceLock;

use bytes::Bytes;
use sha2::{Digest, Sha256};

use crate::content::shared_file;

/// The length of the block. It is prime, so that no buffer size is a multiple of it.
pub const BLOCK_BYTES: usize = 65_521;

/// The most bytes that [`bytes`] returns at once.
pub const PIECE_BYTES: usize = 1 << 20;

/// The first `length` bytes of the endless content from `position` on, at most [`PIECE_BYTES`] of
/// them. Nothing is copied.
pub fn bytes(position: u64, length: u64) -> Bytes {
    let start = (position % BLOCK_BYTES as u64) as usize;
    let length = length.min(PIECE_BYTES as u64) as usize;
    tape().slice(start..start + length)
}

/// The block, repeated far enough that the longest piece can begin anywhere in its first period.
fn tape() -> &'static Bytes {
    static TAPE: OnceLock<Bytes> = OnceLock::new();
    TAPE.get_or_init(|| {
        let block = block();
        let mut tape = block.repeat(PIECE_BYTES / BLOCK_BYTES + 2);
        tape.truncate(BLOCK_BYTES + PIECE_BYTES);
        shared_file::shared(tape)
    })
}

fn block() -> Vec<u8> {
    let mut block: Vec<u8> =
        (0..).flat_map(|n| Sha256::digest(format!("fetchoff {n}"))).take(BLOCK_BYTES).collect();
    block.shrink_to_fit();
    block
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The definition, byte by byte.
    fn defined(position: u64) -> u8 {
        let in_block = position % BLOCK_BYTES as u64;
        Sha256::digest(format!("fetchoff {}", in_block / 32))[(in_block % 32) as usize]
    }

    #[test]
    fn begins_as_defined() {
        // printf 'fetchoff 0' | sha256sum
        assert_eq!(
            format!("{:x}", bytes(0, 32)),
            "8747e2d49eb3998a6b021aeb8752f6a162ef9291c7083aaf060779a788fbc64e"
        );
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn any_piece_is_as_defined(position in 0u64..1 << 40, length in 0u64..300) {
            let piece = bytes(position, length);
            prop_assert_eq!(piece.len() as u64, length);
            for (offset, byte) in (0u64..).zip(piece.iter()) {
                prop_assert_eq!(*byte, defined(position + offset));
            }
        }

        #[test]
        fn a_piece_is_bounded(position in 0u64..1 << 40, length in 0u64..1 << 34) {
            let piece = bytes(position, length);
            prop_assert_eq!(piece.len() as u64, length.min(PIECE_BYTES as u64));
            let last = piece.len() as u64;
            if last > 0 {
                prop_assert_eq!(piece[piece.len() - 1], defined(position + last - 1));
            }
        }
    }
}
