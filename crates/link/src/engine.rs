//! The thread that moves packets: it reads them, decides about them, waits until they are due, and
//! writes them.

#![allow(unsafe_code)]

use std::io;
use std::os::fd::{AsFd as _, OwnedFd};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, TryRecvError};

use rustix::event::{PollFd, PollFlags, poll};
use rustix::thread::{CpuSet, sched_setaffinity};
use rustix::time::{
    Itimerspec, TimerfdClockId, TimerfdFlags, TimerfdTimerFlags, timerfd_create, timerfd_settime,
};

use crate::absence::Absence;
use crate::clock;
use crate::counters::{Counts, LatenessSummary};
use crate::devices::BACKLOG_PACKETS;
use crate::packet::is_carried;
use crate::port::{Port, Segments};
use crate::profile::Parameters;
use crate::waking::Waking;
use crate::wire::{Direction, Wire};

/// The most packets that are read in one direction before the other has its turn.
const TURN: usize = 16;

/// The ports of both ends. They are shared with the link, which asks them for overruns.
pub type Ports = Arc<[Box<dyn Port>; 2]>;

/// How the thread is scheduled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Placement {
    /// The only core that it may use.
    pub core: Option<usize>,
    /// Whether it has priority over every ordinary process (`SCHED_RR`, priority 1).
    pub real_time: bool,
    /// How long the thread is awake before and after the moment at which a packet is due, if it has
    /// slept long.
    pub awake_ns: u64,
}

/// An order to the thread.
#[derive(Debug)]
pub enum Order {
    /// Use new parameters in one direction.
    Parameters(Direction, Parameters),
    /// Begin or stop dropping every packet of one direction.
    BlackHole(Direction, bool),
    /// Report what has happened so far.
    Read(SyncSender<Reading>),
}

/// The thread's report of what has happened so far.
#[derive(Clone, Debug)]
pub struct Reading {
    /// Packets from the client.
    pub up: (Counts, LatenessSummary),
    /// Packets from the origin.
    pub down: (Counts, LatenessSummary),
    /// CPU time of the thread.
    pub cpu_ns: u64,
    /// Time for which it was ready to run, but other threads ran.
    pub waited_ns: u64,
}

/// The state of the thread of one link.
pub struct Engine {
    ports: Ports,
    wires: [Wire; 2],
    orders: Receiver<Order>,
    wakeup: Arc<OwnedFd>,
    alarm: Alarm,
    waking: Waking,
    absence: Absence,
}

impl Engine {
    /// An engine between two ports, the near one first. `wakeup` is an eventfd that is written to
    /// after each order.
    pub fn new(
        ports: Ports,
        wires: [Wire; 2],
        orders: Receiver<Order>,
        wakeup: Arc<OwnedFd>,
    ) -> io::Result<Self> {
        let (alarm, waking) = (Alarm::new()?, Waking::default());
        let absence = Absence::since(clock::now_ns());
        Ok(Self { ports, wires, orders, wakeup, alarm, waking, absence })
    }

    /// Runs on the calling thread until the sender of orders is dropped.
    pub fn run(mut self, placement: Placement) -> io::Result<()> {
        apply(placement)?;
        self.waking = Waking::new(placement.awake_ns);
        while self.follow_orders()? {
            if !self.turn()? {
                self.wait()?;
            }
        }
        Ok(())
    }

    /// Carries out all orders. Returns whether to go on.
    fn follow_orders(&mut self) -> io::Result<bool> {
        loop {
            match self.orders.try_recv() {
                Ok(order) => self.follow(order)?,
                Err(TryRecvError::Empty) => return Ok(true),
                Err(TryRecvError::Disconnected) => return Ok(false),
            }
        }
    }

    fn follow(&mut self, order: Order) -> io::Result<()> {
        match order {
            Order::Parameters(direction, parameters) => {
                return self.set_parameters(direction, parameters);
            }
            Order::BlackHole(direction, is_on) => {
                self.wires[direction as usize].set_black_hole(is_on);
            }
            // The asker may be gone.
            Order::Read(answer) => drop(answer.try_send(self.reading()?)),
        }
        Ok(())
    }

    fn set_parameters(&mut self, direction: Direction, parameters: Parameters) -> io::Result<()> {
        let index = direction as usize;
        if parameters.counts_packets() {
            self.ports[index].set_segments(Segments::Divided)?;
            // Large segments that have already arrived still belong to the old parameters.
            for _ in 0..BACKLOG_PACKETS {
                if !self.receive_one(index)? {
                    break;
                }
            }
        }
        self.wires[index].set_parameters(parameters);
        if !parameters.counts_packets() {
            self.ports[index].set_segments(Segments::Whole)?;
        }
        Ok(())
    }

    fn reading(&self) -> io::Result<Reading> {
        let of = |wire: &Wire| (wire.counts().clone(), wire.lateness().summary());
        Ok(Reading {
            up: of(&self.wires[Direction::Up as usize]),
            down: of(&self.wires[Direction::Down as usize]),
            cpu_ns: clock::thread_cpu_ns(),
            waited_ns: clock::waited_ns(&clock::open_schedstat()?)?,
        })
    }

    /// Moves packets in both directions. Returns whether it moved any.
    fn turn(&mut self) -> io::Result<bool> {
        let mut moved = false;
        for index in [Direction::Up as usize, Direction::Down as usize] {
            for _ in 0..TURN {
                if !self.receive_one(index)? {
                    break;
                }
                moved = true;
                self.send_due(index);
            }
            moved |= self.send_due(index);
        }
        self.waking.has_read();
        Ok(moved)
    }

    fn receive_one(&mut self, index: usize) -> io::Result<bool> {
        let (port, wire) = (&self.ports[index], &mut self.wires[index]);
        let header = port.header_bytes();
        let space = wire.space();
        self.absence.is_there(clock::now_ns());
        let Some(bytes) = port.receive(space)? else {
            self.absence.found_empty(index);
            return Ok(false);
        };
        let now_ns = clock::now_ns();
        self.absence.is_there(now_ns);
        if bytes > header && is_carried(&space[header..bytes]) {
            let came_ns = self.waking.came_ns(now_ns);
            let made_up_for_ns = now_ns - came_ns;
            let waited_ns = self.absence.before_reading_ns(index).saturating_sub(made_up_for_ns);
            wire.offer(came_ns, waited_ns, bytes, header);
        } else {
            wire.ignore();
        }
        Ok(true)
    }

    fn send_due(&mut self, index: usize) -> bool {
        let (port, wire) = (&self.ports[1 - index], &mut self.wires[index]);
        let mut moved = false;
        while wire.next_due_ns().is_some() {
            let now_ns = clock::now_ns();
            self.absence.is_there(now_ns);
            let Some(frame) = wire.due(now_ns) else { break };
            match port.send(frame) {
                Ok(()) => wire.left(now_ns),
                Err(_) => wire.refused(),
            }
            moved = true;
        }
        moved
    }

    /// Waits until a packet arrives, a packet is due, or an order is given.
    fn wait(&mut self) -> io::Result<()> {
        let due_ns = self.wires.iter().filter_map(Wire::next_due_ns).min();
        let now_ns = clock::now_ns();
        let wake_ns = due_ns.map(|due_ns| self.waking.wake_ns(due_ns, now_ns));
        if self.waking.stays_awake(now_ns) || wake_ns.is_some_and(|wake_ns| wake_ns <= now_ns) {
            return Ok(());
        }
        self.alarm.set(wake_ns)?;
        let mut events = [
            PollFd::from_borrowed_fd(self.ports[0].readable(), PollFlags::IN),
            PollFd::from_borrowed_fd(self.ports[1].readable(), PollFlags::IN),
            PollFd::from_borrowed_fd(self.wakeup.as_fd(), PollFlags::IN),
            PollFd::from_borrowed_fd(self.alarm.timer.as_fd(), PollFlags::IN),
        ];
        self.absence.falls_asleep()?;
        match poll(&mut events, None) {
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
        let woke_ns = clock::now_ns();
        self.absence.woke(woke_ns)?;
        let [came, ordered, expired] = [&events[..2], &events[2..3], &events[3..]]
            .map(|some| some.iter().any(|event| event.revents().contains(PollFlags::IN)));
        if ordered {
            rustix::io::read(&*self.wakeup, &mut [0_u8; 8])?;
        }
        let alarm_ns = if expired { self.alarm.set_ns } else { None };
        self.waking.woke(now_ns, woke_ns, came, alarm_ns);
        Ok(())
    }
}

/// An exact timer. The timeout of poll(2) is not: it may be late by a thousandth of itself.
struct Alarm {
    timer: OwnedFd,
    set_ns: Option<u64>,
}

impl Alarm {
    fn new() -> io::Result<Self> {
        let flags = TimerfdFlags::CLOEXEC | TimerfdFlags::NONBLOCK;
        Ok(Self { timer: timerfd_create(TimerfdClockId::Monotonic, flags)?, set_ns: None })
    }

    /// Sets the timer to that moment, or disarms it. It stays so until it is set again.
    fn set(&mut self, at_ns: Option<u64>) -> io::Result<()> {
        if self.set_ns == at_ns {
            return Ok(());
        }
        // 0 disarms the timer.
        let it_value = clock::timespec(at_ns.unwrap_or(0));
        let once = Itimerspec { it_interval: clock::timespec(0), it_value };
        timerfd_settime(&self.timer, TimerfdTimerFlags::ABSTIME, &once)?;
        self.set_ns = at_ns;
        Ok(())
    }
}

fn apply(placement: Placement) -> io::Result<()> {
    if let Some(core) = placement.core {
        let mut cores = CpuSet::new();
        cores.set(core);
        sched_setaffinity(None, &cores).map_err(|error| {
            io::Error::new(error.kind(), format!("cannot run on core {core}: {error}"))
        })?;
    }
    if placement.real_time { become_real_time() } else { Ok(()) }
}

fn become_real_time() -> io::Result<()> {
    let parameters = libc::sched_param { sched_priority: 1 };
    // SAFETY: the parameters live during the call; 0 is the calling thread.
    if unsafe { libc::sched_setscheduler(0, libc::SCHED_RR, &raw const parameters) } == 0 {
        return Ok(());
    }
    let error = io::Error::last_os_error();
    Err(io::Error::new(
        error.kind(),
        format!("no real-time priority: {error}; leave --real-time out, or raise RLIMIT_RTPRIO"),
    ))
}

#[cfg(test)]
mod tests;
