use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use crate::{Answer, Error, Request, Result};

/// One request, and where its response goes.
#[derive(Default)]
pub struct Exchange {
    pub request: Request,
    pub answer: Answer,
}

/// One of the iterations that are in flight at a time: it does one exchange after the other, and takes
/// the next iteration when it has done them all.
pub struct Track {
    exchanges: Vec<Exchange>,
    at: usize,
    batch: Arc<Batch>,
    pub(crate) tally: Tally,
}

/// What the tracks of a batch share.
#[derive(Default)]
pub(crate) struct Batch {
    pub left: AtomicU64,
    pub digesting: bool,
    pub busy: Duration,
}

/// What a track did in a batch.
#[derive(Default)]
pub(crate) struct Tally {
    pub done: u64,
    pub failed: u64,
    pub bytes: u64,
    pub spun: Duration,
    pub parsing: Duration,
    pub error: Option<String>,
}

impl Track {
    pub(crate) fn new(exchanges: Vec<Exchange>) -> Self {
        Self { exchanges, at: 0, batch: Arc::default(), tally: Tally::default() }
    }

    pub(crate) fn start(&mut self, batch: Arc<Batch>) {
        self.at = self.exchanges.len();
        self.batch = batch;
        self.tally = Tally::default();
    }

    pub(crate) fn digests(&self) -> Vec<&str> {
        self.exchanges.iter().map(|exchange| exchange.answer.sha256.as_str()).collect()
    }

    /// The next exchange to be done, or None if the batch is. It is given back to [`Track::end`].
    pub fn begin(&mut self) -> Option<Exchange> {
        if self.at == self.exchanges.len() {
            self.batch.claim()?;
            self.at = 0;
        }
        let mut exchange = std::mem::take(&mut self.exchanges[self.at]);
        exchange.answer.begin(self.batch.digesting);
        Some(exchange)
    }

    /// How the exchange ended.
    pub fn end(&mut self, exchange: Exchange, result: Result<()>) {
        self.tally.parsing += exchange.answer.parsing;
        match result {
            Ok(()) => {
                self.tally.done += 1;
                self.tally.bytes += exchange.answer.length;
            }
            Err(error) => {
                self.tally.failed += 1;
                self.tally.error.get_or_insert_with(|| with_causes(&error));
            }
        }
        self.exchanges[self.at] = exchange;
        self.at += 1;
        if !self.batch.busy.is_zero() {
            self.tally.spun += spin(self.batch.busy);
        }
    }
}

impl Batch {
    fn claim(&self) -> Option<u64> {
        self.left
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1))
            .ok()
    }
}

pub(crate) fn with_causes(error: &Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text += &format!(": {error}");
        cause = error.source();
    }
    text
}

fn spin(busy: Duration) -> Duration {
    let start = Instant::now();
    loop {
        let spun = start.elapsed();
        if spun >= busy {
            return spun;
        }
    }
}
