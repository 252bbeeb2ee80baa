//! How slowly a core wakes from sleep: learned from timers, and compensated for.
//!
//! A thread that has slept long is woken late, whether by its timer or by a packet: the core has to
//! leave a power-saving state, or a virtual machine has to be scheduled. The lateness of a timer
//! can be measured. The lateness of a packet cannot, so it is assumed to be the same.
//!
//! Therefore the thread has itself woken early for a packet that is due, stays awake for some time
//! after it, and dates back the arrival of a packet that woke it. Where packets follow each other
//! closely this is not worth the CPU time, and is not done.

/// A longer lateness is not the wake-up time of a core: the core had something else to do.
const MOST_NS: u64 = 250_000;
/// The most that a single alarm may change the estimate.
const STEP_NS: u64 = 25_000;

/// What has been learned about the core, and the state of the current or last sleep.
#[allow(clippy::struct_field_names, reason = "units are in names")]
#[derive(Clone, Copy, Debug, Default)]
pub struct Waking {
    awake_ns: u64,
    slow_ns: u64,
    /// The moment for which the thread was or will be woken early.
    early_for_ns: u64,
    /// How early it is woken, and how long after that moment it stays awake.
    early_ns: u64,
    /// How long ago the packet arrived that woke the thread; 0 once it has been read.
    overslept_ns: u64,
}

impl Waking {
    /// `awake_ns`: how early to be woken at least. 0: nothing is compensated for.
    pub fn new(awake_ns: u64) -> Self {
        Self { awake_ns, ..Self::default() }
    }

    /// When the thread should be woken for a packet that is due at `due_ns`.
    pub fn wake_ns(&mut self, due_ns: u64, now_ns: u64) -> u64 {
        let sleep_ns = due_ns.saturating_sub(now_ns);
        // Computed once for each moment: at the next call less of the sleep is left.
        if self.early_for_ns != due_ns && self.is_long(sleep_ns) {
            self.early_for_ns = due_ns;
            self.early_ns = self.awake_ns.max((2 * self.slow_ns).min(sleep_ns / 4));
        }
        if self.early_for_ns == due_ns { due_ns.saturating_sub(self.early_ns) } else { due_ns }
    }

    /// Whether the thread should stay awake now: the packet that it was woken for may be answered
    /// at once.
    pub fn stays_awake(&self, now_ns: u64) -> bool {
        now_ns.abs_diff(self.early_for_ns) < self.early_ns
    }

    /// A sleep has ended: because a packet `came`, because of its alarm, or for another reason.
    pub fn woke(&mut self, slept_at_ns: u64, now_ns: u64, came: bool, alarm_ns: Option<u64>) {
        if !self.is_long(now_ns.saturating_sub(slept_at_ns)) {
            return;
        }
        if came {
            self.overslept_ns = self.slow_ns;
        } else if let Some(alarm_ns) = alarm_ns {
            self.was_late(now_ns.saturating_sub(alarm_ns));
        }
    }

    /// When the packet arrived that is read now.
    pub fn came_ns(&self, now_ns: u64) -> u64 {
        now_ns.saturating_sub(self.overslept_ns)
    }

    /// The packets that woke the thread have been read. Those that come next have not waited.
    pub fn has_read(&mut self) {
        self.overslept_ns = 0;
    }

    /// Whether a sleep is so long that the core wakes slowly from it.
    fn is_long(&self, sleep_ns: u64) -> bool {
        self.awake_ns > 0 && sleep_ns >= 4 * self.awake_ns
    }

    /// An alarm ended a long sleep this late. A single one changes the estimate only a little.
    fn was_late(&mut self, late_ns: u64) {
        let (low, high) = (self.slow_ns.saturating_sub(STEP_NS), self.slow_ns + STEP_NS);
        self.slow_ns = late_ns.clamp(low, high).min(MOST_NS);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const US: u64 = 1_000;
    const MS: u64 = 1_000_000;

    /// One that has learned that the core wakes so late; the clock stands at 1 s.
    fn learned(slow_ns: u64) -> Waking {
        let mut waking = Waking::new(100 * US);
        for _ in 0..20 {
            alarm(&mut waking, slow_ns);
        }
        waking
    }

    /// An alarm at 1 s that ended 10 ms of sleep so late.
    fn alarm(waking: &mut Waking, late_ns: u64) {
        waking.woke(990 * MS, 1000 * MS + late_ns, false, Some(1000 * MS));
    }

    /// How long ago that came which ended so long a sleep.
    fn dated_back(waking: &mut Waking, slept_ns: u64) -> u64 {
        waking.woke(2000 * MS - slept_ns, 2000 * MS, true, None);
        2000 * MS - waking.came_ns(2000 * MS)
    }

    fn early_ns(waking: &mut Waking, sleep_ns: u64) -> u64 {
        let (now_ns, due_ns) = (3000 * MS, 3000 * MS + sleep_ns);
        due_ns - waking.wake_ns(due_ns, now_ns)
    }

    #[test]
    fn what_alarms_tell_is_learned_and_one_that_is_much_too_late_hardly_counts() {
        let mut waking = Waking::new(100 * US);
        assert_eq!((dated_back(&mut waking, MS), early_ns(&mut waking, MS)), (0, 100 * US));
        let mut waking = learned(120 * US);
        let both = (dated_back(&mut waking, MS), early_ns(&mut waking, MS));
        assert_eq!(both, (120 * US, 240 * US));
        alarm(&mut waking, 5 * MS);
        assert_eq!(dated_back(&mut waking, MS), 145 * US);
        alarm(&mut waking, 120 * US);
        assert_eq!(dated_back(&mut waking, MS), 120 * US);
        assert_eq!(dated_back(&mut learned(5 * MS), MS), MOST_NS);
    }

    #[test]
    fn no_more_than_a_quarter_of_a_sleep_is_given_up() {
        let early = [399, 400, 600, 960, 2000]
            .map(|sleep_us| early_ns(&mut learned(120 * US), sleep_us * US));
        assert_eq!(early, [0, 100 * US, 150 * US, 240 * US, 240 * US]);
    }

    #[test]
    fn asked_again_for_the_same_moment_it_says_the_same() {
        let mut waking = learned(120 * US);
        let due_ns = 2010 * MS;
        let wake_ns = due_ns - 240 * US;
        assert_eq!(waking.wake_ns(due_ns, 2000 * MS), wake_ns);
        assert_eq!(waking.wake_ns(due_ns, wake_ns), wake_ns);
        // Another one, soon after: nothing is gained.
        assert_eq!(waking.wake_ns(due_ns + 50 * US, due_ns), due_ns + 50 * US);
    }

    #[test]
    fn the_thread_is_awake_as_long_after_the_moment_as_before_it() {
        let mut waking = learned(120 * US);
        waking.wake_ns(2010 * MS, 2000 * MS);
        let awake = [-240_i64, -239, 0, 239, 240]
            .map(|us| waking.stays_awake((2010 * MS).saturating_add_signed(us * 1000)));
        assert_eq!(awake, [false, true, true, true, false]);
    }

    #[test]
    fn a_packet_that_ended_a_long_sleep_is_dated_back_and_none_else() {
        let mut waking = learned(120 * US);
        assert_eq!(dated_back(&mut waking, 399 * US), 0);
        assert_eq!(dated_back(&mut waking, 400 * US), 120 * US);
        waking.has_read();
        assert_eq!(waking.came_ns(7), 7);
        // By an order.
        waking.woke(1000 * MS, 2000 * MS, false, None);
        assert_eq!(waking.came_ns(7), 7);
    }

    #[test]
    fn nothing_is_learned_from_short_sleeps_or_while_something_came_as_well() {
        let mut waking = learned(120 * US);
        waking.woke(1000 * MS, 1000 * MS + 399 * US, false, Some(1000 * MS));
        waking.woke(1000 * MS, 1010 * MS, true, Some(1000 * MS));
        waking.has_read();
        assert_eq!(dated_back(&mut waking, MS), 120 * US);
    }

    #[test]
    fn who_does_not_want_to_be_woken_early_is_not() {
        let mut waking = Waking::new(0);
        alarm(&mut waking, 200 * US);
        assert_eq!(
            (dated_back(&mut waking, 1900 * MS), early_ns(&mut waking, 60_000 * MS)),
            (0, 0)
        );
        assert!(!waking.stays_awake(0));
    }
}
