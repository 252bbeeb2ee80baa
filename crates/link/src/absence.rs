//! How long packets may have waited to be read, because the thread wasn't running.
//!
//! The kernel doesn't record when a packet reached a TUN device. But it records how long a thread
//! that was woken waited for its core, and a thread that is awake sees by the clock that it was
//! interrupted. A packet that is read after such an absence may have waited for all of it.

use std::fs::File;
use std::io;

use crate::clock;

/// What is shorter is no absence: the thread was at work.
const SHORT_NS: u64 = 100_000;

/// The thread's absences. Its methods are for that thread only.
#[derive(Debug)]
pub struct Absence {
    /// When the thread last looked at the clock.
    seen_ns: u64,
    /// All absences since the last attempt to read from each port.
    away_ns: [u64; 2],
    /// The longest ones before an attempt since each port was last found empty.
    longest_ns: [u64; 2],
    schedstat: Option<File>,
    /// What schedstat said before the current sleep.
    waited_ns: u64,
}

impl Absence {
    /// The thread is there at this moment.
    pub fn since(now_ns: u64) -> Self {
        let [away_ns, longest_ns] = [[0; 2]; 2];
        Self { seen_ns: now_ns, away_ns, longest_ns, schedstat: None, waited_ns: 0 }
    }

    /// The thread is there again, without having slept.
    pub fn is_there(&mut self, now_ns: u64) {
        self.was_away(now_ns.saturating_sub(self.seen_ns));
        self.seen_ns = now_ns;
    }

    /// The thread is about to sleep.
    pub fn falls_asleep(&mut self) -> io::Result<()> {
        // In this order: of what comes between, nothing is forgotten.
        self.waited_ns = self.total_waited_ns()?;
        self.is_there(clock::now_ns());
        Ok(())
    }

    /// The thread has slept until this moment. What it waited for its core was an absence.
    pub fn woke(&mut self, now_ns: u64) -> io::Result<()> {
        let slept_ns = now_ns.saturating_sub(self.seen_ns);
        if slept_ns >= SHORT_NS {
            let waited_ns = self.total_waited_ns()?.saturating_sub(self.waited_ns);
            self.was_away(waited_ns.min(slept_ns));
        }
        self.seen_ns = now_ns;
        Ok(())
    }

    /// Nothing was there to be read: what comes now to this port has not waited yet.
    pub fn found_empty(&mut self, port: usize) {
        (self.away_ns[port], self.longest_ns[port]) = (0, 0);
    }

    /// How long a packet may have waited that was read from this port just now.
    pub fn before_reading_ns(&mut self, port: usize) -> u64 {
        let away_ns = std::mem::take(&mut self.away_ns[port]);
        self.longest_ns[port] = self.longest_ns[port].max(away_ns);
        self.longest_ns[port]
    }

    fn was_away(&mut self, away_ns: u64) {
        if away_ns >= SHORT_NS {
            self.away_ns = self.away_ns.map(|before_ns| before_ns + away_ns);
        }
    }

    /// How long the thread has waited for its core so far.
    fn total_waited_ns(&mut self) -> io::Result<u64> {
        let schedstat = match &mut self.schedstat {
            Some(open) => open,
            none => none.insert(clock::open_schedstat()?),
        };
        clock::waited_ns(schedstat)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: u64 = 1_000_000;

    fn read(absence: &mut Absence) -> [u64; 2] {
        [0, 1].map(|port| absence.before_reading_ns(port))
    }

    #[test]
    fn absences_before_an_attempt_add_up_and_the_longest_counts_until_a_port_is_found_empty() {
        let mut absence = Absence::since(MS);
        absence.is_there(5 * MS);
        absence.is_there(7 * MS);
        assert_eq!(read(&mut absence), [6 * MS; 2]);
        absence.is_there(8 * MS);
        assert_eq!(read(&mut absence), [6 * MS; 2]);
        absence.found_empty(1);
        assert_eq!(read(&mut absence), [6 * MS, 0]);
        absence.is_there(10 * MS);
        absence.found_empty(0);
        assert_eq!(read(&mut absence), [0, 2 * MS]);
    }

    #[test]
    fn work_is_no_absence_however_much_there_is() {
        let mut absence = Absence::since(0);
        for number in 1..=10_000 {
            absence.is_there(number * (SHORT_NS - 1));
        }
        assert_eq!(read(&mut absence), [0; 2]);
    }

    #[test]
    fn sleeping_is_no_absence() {
        let mut absence = Absence::since(clock::now_ns());
        absence.falls_asleep().unwrap();
        absence.found_empty(0);
        let before_ns = absence.waited_ns;
        std::thread::sleep(std::time::Duration::from_millis(30));
        absence.woke(clock::now_ns()).unwrap();
        let waited_ns = absence.total_waited_ns().unwrap() - before_ns;
        assert!(absence.before_reading_ns(0) <= waited_ns, "{absence:?}");
    }
}
