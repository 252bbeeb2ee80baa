//! What happened on a link, and how well the emulator kept up.

use hdrhistogram::Histogram;
use serde::Serialize;

/// A packet that leaves later than this counts as late.
const LATE_NS: u64 = 1_000_000;

const NS_PER_US: u64 = 1000;

/// The counts of one direction since the link was opened.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Counts {
    /// IP packets that entered the link.
    pub packets: u64,
    /// Their bytes, IP header included.
    pub bytes: u64,
    /// Packets that left the link at the other end.
    pub delivered_packets: u64,
    /// Their bytes.
    pub delivered_bytes: u64,
    /// Packets that were lost as the profile asks.
    pub lost: u64,
    /// Packets that were dropped because the queue was full.
    pub queue_dropped: u64,
    /// Packets that were dropped because the direction was a black hole.
    pub black_holed: u64,
    /// Packets that were dropped because the emulator had no memory for them. Unintended loss, so
    /// the result is invalid.
    pub overflowed: u64,
    /// Packets that the kernel did not accept at the other end. Unintended loss, so the result is
    /// invalid.
    pub refused: u64,
    /// Packets larger than the MTU although rate, loss or jitter counts packets. They were
    /// delivered.
    pub oversized: u64,
    /// Frames that links do not carry: multicast, or neither IPv4 nor IPv6.
    pub ignored: u64,
    /// The most bytes that were in the queue at once.
    pub queue_high_water_bytes: u64,
    /// The most packets that were in the queue at once.
    pub queue_high_water_packets: u64,
}

/// A histogram of how much later than due packets left, and of how long they may have waited
/// before they were read, together.
#[derive(Clone, Debug)]
pub struct Lateness(Histogram<u64>);

/// The lateness of the packets that left since the link was opened.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LatenessSummary {
    /// Packets that left.
    pub packets: u64,
    /// Median of their lateness.
    pub p50_us: u64,
    /// 99th percentile.
    pub p99_us: u64,
    /// 99.9th percentile.
    pub p999_us: u64,
    /// Maximum.
    pub max_us: u64,
    /// Packets that were more than 1 ms late.
    pub over_1ms: u64,
    /// `[bound, packets]`: packets at most as late as this bound, but later than the bound before.
    pub histogram_us: Vec<(u64, u64)>,
}

impl Lateness {
    /// An empty histogram, for lateness up to a minute with an accuracy of 1 %.
    pub fn new() -> Self {
        let empty = Histogram::new_with_bounds(1, 60_000_000_000, 2);
        Self(empty.unwrap_or_else(|_| unreachable!("the bounds are constants that fit")))
    }

    /// Counts a packet.
    pub fn record(&mut self, late_ns: u64) {
        self.0.saturating_record(late_ns);
    }

    /// Summarises the packets so far.
    pub fn summary(&self) -> LatenessSummary {
        let quantile = |share| self.0.value_at_quantile(share).div_ceil(NS_PER_US);
        LatenessSummary {
            packets: self.0.len(),
            p50_us: quantile(0.5),
            p99_us: quantile(0.99),
            p999_us: quantile(0.999),
            max_us: self.0.max().div_ceil(NS_PER_US),
            over_1ms: self.0.len() - self.0.count_between(0, LATE_NS),
            histogram_us: self
                .0
                .iter_log(NS_PER_US, 2.0)
                .filter(|step| step.count_since_last_iteration() > 0)
                .map(|step| (upper_us(step.value_iterated_to()), step.count_since_last_iteration()))
                .collect(),
        }
    }
}

impl Default for Lateness {
    fn default() -> Self {
        Self::new()
    }
}

/// The upper bound of a histogram step. The iterator gives the last value below a power of two.
fn upper_us(value_ns: u64) -> u64 {
    value_ns.div_ceil(NS_PER_US)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lateness_is_told_in_microseconds() {
        let mut lateness = Lateness::new();
        for _ in 0..99 {
            lateness.record(30_000);
        }
        lateness.record(5_000_000);
        let summary = lateness.summary();
        assert_eq!((summary.packets, summary.over_1ms), (100, 1));
        assert!((30..=31).contains(&summary.p50_us), "{summary:?}");
        assert!((5000..=5050).contains(&summary.max_us), "{summary:?}");
        assert_eq!(summary.histogram_us.iter().map(|(_, packets)| packets).sum::<u64>(), 100);
        assert_eq!(summary.histogram_us[0], (32, 99));
    }

    #[test]
    fn nothing_is_a_summary_too() {
        let summary = Lateness::new().summary();
        assert_eq!((summary.packets, summary.max_us, summary.over_1ms), (0, 0, 0));
    }
}
