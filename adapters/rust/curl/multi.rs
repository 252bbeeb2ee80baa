//! Every transfer on one Multi handle, in one thread.

use std::time::Duration;

use curl::easy::Easy2;
use curl::multi::{Easy2Handle, Multi};
use fetchoff_kit::{Driver, Result, Settings, Track};

use crate::handle::{self, Transfer};

const LONGEST_WAIT: Duration = Duration::from_secs(1);

/// A handle for each track; it is idle or in flight.
pub struct Transfers {
    multi: Multi,
    idle: Vec<Option<Easy2<Transfer>>>,
}

impl Driver for Transfers {
    fn open(settings: &Settings) -> Result<Self> {
        let handles = (0..settings.concurrency).map(|_| handle::open(settings).map(Some));
        Ok(Self { idle: handles.collect::<Result<_>>()?, multi: Multi::new() })
    }

    fn run(&mut self, mut tracks: Vec<Track>) -> Result<Vec<Track>> {
        let mut in_flight = Vec::new();
        for (index, track) in tracks.iter_mut().enumerate() {
            in_flight.push(self.begin(index, track)?);
        }
        while in_flight.iter().any(Option::is_some) {
            self.multi.perform()?;
            let ended = self.ended();
            if ended.is_empty() {
                self.multi.poll(&mut [], LONGEST_WAIT)?;
            }
            for (index, result) in ended {
                if let Some(handle) = in_flight[index].take() {
                    self.end(index, &mut tracks[index], handle, result)?;
                    in_flight[index] = self.begin(index, &mut tracks[index])?;
                }
            }
        }
        Ok(tracks)
    }
}

impl Transfers {
    fn begin(&mut self, index: usize, track: &mut Track) -> Result<Option<Easy2Handle<Transfer>>> {
        let Some(exchange) = track.begin() else { return Ok(None) };
        let mut easy = self.idle[index].take().ok_or("the handle is in flight")?;
        handle::describe(&mut easy, &exchange.request)?;
        easy.get_mut().exchange = exchange;
        let mut handle = self.multi.add2(easy)?;
        handle.set_token(index)?;
        Ok(Some(handle))
    }

    fn ended(&self) -> Vec<(usize, std::result::Result<(), curl::Error>)> {
        let mut ended = Vec::new();
        self.multi.messages(|message| {
            if let (Ok(index), Some(result)) = (message.token(), message.result()) {
                ended.push((index, result));
            }
        });
        ended
    }

    fn end(
        &mut self,
        index: usize,
        track: &mut Track,
        handle: Easy2Handle<Transfer>,
        result: std::result::Result<(), curl::Error>,
    ) -> Result<()> {
        let mut easy = self.multi.remove2(handle)?;
        let status = easy.response_code()?.try_into()?;
        let mut exchange = std::mem::take(&mut easy.get_mut().exchange);
        let result = result.map_err(Into::into).and_then(|()| exchange.answer.end(status));
        track.end(exchange, result);
        self.idle[index] = Some(easy);
        Ok(())
    }
}
