use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::{JoinHandle, spawn};

use crate::{Driver, Exchange, Result, Settings, Track};

/// A library whose calls end with the response.
pub trait Client: Send + Sized + 'static {
    /// The client object for these settings.
    fn open(settings: &Settings) -> Result<Self>;
    /// The client as one more thread has it: a clone that shares connections, or an object of its own.
    fn another(&self, settings: &Settings) -> Result<Self>;
    /// Send the request, and hand its response to the answer.
    fn send(&mut self, exchange: &mut Exchange) -> Result<()>;
}

/// A thread for each iteration that is in flight, this one among them. They live as long as the
/// workload: no batch pays for starting them.
pub struct Threads<C> {
    client: C,
    others: Vec<Worker>,
}

impl<C: Client> Driver for Threads<C> {
    fn open(settings: &Settings) -> Result<Self> {
        let client = C::open(settings)?;
        let another = |_| client.another(settings).map(Worker::start);
        let others = (1..settings.concurrency).map(another).collect::<Result<_>>()?;
        Ok(Self { client, others })
    }

    fn run(&mut self, tracks: Vec<Track>) -> Result<Vec<Track>> {
        let mut tracks = tracks.into_iter();
        let first = tracks.next();
        let mut at_work = Vec::new();
        for (worker, track) in self.others.iter().zip(tracks) {
            worker.begin(track)?;
            at_work.push(worker);
        }
        let followed = first.map(|track| follow(&mut self.client, track));
        followed.into_iter().map(Ok).chain(at_work.into_iter().map(Worker::end)).collect()
    }
}

/// Another thread, with its client. It ends when it is given no more tracks.
struct Worker {
    tracks: Option<Sender<Track>>,
    followed: Receiver<Track>,
    thread: Option<JoinHandle<()>>,
}

impl Worker {
    fn start(mut client: impl Client) -> Self {
        let (tracks, given) = channel();
        let (back, followed) = channel();
        let thread = spawn(move || {
            for track in given {
                if back.send(follow(&mut client, track)).is_err() {
                    return;
                }
            }
        });
        Self { tracks: Some(tracks), followed, thread: Some(thread) }
    }

    fn begin(&self, track: Track) -> Result<()> {
        let tracks = self.tracks.as_ref().ok_or("the thread has ended")?;
        tracks.send(track).map_err(|_| "a thread has panicked".into())
    }

    fn end(&self) -> Result<Track> {
        self.followed.recv().map_err(|_| "a thread has panicked".into())
    }
}

impl Drop for Worker {
    /// Waits until the client is gone, and its connections with it.
    fn drop(&mut self) {
        self.tracks = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn follow(client: &mut impl Client, mut track: Track) -> Track {
    while let Some(mut exchange) = track.begin() {
        let result = client.send(&mut exchange);
        track.end(exchange, result);
    }
    track
}
