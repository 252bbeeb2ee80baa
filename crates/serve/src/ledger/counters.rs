//! The counters of one listener: what really arrived and what really left.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, VecDeque};
use std::rc::Rc;
use std::time::Duration;

use serde::Serialize;

use crate::ledger::tcp_info::TcpInfo;
use crate::ledger::watch::Watch;
use crate::turns::gate::Gate;

const UPLOADS_KEPT: usize = 16;
const STATUSES: usize = 1000;

/// Upper bounds of 1 µs, 2 µs, 4 µs, … 2^26 µs.
const BUCKETS: usize = 27;

/// A number that only grows.
#[derive(Debug, Default)]
pub struct Counter(Cell<u64>);

impl Counter {
    pub fn add(&self, n: u64) {
        self.0.set(self.0.get() + n);
    }

    pub fn get(&self) -> u64 {
        self.0.get()
    }
}

/// A request's content, as it was received.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Upload {
    /// The request's method.
    pub method: String,
    /// The request's target.
    pub target: String,
    /// The request's `Content-Type`, if it had one.
    pub content_type: Option<String>,
    /// Bytes of content.
    pub bytes: u64,
    /// SHA-256 of the content, in hex.
    pub sha256: String,
}

/// The counts of one listener, since it was opened.
#[derive(Debug)]
pub struct Ledger {
    pub connections: Counter,
    pub requests: Counter,
    pub bad_requests: Counter,
    pub bytes_in: Counter,
    pub bytes_out: Counter,
    pub body_bytes_in: Counter,
    pub closed_by_client: Counter,
    pub closed_by_origin: Counter,
    pub body_with_head: Counter,
    pub absolute_form: Counter,
    pub handshakes_full: Counter,
    pub handshakes_resumed: Counter,
    pub handshakes_failed: Counter,
    pub streams: Counter,
    pub resets_by_client: Counter,
    pub resets_by_origin: Counter,
    pub goaways_by_client: Counter,
    pub goaways_by_origin: Counter,
    alpn: RefCell<BTreeMap<&'static str, u64>>,
    statuses: Box<[Counter]>,
    head_to_body_us: [Counter; BUCKETS],
    in_flight: Cell<u64>,
    max_in_flight: Cell<u64>,
    segments_in_closed: Counter,
    retransmits_closed: Counter,
    uploads: RefCell<VecDeque<Upload>>,
    digest: Cell<bool>,
    pub gate: Rc<Gate>,
    pub watch: Watch,
}

impl Ledger {
    pub fn new(digest: bool) -> Self {
        Self {
            connections: Counter::default(),
            requests: Counter::default(),
            bad_requests: Counter::default(),
            bytes_in: Counter::default(),
            bytes_out: Counter::default(),
            body_bytes_in: Counter::default(),
            closed_by_client: Counter::default(),
            closed_by_origin: Counter::default(),
            body_with_head: Counter::default(),
            absolute_form: Counter::default(),
            handshakes_full: Counter::default(),
            handshakes_resumed: Counter::default(),
            handshakes_failed: Counter::default(),
            streams: Counter::default(),
            resets_by_client: Counter::default(),
            resets_by_origin: Counter::default(),
            goaways_by_client: Counter::default(),
            goaways_by_origin: Counter::default(),
            alpn: RefCell::default(),
            statuses: (0..STATUSES).map(|_| Counter::default()).collect(),
            head_to_body_us: Default::default(),
            in_flight: Cell::new(0),
            max_in_flight: Cell::new(0),
            segments_in_closed: Counter::default(),
            retransmits_closed: Counter::default(),
            uploads: RefCell::default(),
            digest: Cell::new(digest),
            gate: Rc::default(),
            watch: Watch::default(),
        }
    }

    /// A connection is about to be closed. `tcp` is the kernel's last account of it.
    pub fn closed(&self, tcp: TcpInfo) {
        self.segments_in_closed.add(tcp.data_segments_in);
        self.retransmits_closed.add(tcp.retransmits);
    }

    pub fn begin(&self) {
        let now = self.in_flight.get() + 1;
        self.in_flight.set(now);
        if now > self.max_in_flight.get() {
            self.max_in_flight.set(now);
        }
    }

    pub fn end(&self) {
        self.in_flight.set(self.in_flight.get() - 1);
    }

    pub fn answered(&self, status: u16) {
        self.requests.add(1);
        if let Some(counter) = self.statuses.get(usize::from(status)) {
            counter.add(1);
        }
    }

    /// A handshake succeeded and agreed on this protocol.
    pub fn chosen(&self, protocol: &'static str) {
        *self.alpn.borrow_mut().entry(protocol).or_default() += 1;
    }

    pub fn head_to_body(&self, gap: Duration) {
        let us = u64::try_from(gap.as_micros()).unwrap_or(u64::MAX);
        self.head_to_body_us[bucket(us)].add(1);
    }

    /// Whether uploads are hashed.
    pub fn digest(&self) -> bool {
        self.digest.get()
    }

    pub fn set_digest(&self, on: bool) {
        self.digest.set(on);
    }

    pub fn uploaded(&self, upload: Upload) {
        let mut uploads = self.uploads.borrow_mut();
        if uploads.len() == UPLOADS_KEPT {
            uploads.pop_front();
        }
        uploads.push_back(upload);
    }

    /// The counts so far. `open` is the kernel's account of each connection that is open now.
    pub fn counters(&self, open: &[TcpInfo]) -> Counters {
        let segments_open: u64 = open.iter().map(|tcp| tcp.data_segments_in).sum();
        let retransmits_open: u64 = open.iter().map(|tcp| tcp.retransmits).sum();
        Counters {
            connections: self.connections.get(),
            open: open.len() as u64,
            requests: self.requests.get(),
            bad_requests: self.bad_requests.get(),
            statuses: counted(&self.statuses).map(|(code, n)| (code.to_string(), n)).collect(),
            bytes_in: self.bytes_in.get(),
            bytes_out: self.bytes_out.get(),
            body_bytes_in: self.body_bytes_in.get(),
            segments_in: self.segments_in_closed.get() + segments_open,
            retransmits: self.retransmits_closed.get() + retransmits_open,
            max_in_flight: self.max_in_flight.get(),
            closed_by_client: self.closed_by_client.get(),
            closed_by_origin: self.closed_by_origin.get(),
            head_to_body_us: counted(&self.head_to_body_us).map(|(i, n)| (1 << i, n)).collect(),
            body_with_head: self.body_with_head.get(),
            absolute_form: self.absolute_form.get(),
            handshakes_full: self.handshakes_full.get(),
            handshakes_resumed: self.handshakes_resumed.get(),
            handshakes_failed: self.handshakes_failed.get(),
            alpn: self.alpn.borrow().iter().map(|(name, n)| ((*name).to_owned(), *n)).collect(),
            streams: self.streams.get(),
            resets_by_client: self.resets_by_client.get(),
            resets_by_origin: self.resets_by_origin.get(),
            goaways_by_client: self.goaways_by_client.get(),
            goaways_by_origin: self.goaways_by_origin.get(),
            uploads: self.uploads.borrow().iter().cloned().collect(),
        }
    }
}

/// The first bucket whose upper bound is at least `us`; the last one takes everything beyond.
fn bucket(us: u64) -> usize {
    (us.max(1).next_power_of_two().trailing_zeros() as usize).min(BUCKETS - 1)
}

fn counted(counters: &[Counter]) -> impl Iterator<Item = (usize, u64)> {
    counters.iter().map(Counter::get).enumerate().filter(|(_, n)| *n > 0)
}

/// The counters as docs/origin.md defines them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[allow(missing_docs)]
pub struct Counters {
    pub connections: u64,
    pub open: u64,
    pub requests: u64,
    pub bad_requests: u64,
    pub statuses: BTreeMap<String, u64>,
    pub bytes_in: u64,
    pub bytes_out: u64,
    pub body_bytes_in: u64,
    pub segments_in: u64,
    pub retransmits: u64,
    pub max_in_flight: u64,
    pub closed_by_client: u64,
    pub closed_by_origin: u64,
    pub head_to_body_us: Vec<(u64, u64)>,
    pub body_with_head: u64,
    pub absolute_form: u64,
    pub handshakes_full: u64,
    pub handshakes_resumed: u64,
    pub handshakes_failed: u64,
    pub alpn: BTreeMap<String, u64>,
    pub streams: u64,
    pub resets_by_client: u64,
    pub resets_by_origin: u64,
    pub goaways_by_client: u64,
    pub goaways_by_origin: u64,
    pub uploads: Vec<Upload>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bucket_holds_everything_up_to_its_bound() {
        for (us, bound) in [(0, 1), (1, 1), (2, 2), (3, 4), (4, 4), (5, 8), (40_000, 65_536)] {
            assert_eq!(1 << bucket(us), bound, "{us}");
        }
        assert_eq!(1u64 << bucket(1 << 26), 1 << 26);
        assert_eq!(1u64 << bucket(1 << 40), 1 << 26);
    }

    #[test]
    fn only_the_last_sixteen_uploads_are_kept() {
        let ledger = Ledger::new(true);
        for bytes in 0..20 {
            ledger.uploaded(Upload {
                method: "PUT".into(),
                target: "/upload".into(),
                content_type: None,
                bytes,
                sha256: String::new(),
            });
        }
        let kept: Vec<u64> = ledger.counters(&[]).uploads.iter().map(|u| u.bytes).collect();
        assert_eq!(kept, (4..20).collect::<Vec<u64>>());
    }

    #[test]
    fn the_most_in_flight_is_remembered() {
        let ledger = Ledger::new(false);
        ledger.begin();
        ledger.begin();
        ledger.end();
        ledger.begin();
        ledger.end();
        ledger.end();
        assert_eq!(ledger.counters(&[]).max_in_flight, 2);
    }
}
