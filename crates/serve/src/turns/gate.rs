//! The gate of a listener. While it is closed, requests are held when they arrive, until their
//! client has its turn.
//!
//! A turn begins with a lead, in which nothing is counted, so that the client's data is in the CPU
//! caches again. Then exchanges are counted, from the arrival of one request to the arrival of
//! another, and the clocks are read at these two moments. On a shared core the client is blocked at
//! both, so that what lies between the readings is its exchanges and nothing else.
//!
//! The number of iterations of a turn is chosen beforehand. If the clock ended a turn, it would end
//! soon after an expensive exchange, for example one with a garbage collection, and so the cost of
//! exchanges would decide which of them are counted. With a fixed number it does not, and total
//! time ÷ total exchanges is unbiased.

use std::cell::{Cell, RefCell};
use std::num::NonZeroU64;
use std::rc::Rc;
use std::time::{Duration, Instant};

use tokio::sync::Notify;

use crate::turns::cpu_clock::{self, CpuClock};
use crate::turns::probe::{PROBES, Probes};

/// The client whose requests a gate holds.
#[derive(Debug)]
pub struct Client {
    /// The clock of its CPU time.
    pub clock: CpuClock,
    /// The number of requests that it will make.
    pub requests: u64,
    /// The number of requests in one iteration. A turn consists of whole iterations.
    pub per_iteration: u64,
}

/// The length of a turn, in iterations.
#[derive(Clone, Copy, Debug)]
pub struct Length {
    /// Iterations of the lead, which are not counted.
    pub lead: NonZeroU64,
    /// Iterations that are counted.
    pub counted: NonZeroU64,
}

/// What was measured in one turn. Times are in nanoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Turn {
    pub exchanges: u64,
    pub wall_ns: u64,
    pub cpu_ns: u64,
    pub origin_ns: u64,
    /// CPU time that the clients of the other gates used meanwhile.
    pub others_ns: u64,
    pub lead_exchanges: u64,
    pub lead_wall_ns: u64,
    pub lead_cpu_ns: u64,
    /// CPU time of the lead's first iteration, right after others had the core and its caches.
    pub first_cpu_ns: u64,
    /// CPU time that the client used while it was held.
    pub held_cpu_ns: u64,
    /// What a probe took in this turn, in picoseconds: how slow the core was.
    pub probe_ps: u64,
}

/// CPU time of the client that belongs to no turn, in nanoseconds. With it, anyone who has read the
/// same clock can check the sum of all turns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OutsideTurns {
    /// From the closing of the gate to the arrival of the first request.
    pub before_ns: u64,
    /// Since a request was last held.
    pub after_ns: u64,
}

#[derive(Clone, Copy, Debug)]
struct Readings {
    wall: Instant,
    cpu_ns: u64,
    origin_ns: u64,
    others_ns: u64,
}

#[derive(Clone, Copy, Debug)]
enum Phase {
    /// No request is held.
    Open,
    /// Every request that arrives is held.
    Closed,
    Lead {
        length: Length,
        since: Readings,
        exchanges: u64,
    },
    Counting {
        length: Length,
        since: Readings,
        exchanges: u64,
    },
}

/// All closed gates of an origin, so that a turn can tell what the other clients use meanwhile.
pub type Gates = Rc<RefCell<Vec<Rc<Gate>>>>;

/// A gate; the module's documentation says how it works.
#[derive(Debug)]
pub struct Gate {
    phase: Cell<Phase>,
    client: RefCell<Option<Client>>,
    /// What the client's clock showed last: what it still shows when the client has gone.
    last_cpu_ns: Cell<u64>,
    all: RefCell<Option<Gates>>,
    arrived: Cell<u64>,
    held: Cell<u64>,
    turn: Cell<Turn>,
    cpu_when_held: Cell<u64>,
    before_ns: Cell<u64>,
    probes: RefCell<Probes>,
    go: Notify,
    news: Notify,
}

impl Default for Gate {
    fn default() -> Self {
        Self {
            phase: Cell::new(Phase::Open),
            client: RefCell::default(),
            last_cpu_ns: Cell::new(0),
            all: RefCell::default(),
            arrived: Cell::new(0),
            held: Cell::new(0),
            turn: Cell::default(),
            cpu_when_held: Cell::new(0),
            before_ns: Cell::new(0),
            probes: RefCell::default(),
            go: Notify::new(),
            news: Notify::new(),
        }
    }
}

impl Gate {
    /// Holds requests from now on, and counts them from the next one on.
    pub fn close(self: &Rc<Self>, client: Client, all: &Gates) {
        self.last_cpu_ns.set(0);
        self.client.replace(Some(client));
        self.cpu_when_held.set(self.cpu());
        self.before_ns.set(0);
        self.arrived.set(0);
        self.phase.set(Phase::Closed);
        let mut gates = all.borrow_mut();
        gates.retain(|gate| !Rc::ptr_eq(gate, self));
        gates.push(self.clone());
        self.all.replace(Some(all.clone()));
    }

    /// Lets all held requests go, and holds none from now on.
    pub fn open(self: &Rc<Self>) -> OutsideTurns {
        let outside_turns = self.outside_turns();
        self.phase.set(Phase::Open);
        if let Some(all) = self.all.take() {
            all.borrow_mut().retain(|gate| !Rc::ptr_eq(gate, self));
        }
        self.client.replace(None);
        self.go.notify_waiters();
        outside_turns
    }

    /// Holds requests again, after a turn that did not end in time.
    pub fn close_again(&self) {
        self.phase.set(Phase::Closed);
    }

    fn outside_turns(&self) -> OutsideTurns {
        match self.phase.get() {
            Phase::Closed => OutsideTurns {
                before_ns: self.before_ns.get(),
                after_ns: self.cpu().saturating_sub(self.cpu_when_held.get()),
            },
            _ => OutsideTurns::default(),
        }
    }

    /// A request has arrived. Returns what it has to wait for, if it is held.
    pub fn arrive(self: &Rc<Self>) -> Option<Held> {
        let phase = self.phase.get();
        if matches!(phase, Phase::Open) {
            return None;
        }
        let index = self.arrived.replace(self.arrived.get() + 1);
        match phase {
            Phase::Open => None,
            Phase::Closed if index == 0 => {
                let cpu_ns = self.cpu();
                // There is time already if a first request was given up while it was held.
                let more_ns = cpu_ns.saturating_sub(self.cpu_when_held.get());
                self.before_ns.set(self.before_ns.get() + more_ns);
                Some(self.end(cpu_ns))
            }
            Phase::Closed => Some(self.hold()),
            Phase::Lead { length, since, exchanges } => {
                self.lead(index, length, since, exchanges + 1)
            }
            Phase::Counting { length, since, exchanges } => {
                self.count(index, length, since, exchanges + 1)
            }
        }
    }

    fn lead(
        self: &Rc<Self>,
        index: u64,
        length: Length,
        since: Readings,
        exchanges: u64,
    ) -> Option<Held> {
        if exchanges == self.exchanges_in(NonZeroU64::MIN) {
            let first_cpu_ns = self.cpu().saturating_sub(since.cpu_ns);
            self.turn.set(Turn { first_cpu_ns, ..self.turn.get() });
        }
        if !self.is_over(exchanges, length.lead) && !self.is_last(index) {
            self.phase.set(Phase::Lead { length, since, exchanges });
            return None;
        }
        self.probes.borrow_mut().clear();
        self.probes.borrow_mut().take(self.probes_at_once(length.counted));
        let now = self.readings_before();
        self.turn.set(Turn {
            lead_exchanges: exchanges,
            lead_wall_ns: nanoseconds(now.wall - since.wall),
            lead_cpu_ns: now.cpu_ns.saturating_sub(since.cpu_ns),
            ..self.turn.get()
        });
        if self.is_last(index) {
            return Some(self.end(now.cpu_ns));
        }
        self.phase.set(Phase::Counting { length, since: now, exchanges: 0 });
        None
    }

    fn count(
        self: &Rc<Self>,
        index: u64,
        length: Length,
        since: Readings,
        exchanges: u64,
    ) -> Option<Held> {
        if !self.is_over(exchanges, length.counted) && !self.is_last(index) {
            self.phase.set(Phase::Counting { length, since, exchanges });
            self.probe_inside(exchanges, length.counted);
            return None;
        }
        let now = self.readings_after();
        let mut probes = self.probes.borrow_mut();
        probes.take(self.probes_at_once(length.counted));
        let probing_ns = nanoseconds(probes.inside());
        self.turn.set(Turn {
            exchanges,
            wall_ns: nanoseconds(now.wall - since.wall).saturating_sub(probing_ns),
            cpu_ns: now.cpu_ns.saturating_sub(since.cpu_ns),
            origin_ns: now.origin_ns.saturating_sub(since.origin_ns + probing_ns),
            others_ns: now.others_ns.saturating_sub(since.others_ns),
            probe_ps: probes.mean_ps(),
            ..self.turn.get()
        });
        Some(self.end(now.cpu_ns))
    }

    /// Takes probes at equal distances in the turn.
    fn probe_inside(&self, exchanges: u64, counted: NonZeroU64) {
        let apart = (self.exchanges_in(counted) / PROBES).max(1);
        if exchanges.is_multiple_of(apart) {
            self.probes.borrow_mut().take_inside(self.probes_at_once(counted));
        }
    }

    /// How many probes are taken at a time, so that a turn with few exchanges has enough.
    fn probes_at_once(&self, counted: NonZeroU64) -> u64 {
        PROBES.div_ceil(self.exchanges_in(counted).saturating_add(1))
    }

    fn end(self: &Rc<Self>, cpu_ns: u64) -> Held {
        self.cpu_when_held.set(cpu_ns);
        self.phase.set(Phase::Closed);
        self.hold()
    }

    fn hold(self: &Rc<Self>) -> Held {
        self.held.set(self.held.get() + 1);
        self.news.notify_one();
        Held(self.clone())
    }

    /// Whether `exchanges` make up `iterations`.
    fn is_over(&self, exchanges: u64, iterations: NonZeroU64) -> bool {
        exchanges >= self.exchanges_in(iterations)
    }

    /// The exchanges of so many iterations; 0 if the gate is nobody's.
    fn exchanges_in(&self, iterations: NonZeroU64) -> u64 {
        let client = self.client.borrow();
        client.as_ref().map_or(0, |client| iterations.get().saturating_mul(client.per_iteration))
    }

    /// Whether the last iteration has begun. No request follows it that could end a turn.
    fn is_last(&self, index: u64) -> bool {
        let client = self.client.borrow();
        client
            .as_ref()
            .is_none_or(|client| index.saturating_add(client.per_iteration) >= client.requests)
    }

    /// Whether the client has no turn left.
    pub fn is_exhausted(&self) -> bool {
        self.arrived.get() > 0 && self.is_last(self.arrived.get() - 1)
    }

    /// Whether the gate is open: it holds no request.
    pub fn is_open(&self) -> bool {
        matches!(self.phase.get(), Phase::Open)
    }

    /// Whether a request is held now.
    pub fn has_request(&self) -> bool {
        self.held.get() > 0
    }

    /// Waits until a request is held, for at most `patience`. Returns whether one is.
    pub async fn wait_for_request(&self, patience: Duration) -> bool {
        let waiting = async {
            while !(matches!(self.phase.get(), Phase::Closed) && self.has_request()) {
                self.news.notified().await;
            }
        };
        tokio::time::timeout(patience, waiting).await.is_ok()
    }

    /// Lets the held request go on, and waits for the end of the turn. `None`: it did not end in
    /// time.
    pub async fn take_turn(&self, length: Length, patience: Duration) -> Option<Turn> {
        let since = self.readings_before();
        self.turn.set(Turn {
            held_cpu_ns: since.cpu_ns.saturating_sub(self.cpu_when_held.get()),
            ..Turn::default()
        });
        self.phase.set(Phase::Lead { length, since, exchanges: 0 });
        self.go.notify_waiters();
        self.wait_for_request(patience).await.then(|| self.turn.get())
    }

    fn readings_before(&self) -> Readings {
        let others_ns = self.others();
        let origin_ns = cpu_clock::own();
        let cpu_ns = self.cpu();
        Readings { wall: Instant::now(), cpu_ns, origin_ns, others_ns }
    }

    fn readings_after(&self) -> Readings {
        let wall = Instant::now();
        let cpu_ns = self.cpu();
        Readings { wall, cpu_ns, origin_ns: cpu_clock::own(), others_ns: self.others() }
    }

    fn cpu(&self) -> u64 {
        let client = self.client.borrow();
        let Some(client) = client.as_ref() else { return 0 };
        // Read as 0, a clock that has gone would take what others used from the turn of somebody.
        if let Ok(cpu_ns) = client.clock.read() {
            self.last_cpu_ns.set(cpu_ns);
        }
        self.last_cpu_ns.get()
    }

    fn others(&self) -> u64 {
        let all = self.all.borrow();
        let Some(all) = all.as_ref() else { return 0 };
        let gates = all.borrow();
        gates.iter().filter(|gate| !std::ptr::eq(&raw const ***gate, self)).map(|g| g.cpu()).sum()
    }
}

/// A duration in nanoseconds.
pub fn nanoseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}

/// A request that is held. Dropping this means that it was given up.
#[derive(Debug)]
pub struct Held(Rc<Gate>);

impl Held {
    /// Waits until it is let go.
    pub async fn wait(self) {
        loop {
            let gone = self.0.go.notified();
            if !matches!(self.0.phase.get(), Phase::Closed) {
                return;
            }
            gone.await;
        }
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        let gate = &self.0;
        gate.held.set(gate.held.get() - 1);
        // Given up before it was let go: if the client tries again, it begins the same exchange.
        if matches!(gate.phase.get(), Phase::Closed) {
            gate.arrived.set(gate.arrived.get().saturating_sub(1));
        }
    }
}
