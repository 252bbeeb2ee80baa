//! CPU clocks of processes and control groups, read from outside.

#![allow(unsafe_code)]

use std::fs::File;
use std::io;
use std::mem::MaybeUninit;
use std::os::unix::fs::FileExt as _;
use std::path::Path;

use libc::{CLOCK_PROCESS_CPUTIME_ID, clock_gettime, clockid_t, pid_t, timespec};

/// Linux, `include/linux/posix-timers.h`: CPU time of all threads of a process, in nanoseconds.
const CPUCLOCK_SCHED: clockid_t = 2;

/// Linux, `include/linux/threads.h`: `PID_MAX_LIMIT`.
const MOST_PID: pid_t = 1 << 22;

/// The most bytes that a file of a control group has.
const STATISTICS_BYTES: usize = 4096;

/// The CPU time of another process or of a control group, in nanoseconds.
#[derive(Debug)]
pub enum CpuClock {
    /// All threads of one process.
    Process(clockid_t),
    /// A control group of version 1: `cpuacct.usage`, nanoseconds.
    Usage(File),
    /// A control group of version 2: `cpu.stat`, microseconds.
    Statistics(File),
}

impl CpuClock {
    /// The clock of a process (`clock_getcpuclockid(3)`). Fails if there is no such process.
    pub fn of_process(pid: pid_t) -> io::Result<Self> {
        // 0 means the caller; a number out of range would be truncated to the id of another clock.
        if !(1..=MOST_PID).contains(&pid) {
            return Err(io::ErrorKind::InvalidInput.into());
        }
        let id = (!pid << 3) | CPUCLOCK_SCHED;
        read(id)?;
        Ok(Self::Process(id))
    }

    /// The clock of a control group, by its folder.
    pub fn of_group(folder: &Path) -> io::Result<Self> {
        match File::open(folder.join("cpuacct.usage")) {
            Ok(file) => Ok(Self::Usage(file)),
            Err(_) => File::open(folder.join("cpu.stat")).map(Self::Statistics),
        }
    }

    /// The time used so far. Fails once the process or the group is gone.
    pub fn read(&self) -> io::Result<u64> {
        match self {
            Self::Process(id) => read(*id),
            Self::Usage(file) => number(&text_of(file)?, ""),
            Self::Statistics(file) => Ok(1000 * number(&text_of(file)?, "usage_usec ")?),
        }
    }
}

/// CPU time of this process in nanoseconds.
pub fn own() -> u64 {
    read(CLOCK_PROCESS_CPUTIME_ID).unwrap_or(0)
}

fn read(id: clockid_t) -> io::Result<u64> {
    let mut time = MaybeUninit::<timespec>::zeroed();
    // SAFETY: the pointer is to live memory of the right size; zeros are a valid timespec.
    let time = unsafe {
        if clock_gettime(id, time.as_mut_ptr()) != 0 {
            return Err(io::Error::last_os_error());
        }
        time.assume_init()
    };
    let (seconds, nanoseconds) = (time.tv_sec.unsigned_abs(), time.tv_nsec.unsigned_abs());
    Ok(seconds * 1_000_000_000 + nanoseconds)
}

fn text_of(file: &File) -> io::Result<String> {
    let mut bytes = [0; STATISTICS_BYTES];
    let length = file.read_at(&mut bytes, 0)?;
    Ok(String::from_utf8_lossy(&bytes[..length]).into_owned())
}

fn number(text: &str, after: &str) -> io::Result<u64> {
    text.lines()
        .find_map(|line| line.strip_prefix(after)?.trim().parse().ok())
        .ok_or_else(|| io::Error::new(io::ErrorKind::InvalidData, "no such number"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_clock_of_this_process_seen_from_outside_is_its_own() {
        let pid = pid_t::try_from(std::process::id()).unwrap();
        let clock = CpuClock::of_process(pid).unwrap();
        let before = own();
        let seen = clock.read().unwrap();
        assert!(before <= seen && seen <= own());
    }

    #[test]
    fn a_process_that_is_not_there_has_no_clock() {
        for pid in [MOST_PID, pid_t::MAX, 0, -1, -5, pid_t::MIN] {
            assert!(CpuClock::of_process(pid).is_err(), "{pid}");
        }
    }

    #[test]
    fn groups_of_both_versions_are_read() {
        let folder = std::env::temp_dir().join(format!("fetchoff-clocks-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("cpu.stat"), "nr_periods 3\nusage_usec 12\n").unwrap();
        assert_eq!(CpuClock::of_group(&folder).unwrap().read().unwrap(), 12_000);
        std::fs::write(folder.join("cpuacct.usage"), "345\n").unwrap();
        assert_eq!(CpuClock::of_group(&folder).unwrap().read().unwrap(), 345);
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
