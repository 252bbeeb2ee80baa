//! The steps of the thread one by one, between two pairs of sockets, with real sleeps.

use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;

use rustix::event::{EventfdFlags, eventfd};
use rustix::net::{AddressFamily, SocketFlags, SocketType, socketpair};

use super::*;
use crate::profile::Profile;

const US: u64 = 1_000;
const MS: u64 = 1_000_000;
const AWAKE_NS: u64 = 100 * US;
/// More than a single alarm may change the estimate.
const SLOW_NS: u64 = 200 * US;
const DELAY_MS: f64 = 200.0;
const DELAY_NS: u64 = 200 * MS;

struct Socket(OwnedFd);

impl Port for Socket {
    fn descriptor(&self) -> &OwnedFd {
        &self.0
    }

    fn header_bytes(&self) -> usize {
        0
    }

    fn set_segments(&self, _segments: Segments) -> io::Result<()> {
        Ok(())
    }

    fn overruns(&self) -> io::Result<u64> {
        Ok(0)
    }
}

/// An engine that has learned that its core wakes `slow_ns` late, the sender of its orders, and the
/// other ends of its sockets.
struct Bench {
    engine: Engine,
    _orders: std::sync::mpsc::Sender<Order>,
    client: OwnedFd,
    origin: OwnedFd,
}

fn bench(slow_ns: u64) -> Bench {
    let pair = || {
        let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
        socketpair(AddressFamily::UNIX, SocketType::SEQPACKET, flags, None).unwrap()
    };
    let ((client, near), (origin, far)) = (pair(), pair());
    let parameters = Profile { delay_ms: DELAY_MS, ..Profile::default() }.parameters().unwrap();
    let wires =
        [Direction::Up, Direction::Down].map(|direction| Wire::new(direction, 1500, parameters));
    let (orders, of_engine) = channel();
    let wakeup = Arc::new(eventfd(0, EventfdFlags::NONBLOCK).unwrap());
    let ports: Ports = Arc::new([Box::new(Socket(near)), Box::new(Socket(far))]);
    let mut engine = Engine::new(ports, wires, of_engine, wakeup).unwrap();
    engine.waking = Waking::new(AWAKE_NS);
    for _ in 0..slow_ns / US {
        engine.waking.woke(0, 10 * MS + slow_ns, false, Some(10 * MS));
    }
    Bench { engine, _orders: orders, client, origin }
}

/// The smallest packet that is carried.
fn send(from: &OwnedFd) {
    let mut packet = [0; 20];
    packet[0] = 4 << 4;
    rustix::io::write(from, &packet).unwrap();
}

impl Bench {
    /// How late the engine has learned that the core wakes.
    fn known_ns(&self) -> u64 {
        let mut waking = self.engine.waking;
        waking.woke(0, 10 * MS, true, None);
        10 * MS - waking.came_ns(10 * MS)
    }

    fn due_ns(&self) -> u64 {
        self.engine.wires[Direction::Up as usize].next_due_ns().unwrap()
    }

    /// Reads a packet. Returns the moments between which it is taken to have arrived.
    fn read(&mut self) -> [u64; 2] {
        let before_ns = clock::now_ns();
        assert!(self.engine.turn().unwrap());
        [before_ns, clock::now_ns()]
    }
}

fn is_between(moment_ns: u64, [from_ns, to_ns]: [u64; 2]) -> bool {
    (from_ns..=to_ns).contains(&moment_ns)
}

#[test]
fn a_packet_that_ended_a_long_sleep_is_due_as_much_earlier_as_the_core_wakes_late() {
    let mut bench = bench(SLOW_NS);
    let client = bench.client.try_clone().unwrap();
    let later = thread::spawn(move || {
        thread::sleep(Duration::from_millis(50));
        send(&client);
    });
    bench.engine.wait().unwrap();
    let read = bench.read();
    later.join().unwrap();
    let came = read.map(|moment_ns| moment_ns + DELAY_NS - SLOW_NS);
    assert!(is_between(bench.due_ns(), came), "{} not in {came:?}", bench.due_ns());
}

#[test]
fn a_packet_that_was_there_already_is_not_dated_back() {
    let mut bench = bench(SLOW_NS);
    send(&bench.client);
    bench.engine.wait().unwrap();
    let came = bench.read().map(|moment_ns| moment_ns + DELAY_NS);
    assert!(is_between(bench.due_ns(), came), "{} not in {came:?}", bench.due_ns());
}

#[test]
fn what_comes_after_the_packet_that_ended_a_sleep_is_not_dated_back() {
    let mut bench = bench(SLOW_NS);
    // As `wait` does after a sleep.
    bench.engine.waking.woke(0, 10 * MS, true, None);
    send(&bench.client);
    bench.read();
    bench.engine.wires[Direction::Up as usize].left(0);
    send(&bench.client);
    let came = bench.read().map(|moment_ns| moment_ns + DELAY_NS);
    assert!(is_between(bench.due_ns(), came), "{} not in {came:?}", bench.due_ns());
}

#[test]
fn the_alarm_is_set_early_by_twice_what_the_core_wakes_late_and_teaches() {
    for (slow_ns, early_ns) in [(0, AWAKE_NS), (SLOW_NS, 2 * SLOW_NS)] {
        let mut bench = bench(slow_ns);
        send(&bench.client);
        bench.read();
        let known_ns = bench.known_ns();
        bench.engine.wait().unwrap();
        assert_eq!(bench.engine.alarm.set_ns, Some(bench.due_ns() - early_ns));
        // No alarm is late by 0, or by a given number of nanoseconds.
        assert_ne!(bench.known_ns(), known_ns);
    }
}

#[test]
fn once_awake_it_does_not_sleep_again_before_the_packet_has_left() {
    let mut bench = bench(SLOW_NS);
    send(&bench.client);
    bench.read();
    bench.engine.wait().unwrap();
    let (due_ns, set_ns) = (bench.due_ns(), bench.engine.alarm.set_ns);
    while !bench.engine.turn().unwrap() {
        bench.engine.wait().unwrap();
        assert_eq!(bench.engine.alarm.set_ns, set_ns);
    }
    assert!(clock::now_ns() >= due_ns);
    let mut packet = [0; 64];
    assert_eq!(rustix::io::read(&bench.origin, &mut packet).unwrap(), 20);
}

impl Bench {
    /// Lets the packet leave that was read, and tells how late it is said to have been.
    fn lateness_us(&mut self) -> u64 {
        let due_ns = self.due_ns();
        let wire = &mut self.engine.wires[Direction::Up as usize];
        wire.left(due_ns);
        wire.lateness().summary().max_us
    }
}

#[test]
fn a_packet_that_waited_while_the_thread_was_interrupted_is_late_by_that() {
    let mut bench = bench(0);
    assert!(!bench.engine.turn().unwrap());
    send(&bench.client);
    thread::sleep(Duration::from_millis(20));
    bench.read();
    assert!((20_000..2_000_000).contains(&bench.lateness_us()));
    bench.engine.turn().unwrap();
    // The one after it finds the thread awake.
    send(&bench.client);
    bench.read();
    assert!(bench.engine.absence.before_reading_ns(0) < 20 * MS);
}

/// A thread that yields to every other waits for its core reliably.
#[test]
fn a_packet_that_waited_until_the_thread_got_its_core_is_late_by_that() {
    const LEAST_NS: u64 = 2 * MS;
    let core = rustix::thread::sched_getcpu();
    let on_core = Placement { core: Some(core), ..Placement::default() };
    for _ in 0..50 {
        let mut bench = bench(0);
        let client = bench.client.try_clone().unwrap();
        let (ready, is_ready) = channel();
        let engine = thread::spawn(move || {
            apply(on_core).unwrap();
            yield_to_all();
            assert!(!bench.engine.turn().unwrap());
            ready.send(()).unwrap();
            bench.engine.wait().unwrap();
            let [woke_ns, _] = bench.read();
            (woke_ns, bench.lateness_us() * US)
        });
        let busy = thread::spawn(move || {
            apply(on_core).unwrap();
            is_ready.recv().unwrap();
            thread::sleep(Duration::from_millis(20));
            let sent_ns = clock::now_ns();
            send(&client);
            while clock::now_ns() < sent_ns + 30 * MS {}
            sent_ns
        });
        let (woke_ns, late_ns) = engine.join().unwrap();
        let waited_ns = woke_ns.saturating_sub(busy.join().unwrap());
        if waited_ns >= LEAST_NS {
            assert!(late_ns + MS >= waited_ns, "{late_ns} of {waited_ns} ns");
            return;
        }
    }
    eprintln!("not tested: the thread was never kept waiting");
}

/// Everybody may do this to themselves (`SCHED_IDLE`).
fn yield_to_all() {
    let parameters = libc::sched_param { sched_priority: 0 };
    // SAFETY: as in `become_real_time`.
    let status = unsafe { libc::sched_setscheduler(0, libc::SCHED_IDLE, &raw const parameters) };
    assert_eq!(status, 0);
}
