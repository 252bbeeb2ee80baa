use std::fmt;
use std::io::{self, BufRead, Write};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::{Duration, Instant};

use crate::messages::{Message, Prepare, Reply, Report, Run, WireExchange};
use crate::track::{Batch, with_causes};
use crate::{Answer, Error, Exchange, Result, Settings, Track};

const PROTOCOL: u32 = 1;
const RUNTIME: &str = concat!("Rust ", env!("FETCHOFF_RUST"));
const KIT_FEATURES: [&str; 2] = ["concurrency", "inject.busy"];
/// Sinks that need no more of the library than the sink that they are built upon.
const BUILT_UPON: [(&str, &str); 2] = [("sink.buffer", "sink.json"), ("sink.discard", "sink.file")];

/// What an adapter says of itself; features are separated by white space.
#[derive(Clone)]
pub struct Description {
    pub client: &'static str,
    pub version: String,
    pub engine: String,
    pub features: String,
}

impl Description {
    fn all_features(&self) -> Vec<String> {
        let own: Vec<_> = self.features.split_whitespace().collect();
        let built = BUILT_UPON.iter().filter(|(base, _)| own.contains(base)).map(|(_, sink)| *sink);
        own.iter().copied().chain(built).chain(KIT_FEATURES).map(str::to_owned).collect()
    }
}

/// What does the batches of one `prepare`. Dropping it closes every connection.
pub trait Driver: Sized {
    /// The client object for these settings.
    fn open(settings: &Settings) -> Result<Self>;
    /// Follow every track to its end, all of them at once. An error is one of the batch, not of an exchange.
    fn run(&mut self, tracks: Vec<Track>) -> Result<Vec<Track>>;
}

/// The error of opening a client for a feature that the library has, but not together with the others.
#[derive(Debug)]
pub struct Unsupported(pub &'static str);

impl fmt::Display for Unsupported {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "unsupported: {}", self.0)
    }
}

impl std::error::Error for Unsupported {}

/// Answer requests until the end of standard input, or `finish`.
pub fn serve<D: Driver>(description: Description) -> io::Result<()> {
    let mut adapter = Adapter::<D> { description, workload: None };
    for line in io::stdin().lock().split(b'\n') {
        let reply = adapter.answer(&line?).unwrap_or_else(|error| refusal(&error));
        let is_last = matches!(reply, Reply::Finished { .. });
        let mut text = serde_json::to_vec(&reply)?;
        text.push(b'\n');
        io::stdout().lock().write_all(&text)?;
        if is_last {
            break;
        }
    }
    Ok(())
}

fn refusal(error: &Error) -> Reply {
    match error.downcast_ref::<Unsupported>() {
        Some(Unsupported(feature)) => Reply::Unsupported { unsupported: (*feature).to_owned() },
        None => Reply::Error { error: with_causes(error) },
    }
}

struct Adapter<D> {
    description: Description,
    workload: Option<Workload<D>>,
}

impl<D: Driver> Adapter<D> {
    fn answer(&mut self, line: &[u8]) -> Result<Reply> {
        match serde_json::from_slice(line)? {
            Message::Hello { protocol } => self.hello(protocol),
            Message::Prepare(message) => self.prepare(*message),
            Message::Run(message) => self.run(&message),
            Message::Finish => {
                self.workload = None;
                Ok(Reply::Finished { finished: true })
            }
        }
    }

    fn hello(&self, protocol: u32) -> Result<Reply> {
        if protocol != PROTOCOL {
            return Err(format!("protocol {protocol} was asked for, {PROTOCOL} is spoken").into());
        }
        let Description { client, version, engine, .. } = self.description.clone();
        let features = self.description.all_features();
        Ok(Reply::Description { protocol, client, version, runtime: RUNTIME, engine, features })
    }

    fn prepare(&mut self, message: Prepare) -> Result<Reply> {
        self.workload = None;
        let features = self.description.all_features();
        for required in message.require {
            if !features.contains(&required) {
                return Ok(Reply::Unsupported { unsupported: required });
            }
        }
        self.workload = Some(Workload::new(&message.exchanges, &message.settings)?);
        Ok(Reply::Ready { ready: true })
    }

    fn run(&mut self, message: &Run) -> Result<Reply> {
        if message.n == 0 {
            return Err("n must be at least 1".into());
        }
        if message.digest && message.n != 1 {
            return Err("a digest is of one iteration: n must be 1".into());
        }
        let mut workload = self.workload.take().ok_or("run before a successful prepare")?;
        let report = workload.run(message)?;
        self.workload = Some(workload);
        Ok(Reply::Report(report))
    }
}

/// What one `prepare` built.
struct Workload<D> {
    driver: D,
    tracks: Vec<Track>,
}

impl<D: Driver> Workload<D> {
    fn new(exchanges: &[WireExchange], settings: &Settings) -> Result<Self> {
        if exchanges.is_empty() || settings.concurrency == 0 {
            return Err("prepare needs an exchange and a concurrency of at least 1".into());
        }
        let tracks = (0..settings.concurrency).map(|track| new_track(exchanges, settings, track));
        Ok(Self { tracks: tracks.collect(), driver: D::open(settings)? })
    }

    fn run(&mut self, message: &Run) -> Result<Report> {
        let batch = Arc::new(Batch {
            left: AtomicU64::new(message.n),
            digesting: message.digest,
            busy: Duration::from_nanos(message.busy_ns),
        });
        let needed = self.tracks.len().min(message.n.try_into().unwrap_or(usize::MAX));
        let idle = self.tracks.split_off(needed);
        for track in &mut self.tracks {
            track.start(batch.clone());
        }
        let start = Instant::now();
        self.tracks = self.driver.run(std::mem::take(&mut self.tracks))?;
        let mut report = Report { wall_ns: nanoseconds(start.elapsed()), ..sum(&self.tracks) };
        if message.digest {
            let digests = self.tracks[0].digests();
            report.sha256 = Some(digests.into_iter().map(str::to_owned).collect());
        }
        self.tracks.extend(idle);
        Ok(report)
    }
}

/// Tracks have exchanges of their own, so that no two of them write to the same file.
fn new_track(exchanges: &[WireExchange], settings: &Settings, track: usize) -> Track {
    let directory = settings.directory.as_deref().unwrap_or(Path::new(""));
    let exchange = |(index, wire): (usize, &WireExchange)| Exchange {
        request: wire.request.clone(),
        answer: Answer::new(
            wire.expect.clone(),
            settings,
            directory.join(format!("content-{track}-{index}")),
        ),
    };
    Track::new(exchanges.iter().enumerate().map(exchange).collect())
}

fn sum(tracks: &[Track]) -> Report {
    let mut report = Report::default();
    let (mut spun, mut parsing) = (Duration::ZERO, Duration::ZERO);
    for tally in tracks.iter().map(|track| &track.tally) {
        report.done += tally.done;
        report.failed += tally.failed;
        report.bytes += tally.bytes;
        report.error = report.error.or_else(|| tally.error.clone());
        spun += tally.spun;
        parsing += tally.parsing;
    }
    report.busy_ns = (!spun.is_zero()).then(|| nanoseconds(spun));
    report.parse_ns = (!parsing.is_zero()).then(|| nanoseconds(parsing));
    report
}

fn nanoseconds(duration: Duration) -> u64 {
    duration.as_nanos().try_into().unwrap_or(u64::MAX)
}
