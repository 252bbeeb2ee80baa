//! The clocks by which the emulator runs, and by which its own use of time is reported.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt as _;

use rustix::time::{ClockId, Timespec, clock_gettime};

const NS_PER_S: u64 = 1_000_000_000;

/// Nanoseconds of the monotonic clock.
pub fn now_ns() -> u64 {
    as_ns(clock_gettime(ClockId::Monotonic))
}

/// CPU time of the calling thread.
pub fn thread_cpu_ns() -> u64 {
    as_ns(clock_gettime(ClockId::ThreadCPUTime))
}

/// The calling thread's schedstat (Linux, Documentation/scheduler/sched-stats.rst).
pub fn open_schedstat() -> io::Result<File> {
    File::open("/proc/thread-self/schedstat")
}

/// How long a thread was ready to run but had to wait for other threads: the second number of its
/// schedstat.
pub fn waited_ns(schedstat: &File) -> io::Result<u64> {
    // Three numbers of 64 bits, and spaces.
    let mut line = [0; 64];
    let length = schedstat.read_at(&mut line, 0)?;
    str::from_utf8(&line[..length])
        .ok()
        .and_then(|numbers| numbers.split_ascii_whitespace().nth(1)?.parse().ok())
        .ok_or_else(|| io::Error::other("schedstat has another form than expected"))
}

/// A time as system calls take it.
pub fn timespec(ns: u64) -> Timespec {
    #[allow(clippy::cast_possible_wrap, reason = "seconds and nanoseconds since the start")]
    let (seconds, rest) = ((ns / NS_PER_S) as i64, (ns % NS_PER_S) as i64);
    Timespec { tv_sec: seconds, tv_nsec: rest }
}

#[allow(clippy::cast_sign_loss, reason = "these clocks begin at 0")]
fn as_ns(time: Timespec) -> u64 {
    time.tv_sec as u64 * NS_PER_S + time.tv_nsec as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clocks_go_forward() {
        let (wall_ns, cpu_ns) = (now_ns(), thread_cpu_ns());
        assert!(now_ns() >= wall_ns && thread_cpu_ns() >= cpu_ns);
        assert!(waited_ns(&open_schedstat().unwrap()).is_ok());
        let time = timespec(3_000_000_007);
        assert_eq!((time.tv_sec, time.tv_nsec), (3, 7));
    }
}
