//! One direction of a link: loss, queue, rate, delay, and the packets under way. It is pure: the
//! caller gives the time.

use crate::counters::{Counts, Lateness};
use crate::loss::LossProcess;
use crate::profile::Parameters;
use crate::queue::Queue;
use crate::random::Random;
use crate::store::{FRAME_BYTES, Store};

/// The most memory for the packets under way in one direction: 40 Gbit/s for 100 ms.
const MOST_BYTES: usize = 512 << 20;

const LOSS_STREAM: u64 = 0;
const JITTER_STREAM: u64 = 1;
const STREAMS: u64 = 2;

/// A direction of a link. Each has random numbers of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// From the near end to the far end: what a client sends.
    Up,
    /// From the far end to the near end: what an origin sends.
    Down,
}

/// One direction.
///
/// Each packet that is offered is lost, dropped or kept; a kept packet is due later. Packets leave
/// in the order in which they arrived, whatever the jitter.
#[derive(Debug)]
pub struct Wire {
    direction: Direction,
    mtu: u32,
    parameters: Parameters,
    loss: LossProcess,
    jitter: Random,
    queue: Option<Queue>,
    black_hole: bool,
    store: Store<UnderWay>,
    spill: Box<[u8]>,
    is_spilling: bool,
    last_due_ns: u64,
    counts: Counts,
    lateness: Lateness,
}

#[derive(Clone, Copy, Debug)]
struct UnderWay {
    due_ns: u64,
    waited_ns: u64,
    packet_bytes: u32,
}

impl Wire {
    /// A wire without packets.
    pub fn new(direction: Direction, mtu: u32, parameters: Parameters) -> Self {
        Self::with_memory(direction, mtu, parameters, MOST_BYTES)
    }

    /// The same, with at most this much memory for the packets under way.
    pub fn with_memory(
        direction: Direction,
        mtu: u32,
        parameters: Parameters,
        most_bytes: usize,
    ) -> Self {
        Self {
            direction,
            mtu,
            parameters,
            loss: LossProcess::new(
                parameters.loss,
                stream(direction, parameters.seed, LOSS_STREAM),
            ),
            jitter: stream(direction, parameters.seed, JITTER_STREAM),
            queue: parameters.bottleneck.map(Queue::new),
            black_hole: false,
            store: Store::new(most_bytes),
            spill: vec![0; FRAME_BYTES].into_boxed_slice(),
            is_spilling: false,
            last_due_ns: 0,
            counts: Counts::default(),
            lateness: Lateness::new(),
        }
    }

    /// Changes the parameters for the packets that arrive from now on. The queue is empty again,
    /// and loss starts again with packet number 0.
    ///
    /// Packets under way are still due when they were, and no later packet overtakes them.
    pub fn set_parameters(&mut self, parameters: Parameters) {
        self.parameters = parameters;
        self.loss =
            LossProcess::new(parameters.loss, stream(self.direction, parameters.seed, LOSS_STREAM));
        self.jitter = stream(self.direction, parameters.seed, JITTER_STREAM);
        self.queue = parameters.bottleneck.map(Queue::new);
    }

    /// Begins or stops dropping every packet that arrives.
    pub fn set_black_hole(&mut self, black_hole: bool) {
        self.black_hole = black_hole;
    }

    /// Where the next frame may be written.
    pub fn space(&mut self) -> &mut [u8] {
        if let Some(space) = self.store.space() {
            self.is_spilling = false;
            space
        } else {
            self.is_spilling = true;
            &mut self.spill
        }
    }

    /// Decides about the frame that was written into the space. Its IP packet begins at `header`.
    /// It may have been there for `waited_ns` before `now_ns`, which is part of its lateness.
    pub fn offer(&mut self, now_ns: u64, waited_ns: u64, frame_bytes: usize, header: usize) {
        let packet_bytes = (frame_bytes - header) as u32;
        self.count(packet_bytes);
        // Drawn for every packet, so that nothing but its number decides.
        let is_lost = self.loss.next_is_lost();
        let jitter_ns = self.jitter_ns();
        if self.black_hole {
            self.counts.black_holed += 1;
        } else if is_lost {
            self.counts.lost += 1;
        } else if self.is_spilling {
            self.counts.overflowed += 1;
        } else if let Some(sent_ns) = self.transmit(now_ns, packet_bytes) {
            let due_ns = (sent_ns + jitter_ns).max(self.last_due_ns);
            self.last_due_ns = due_ns;
            self.store.push(frame_bytes, UnderWay { due_ns, waited_ns, packet_bytes });
        } else {
            self.counts.queue_dropped += 1;
        }
    }

    /// Counts a frame that this link does not carry.
    pub fn ignore(&mut self) {
        self.counts.ignored += 1;
    }

    /// When the next packet is due.
    pub fn next_due_ns(&self) -> Option<u64> {
        self.store.front().map(|(_, under_way)| under_way.due_ns)
    }

    /// The next frame, if it is due.
    pub fn due(&self, now_ns: u64) -> Option<&[u8]> {
        let (frame, under_way) = self.store.front()?;
        (under_way.due_ns <= now_ns).then_some(frame)
    }

    /// Removes the frame that was due: it has left.
    pub fn left(&mut self, now_ns: u64) {
        if let Some(under_way) = self.store.pop() {
            let late_ns = now_ns.saturating_sub(under_way.due_ns);
            self.lateness.record(late_ns + under_way.waited_ns);
            self.counts.delivered_packets += 1;
            self.counts.delivered_bytes += u64::from(under_way.packet_bytes);
        }
    }

    /// Removes the frame that was due: the kernel did not accept it.
    pub fn refused(&mut self) {
        self.store.pop();
        self.counts.refused += 1;
    }

    /// Whether packets may not be larger than the MTU.
    pub fn counts_packets(&self) -> bool {
        self.parameters.counts_packets()
    }

    /// Packets that have not left yet.
    pub fn under_way(&self) -> usize {
        self.store.len()
    }

    /// The counts so far.
    pub fn counts(&self) -> &Counts {
        &self.counts
    }

    /// The lateness of the packets that have left so far.
    pub fn lateness(&self) -> &Lateness {
        &self.lateness
    }

    fn count(&mut self, packet_bytes: u32) {
        self.counts.packets += 1;
        self.counts.bytes += u64::from(packet_bytes);
        if packet_bytes > self.mtu && self.counts_packets() {
            self.counts.oversized += 1;
        }
    }

    /// The delay after the last bit was sent, jitter included.
    fn jitter_ns(&mut self) -> u64 {
        if self.parameters.jitter_ns == 0 {
            return self.parameters.delay_ns;
        }
        #[allow(clippy::cast_precision_loss, clippy::cast_sign_loss, reason = "at most a minute")]
        let part = (self.jitter.fraction() * 2.0 * self.parameters.jitter_ns as f64) as u64;
        self.parameters.delay_ns - self.parameters.jitter_ns + part
    }

    /// When the last bit will have been sent; `None` if the queue is full.
    fn transmit(&mut self, now_ns: u64, packet_bytes: u32) -> Option<u64> {
        let Some(queue) = &mut self.queue else { return Some(now_ns) };
        let sent_ns = queue.admit(now_ns, packet_bytes)?;
        let counts = &mut self.counts;
        counts.queue_high_water_bytes = counts.queue_high_water_bytes.max(queue.bytes());
        counts.queue_high_water_packets = counts.queue_high_water_packets.max(queue.packets());
        Some(sent_ns)
    }
}

fn stream(direction: Direction, seed: u64, purpose: u64) -> Random {
    let index = match direction {
        Direction::Up => 0,
        Direction::Down => 1,
    };
    Random::new(seed, index * STREAMS + purpose)
}
