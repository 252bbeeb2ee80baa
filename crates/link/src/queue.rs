//! A rate limit with a bounded queue before it. It is computed, not simulated step by step.

use std::collections::VecDeque;

use crate::profile::{Bottleneck, Limit};

const NS_PER_S: u64 = 1_000_000_000;

/// A FIFO queue with a fixed rate. A packet that does not fit is dropped (tail drop).
///
/// The queue never reorders or drops what it holds. So the moment at which a packet will have been
/// sent is known when it arrives.
#[derive(Debug)]
pub struct Queue {
    bottleneck: Bottleneck,
    /// For each packet that has not been sent completely: when it will have been, and its bytes.
    waiting: VecDeque<(u64, u32)>,
    bytes: u64,
    free_at_ns: u64,
    /// The remainder of the last division, in nanoseconds times the rate. It keeps the rate exact
    /// in the long run.
    remainder: u64,
}

impl Queue {
    /// An empty queue.
    pub fn new(bottleneck: Bottleneck) -> Self {
        Self { bottleneck, waiting: VecDeque::new(), bytes: 0, free_at_ns: 0, remainder: 0 }
    }

    /// Admits a packet, and returns when its last bit will have been sent; `None` if the queue is
    /// full.
    pub fn admit(&mut self, now_ns: u64, bytes: u32) -> Option<u64> {
        self.leave(now_ns);
        if !self.has_room_for(bytes) {
            return None;
        }
        if self.free_at_ns <= now_ns {
            self.free_at_ns = now_ns;
            self.remainder = 0;
        }
        let rate = self.bottleneck.rate_bit_s.get();
        let work = u64::from(bytes) * 8 * NS_PER_S + self.remainder;
        self.free_at_ns += work / rate;
        self.remainder = work % rate;
        self.waiting.push_back((self.free_at_ns, bytes));
        self.bytes += u64::from(bytes);
        Some(self.free_at_ns)
    }

    /// Bytes that were waiting or being sent at the last arrival.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Packets that were waiting or being sent at the last arrival.
    pub fn packets(&self) -> u64 {
        self.waiting.len() as u64
    }

    fn leave(&mut self, now_ns: u64) {
        while let Some((_, bytes)) = self.waiting.front().filter(|(sent_ns, _)| *sent_ns <= now_ns)
        {
            self.bytes -= u64::from(*bytes);
            self.waiting.pop_front();
        }
    }

    fn has_room_for(&self, bytes: u32) -> bool {
        match self.bottleneck.queue {
            Limit::Bytes(most) => self.bytes + u64::from(bytes) <= most,
            Limit::Packets(most) => self.packets() < most,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroU64;

    use proptest::prelude::*;

    use super::*;

    fn queue(rate_bit_s: u64, queue: Limit) -> Queue {
        Queue::new(Bottleneck { rate_bit_s: NonZeroU64::new(rate_bit_s).unwrap(), queue })
    }

    #[test]
    fn a_packet_takes_its_bits_by_the_rate() {
        let mut queue = queue(12_000_000, Limit::Packets(2));
        assert_eq!(queue.admit(5, 1500), Some(1_000_005));
        assert_eq!(queue.admit(6, 1500), Some(2_000_005));
        assert_eq!((queue.packets(), queue.bytes()), (2, 3000));
        assert_eq!(queue.admit(1_000_004, 1), None, "the first is not sent whole");
        assert_eq!(queue.admit(1_000_005, 1500), Some(3_000_005));
        assert_eq!(queue.admit(9_000_000, 1500), Some(10_000_000), "an idle link begins at once");
    }

    #[test]
    fn bytes_are_bounded_to_the_last_one() {
        let mut queue = queue(8, Limit::Bytes(3000));
        assert!(queue.admit(0, 1500).is_some());
        assert!(queue.admit(0, 1501).is_none());
        assert!(queue.admit(0, 1500).is_some());
        assert!(queue.admit(0, 1).is_none());
    }

    #[test]
    fn rates_that_do_not_divide_are_exact_in_the_long_run() {
        let mut queue = queue(7_000_003, Limit::Packets(10_000));
        let sent: Vec<u64> = (0..7000).filter_map(|_| queue.admit(0, 1000)).collect();
        assert_eq!(sent.last(), Some(&(7000 * 8000 * NS_PER_S / 7_000_003)));
    }

    proptest! {
        #[test]
        fn never_more_than_the_limit_never_faster_than_the_rate(
            arrivals in prop::collection::vec((0_u64..3_000_000, 40_u32..1500), 1..300),
            rate_bit_s in 1_000_000_u64..100_000_000,
            most in 1500_u64..30_000,
        ) {
            let mut queue = queue(rate_bit_s, Limit::Bytes(most));
            let (mut now_ns, mut last_ns) = (0, 0);
            for (pause_ns, bytes) in arrivals {
                now_ns += pause_ns;
                if let Some(sent_ns) = queue.admit(now_ns, bytes) {
                    let began_ns = now_ns.max(last_ns);
                    let took_ns = u64::from(bytes) * 8 * NS_PER_S / rate_bit_s;
                    prop_assert!(sent_ns - began_ns >= took_ns);
                    prop_assert!(sent_ns - began_ns <= took_ns + 1);
                    last_ns = sent_ns;
                } else {
                    prop_assert!(queue.bytes() + u64::from(bytes) > most);
                }
                prop_assert!(queue.bytes() <= most);
            }
        }
    }
}
