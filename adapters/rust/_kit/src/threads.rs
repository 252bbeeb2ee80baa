use crate::{Driver, Exchange, Result, Settings, Track};

/// A library whose calls end with the response.
pub trait Client: Send + Sized {
    /// The client object for these settings.
    fn open(settings: &Settings) -> Result<Self>;
    /// The client as one more thread has it: a clone that shares connections, or an object of its own.
    fn another(&self, settings: &Settings) -> Result<Self>;
    /// Send the request, and hand its response to the answer.
    fn send(&mut self, exchange: &mut Exchange) -> Result<()>;
}

/// A thread for each iteration that is in flight.
pub struct Threads<C>(Vec<C>);

impl<C: Client> Driver for Threads<C> {
    fn open(settings: &Settings) -> Result<Self> {
        let mut clients = vec![C::open(settings)?];
        for _ in 1..settings.concurrency {
            clients.push(clients[0].another(settings)?);
        }
        Ok(Self(clients))
    }

    fn run(&mut self, mut tracks: Vec<Track>) -> Result<Vec<Track>> {
        let mut pairs = self.0.iter_mut().zip(&mut tracks);
        let first = pairs.next();
        std::thread::scope(|scope| {
            for (client, track) in pairs {
                scope.spawn(|| follow(client, track));
            }
            if let Some((client, track)) = first {
                follow(client, track);
            }
        });
        Ok(tracks)
    }
}

fn follow(client: &mut impl Client, track: &mut Track) {
    while let Some(mut exchange) = track.begin() {
        let result = client.send(&mut exchange);
        track.end(exchange, result);
    }
}
