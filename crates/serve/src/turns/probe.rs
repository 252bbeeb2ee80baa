//! A probe tells how fast the core is at this moment: how long a fixed piece of arithmetic takes.
//!
//! A turn is interspersed with probes. Other virtual machines on the same processor slow a core
//! down by a quarter or more for 20 to 200 ms at a time, and a turn takes 10. The probes tell such
//! turns apart from those in which the client itself did more (docs/decisions/0023).
//!
//! The arithmetic touches no memory and makes no system call, so what it takes does not depend on
//! what the client has left in the caches.

use std::hint::black_box;
use std::time::{Duration, Instant};

/// Probes of a turn, as nearly as its exchanges allow.
pub const PROBES: u64 = 16;

/// Iterations of the arithmetic, which take about a microsecond.
const STEPS: u64 = 700;

/// One in so many probes does not count, the longest first: an interrupt may have met it.
const LEFT_OUT: usize = 8;

/// The probes of one turn.
#[derive(Debug, Default)]
pub struct Probes {
    took_ns: Vec<u64>,
    inside: Duration,
}

impl Probes {
    /// Forgets all probes: another turn begins.
    pub fn clear(&mut self) {
        self.took_ns.clear();
        self.inside = Duration::ZERO;
    }

    /// Takes some probes outside the counted time of the turn.
    pub fn take(&mut self, count: u64) -> Duration {
        let began = Instant::now();
        let mut last = began;
        for _ in 0..count {
            work();
            let now = Instant::now();
            self.took_ns.push(u64::try_from((now - last).as_nanos()).unwrap_or(u64::MAX));
            last = now;
        }
        last - began
    }

    /// Takes some probes between two exchanges that count. What they take is not the client's.
    pub fn take_inside(&mut self, count: u64) {
        let took = self.take(count);
        self.inside += took;
    }

    /// The time of all probes that were taken between exchanges that count.
    pub fn inside(&self) -> Duration {
        self.inside
    }

    /// The mean of a probe in picoseconds, without the longest eighth; 0 if there is none.
    pub fn mean_ps(&mut self) -> u64 {
        self.took_ns.sort_unstable();
        let kept = self.took_ns.len() - self.took_ns.len() / LEFT_OUT;
        let total: u64 = self.took_ns[..kept].iter().sum();
        let count = u64::try_from(kept).unwrap_or(u64::MAX);
        (1000 * total).checked_div(count).unwrap_or(0)
    }
}

/// Four chains that do not wait for each other, so that another process that shares the core's
/// arithmetic units slows them down.
///
/// Nothing in the loop may go through memory, as `black_box` does: processors guess that what is
/// loaded was stored right before, and how well they guess depends on what ran before.
fn work() {
    let (mut a, mut b, mut c, mut d) = black_box((1_u64, 2_u64, 3_u64, 4_u64));
    for step in 0..STEPS {
        a = a.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ step;
        b = b.wrapping_mul(0xBF58_476D_1CE4_E5B9) ^ (b >> 29);
        c = c.wrapping_add(step).rotate_left(7);
        d = (d ^ step).wrapping_mul(0x94D0_49BB_1331_11EB);
    }
    black_box((a, b, c, d));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(took_ns: &[u64]) -> Probes {
        Probes { took_ns: took_ns.to_vec(), inside: Duration::ZERO }
    }

    #[test]
    fn the_longest_eighth_does_not_count() {
        assert_eq!(of(&[800, 800, 800, 800, 800, 800, 800, 15_000]).mean_ps(), 800_000);
        assert_eq!(of(&[800, 900]).mean_ps(), 850_000);
        assert_eq!(of(&[]).mean_ps(), 0);
    }

    #[test]
    fn only_what_was_taken_between_exchanges_is_not_the_clients() {
        let mut probes = Probes::default();
        assert!(probes.take(3) > Duration::ZERO);
        assert_eq!(probes.inside(), Duration::ZERO);
        probes.take_inside(2);
        assert!(probes.inside() > Duration::ZERO);
        assert!(probes.mean_ps() > 0);
        probes.clear();
        assert_eq!((probes.mean_ps(), probes.inside()), (0, Duration::ZERO));
    }
}
