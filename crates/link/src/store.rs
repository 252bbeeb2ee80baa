//! The packets under way, in a ring buffer: first in, first out.

use std::collections::VecDeque;

/// The largest frame: an IP packet of 64 KiB, and what the kernel writes before it.
pub const FRAME_BYTES: usize = (64 << 10) + 64;

const FIRST_BYTES: usize = 1 << 20;

/// A ring buffer of frames. It doubles its size up to a limit, and is copied only then.
#[derive(Debug)]
pub struct Store<T> {
    bytes: Vec<u8>,
    most_bytes: usize,
    frames: VecDeque<Frame<T>>,
    tail: usize,
}

#[derive(Debug)]
struct Frame<T> {
    at: usize,
    bytes: usize,
    note: T,
}

impl<T> Store<T> {
    /// An empty store that never takes more than `most_bytes` of memory.
    pub fn new(most_bytes: usize) -> Self {
        let bytes = vec![0; FIRST_BYTES.min(most_bytes)];
        Self { bytes, most_bytes, frames: VecDeque::new(), tail: 0 }
    }

    /// Where the next frame may be written; `None` if there is no room for the largest frame.
    pub fn space(&mut self) -> Option<&mut [u8]> {
        if !self.find_space() {
            self.grow()?;
        }
        self.bytes.get_mut(self.tail..self.tail + FRAME_BYTES)
    }

    /// Keeps the first `bytes` of the space as a frame.
    pub fn push(&mut self, bytes: usize, note: T) {
        debug_assert!(bytes <= FRAME_BYTES);
        self.frames.push_back(Frame { at: self.tail, bytes, note });
        self.tail += bytes;
    }

    /// The oldest frame.
    pub fn front(&self) -> Option<(&[u8], &T)> {
        let frame = self.frames.front()?;
        Some((&self.bytes[frame.at..frame.at + frame.bytes], &frame.note))
    }

    /// Removes the oldest frame.
    pub fn pop(&mut self) -> Option<T> {
        self.frames.pop_front().map(|frame| frame.note)
    }

    /// The number of frames.
    pub fn len(&self) -> usize {
        self.frames.len()
    }

    fn find_space(&mut self) -> bool {
        let Some(head) = self.frames.front().map(|frame| frame.at) else {
            self.tail = 0;
            return self.bytes.len() >= FRAME_BYTES;
        };
        if self.tail > head {
            if self.bytes.len() - self.tail >= FRAME_BYTES {
                return true;
            }
            if head >= FRAME_BYTES {
                self.tail = 0;
                return true;
            }
            return false;
        }
        head - self.tail >= FRAME_BYTES
    }

    fn grow(&mut self) -> Option<()> {
        let larger = (self.bytes.len() * 2).max(FRAME_BYTES);
        if larger > self.most_bytes {
            return None;
        }
        let mut bytes = vec![0; larger];
        let mut tail = 0;
        for frame in &mut self.frames {
            let end = tail + frame.bytes;
            bytes[tail..end].copy_from_slice(&self.bytes[frame.at..frame.at + frame.bytes]);
            frame.at = tail;
            tail = end;
        }
        (self.bytes, self.tail) = (bytes, tail);
        self.find_space().then_some(())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn put(store: &mut Store<usize>, bytes: usize, note: usize) -> bool {
        let Some(space) = store.space() else { return false };
        space[..bytes].fill(note as u8);
        store.push(bytes, note);
        true
    }

    #[test]
    fn memory_is_bounded() {
        let mut store = Store::new(4 << 20);
        let taken = (0..1000).take_while(|note| put(&mut store, FRAME_BYTES, *note)).count();
        assert_eq!(taken, (4 << 20) / FRAME_BYTES);
        store.pop();
        assert!(put(&mut store, 1, 0), "there is room again");
    }

    proptest! {
        #[test]
        fn what_goes_in_comes_out_in_order(
            steps in prop::collection::vec(prop_oneof![1_usize..=FRAME_BYTES, Just(0)], 1..400),
        ) {
            let mut store = Store::new(2 << 20);
            let (mut written, mut expected) = (0, VecDeque::new());
            for bytes in steps {
                if bytes == 0 || !put(&mut store, bytes, written) {
                    let front = store.front().map(|(frame, note)| (frame.to_vec(), *note));
                    let awaited = expected.pop_front();
                    prop_assert_eq!(front.is_some(), awaited.is_some());
                    if let (Some((frame, note)), Some((bytes, number))) = (front, awaited) {
                        prop_assert_eq!((frame.len(), note), (bytes, number));
                        prop_assert!(frame.iter().all(|byte| *byte == number as u8));
                        store.pop();
                    }
                } else {
                    expected.push_back((bytes, written));
                    written += 1;
                }
                prop_assert_eq!(store.len(), expected.len());
            }
        }
    }
}
