//! Watching a ledger: what happens on its connections, event by event.
//!
//! Nothing is noted unless somebody watches; then events are kept up to a number that the watcher
//! chose, each with the time of day and the client's CPU clock. A measured batch is never watched.

use std::cell::{Cell, RefCell};
use std::time::{SystemTime, UNIX_EPOCH};

use serde::Serialize;

use crate::ledger::tcp_info::TcpInfo;
use crate::turns::cpu_clock::CpuClock;

/// The two ends of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Side {
    Client,
    Origin,
}

/// One event, as docs/origin.md defines it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Event {
    /// Nanoseconds since 1970, `CLOCK_REALTIME`.
    at_ns: u64,
    /// Connections of a ledger are counted from 1.
    connection: u64,
    /// The client's CPU clock; `None` without one.
    cpu_ns: Option<u64>,
    #[serde(flatten)]
    what: What,
}

/// What happened.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum What {
    /// A connection was accepted, from this port of the client.
    Accepted { port: u16 },
    /// A TLS handshake ended.
    Handshaken { is_resumed: bool, version: &'static str, protocol: String },
    /// One read of the socket; 0 bytes: the client has closed its side.
    Read { size: u64 },
    /// The head of a request is complete. `stream` is 0 in HTTP/1.1.
    Head {
        stream: u32,
        method: String,
        target: String,
        version: String,
        fields: Vec<(String, String)>,
    },
    /// The content of a request is complete.
    Content { stream: u32, size: u64 },
    /// An answer was decided.
    Answered { stream: u32, status: u16 },
    /// The content of an answer ends too early, as asked: after `size` bytes of those that its head
    /// announced, or of chunks whose last one is missing.
    Cut { stream: u32, size: u64, announced: Option<u64> },
    /// One write to the socket.
    Written { size: u64 },
    /// The socket took no more.
    Blocked,
    /// A frame of HTTP/2 has passed, to its last byte.
    Frame {
        sender: Side,
        frame: &'static str,
        stream: u32,
        size: u32,
        flags: u8,
        value: u32,
        settings: Vec<(u16, u32)>,
    },
    /// The kernel's account of the connection.
    Tcp(TcpInfo),
    /// A connection is closed; `by`: who closed first.
    Closed { by: Side },
}

#[derive(Debug)]
struct Watched {
    clock: Option<CpuClock>,
    most: usize,
    events: Vec<Event>,
    lost: u64,
}

/// Whoever watches a ledger, if anybody does.
#[derive(Debug, Default)]
pub struct Watch {
    on: Cell<bool>,
    watched: RefCell<Option<Watched>>,
}

impl Watch {
    /// Keeps `most` events at most from now on. What was kept before is dropped.
    pub fn begin(&self, clock: Option<CpuClock>, most: usize) {
        self.watched.replace(Some(Watched { clock, most, events: Vec::new(), lost: 0 }));
        self.on.set(true);
    }

    /// Keeps no more. Returns what was kept, and how many events did not fit in; `None` if nobody
    /// watched.
    pub fn end(&self) -> Option<(Vec<Event>, u64)> {
        self.on.set(false);
        self.watched.take().map(|watched| (watched.events, watched.lost))
    }

    pub fn is_on(&self) -> bool {
        self.on.get()
    }

    /// Keeps an event. `what` is only asked for if there is somebody to be told.
    pub fn note(&self, connection: u64, what: impl FnOnce() -> What) {
        if !self.on.get() {
            return;
        }
        if let Some(watched) = self.watched.borrow_mut().as_mut() {
            watched.note(connection, what);
        }
    }
}

impl Watched {
    fn note(&mut self, connection: u64, what: impl FnOnce() -> What) {
        if self.events.len() == self.most {
            self.lost += 1;
            return;
        }
        let cpu_ns = self.clock.as_ref().and_then(|clock| clock.read().ok());
        self.events.push(Event { at_ns: now_ns(), connection, cpu_ns, what: what() });
    }
}

fn now_ns() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_nanos()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_made_while_nobody_watches() {
        let watch = Watch::default();
        watch.note(1, || unreachable!());
        assert_eq!(watch.end(), None);
    }

    #[test]
    fn what_does_not_fit_in_is_counted() {
        let watch = Watch::default();
        watch.begin(None, 2);
        for size in 0..5 {
            watch.note(1, || What::Read { size });
        }
        let (events, lost) = watch.end().unwrap();
        assert_eq!((events.len(), lost), (2, 3));
        assert!(!watch.is_on());
    }

    #[test]
    fn an_event_is_written_flat() {
        let event = Event { at_ns: 7, connection: 1, cpu_ns: None, what: What::Read { size: 3 } };
        let text = serde_json::to_string(&event).unwrap();
        assert_eq!(text, r#"{"at_ns":7,"connection":1,"cpu_ns":null,"kind":"read","size":3}"#);
    }
}
