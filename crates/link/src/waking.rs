//! How slowly a core wakes from sleep, learned from alarms; and what is done about it.
//!
//! A thread that sleeps for long is woken late, by its alarm as by a packet: the core has to leave a
//! state in which it saves power, a virtual machine has to be scheduled. How late an alarm is can be
//! seen. How late a packet is read cannot, so it is taken to be the same.

/// More than this is not a core that wakes, but one that has something else to do.
const MOST_NS: u64 = 250_000;
/// What a single alarm may change.
const STEP_NS: u64 = 25_000;

/// What is known of the core so far.
#[derive(Clone, Copy, Debug, Default)]
pub struct Waking {
    awake_ns: u64,
    slow_ns: u64,
}

impl Waking {
    /// `awake_ns`: how early to be woken at least. 0: sleep is never made up for.
    pub fn new(awake_ns: u64) -> Self {
        Self { awake_ns, slow_ns: 0 }
    }

    /// Whether a sleep was, or will be, one from which a core wakes slowly.
    pub fn is_long(self, sleep_ns: u64) -> bool {
        self.awake_ns > 0 && sleep_ns >= 4 * self.awake_ns
    }

    /// How long before the end of a long sleep to be woken: at most a quarter of it.
    pub fn early_ns(self, sleep_ns: u64) -> u64 {
        self.awake_ns.max((2 * self.slow_ns).min(sleep_ns / 4))
    }

    /// How long ago that came what ended a long sleep.
    pub fn slow_ns(self) -> u64 {
        self.slow_ns
    }

    /// An alarm ended a long sleep so much after its time. A single one says little.
    pub fn was_late(&mut self, late_ns: u64) {
        let (low, high) = (self.slow_ns.saturating_sub(STEP_NS), self.slow_ns + STEP_NS);
        self.slow_ns = late_ns.clamp(low, high).min(MOST_NS);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: u64 = 1_000_000;

    #[test]
    fn what_alarms_tell_is_learned_and_one_that_is_much_too_late_hardly_counts() {
        let mut waking = Waking::new(100_000);
        assert_eq!((waking.slow_ns(), waking.early_ns(MS)), (0, 100_000));
        (0..10).for_each(|_| waking.was_late(120_000));
        assert_eq!((waking.slow_ns(), waking.early_ns(MS)), (120_000, 240_000));
        waking.was_late(5_000_000);
        assert_eq!(waking.slow_ns(), 145_000);
        waking.was_late(120_000);
        assert_eq!(waking.slow_ns(), 120_000);
        (0..100).for_each(|_| waking.was_late(5_000_000));
        assert_eq!(waking.slow_ns(), MOST_NS);
    }

    #[test]
    fn no_more_than_a_quarter_of_a_sleep_is_given_up() {
        let mut waking = Waking::new(100_000);
        assert!(waking.is_long(400_000) && !waking.is_long(399_999));
        (0..10).for_each(|_| waking.was_late(120_000));
        let early_ns =
            [400_000, 600_000, 960_000, 2 * MS].map(|sleep_ns| waking.early_ns(sleep_ns));
        assert_eq!(early_ns, [100_000, 150_000, 240_000, 240_000]);
    }

    #[test]
    fn who_does_not_want_to_be_woken_early_is_not() {
        assert!(!Waking::new(0).is_long(u64::MAX));
    }
}
