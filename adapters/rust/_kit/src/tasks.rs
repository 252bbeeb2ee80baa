use tokio::runtime::{Builder, Runtime};

use crate::{Driver, Exchange, Result, Settings, Track};

/// A library for Tokio.
pub trait AsyncClient: Clone + Send + Sync + 'static {
    /// The client object for these settings; it shares its connections with its clones.
    fn open(settings: &Settings) -> Result<Self>;
    /// Send the request, and hand its response to the answer.
    fn send(&self, exchange: &mut Exchange) -> impl Future<Output = Result<()>> + Send;
}

/// A task for each iteration that is in flight, on the runtime that `#[tokio::main]` makes: a worker
/// thread for each core. `TOKIO_FLAVOR=current_thread` makes it one thread in all.
pub struct Tasks<C> {
    client: C,
    runtime: Runtime,
}

impl<C: AsyncClient> Driver for Tasks<C> {
    fn open(settings: &Settings) -> Result<Self> {
        let flavor = std::env::var("TOKIO_FLAVOR");
        let mut builder = match flavor.as_deref() {
            Ok("current_thread") => Builder::new_current_thread(),
            _ => Builder::new_multi_thread(),
        };
        let runtime = builder.enable_all().build()?;
        let _guard = runtime.enter();
        Ok(Self { client: C::open(settings)?, runtime })
    }

    fn run(&mut self, tracks: Vec<Track>) -> Result<Vec<Track>> {
        let spawn = |track| self.runtime.spawn(follow(self.client.clone(), track));
        let tasks: Vec<_> = tracks.into_iter().map(spawn).collect();
        self.runtime.block_on(async {
            let mut tracks = Vec::new();
            for task in tasks {
                tracks.push(task.await?);
            }
            Ok(tracks)
        })
    }
}

async fn follow(client: impl AsyncClient, mut track: Track) -> Track {
    while let Some(mut exchange) = track.begin() {
        let result = client.send(&mut exchange).await;
        track.end(exchange, result);
    }
    track
}
