//! The server: a thread with one socket, which answers each query when its delay has passed.

use std::collections::VecDeque;
use std::io;
use std::net::{SocketAddr, UdpSocket};
use std::os::fd::OwnedFd;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant, SystemTime};

use rustix::event::{EventfdFlags, PollFd, PollFlags, Timespec, eventfd, poll};
use serde::Serialize;

use crate::zone::Zone;

/// The most queries that are remembered between two readings.
const MOST_QUERIES: usize = 10_000;

/// The longest query that is read; none without exotic options is longer (RFC 1035, 2.3.4).
const LONGEST_BYTES: usize = 512;

/// A query, as the harness is told of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Query {
    /// When it came, in nanoseconds of `CLOCK_REALTIME`.
    pub at_ns: u64,
    /// When it was answered; 0 if it hasn't been.
    pub answered_ns: u64,
    /// The name that was asked for.
    pub name: String,
    /// The type of the records that were asked for.
    #[serde(rename = "type")]
    pub kind: String,
    /// The port of the client's socket.
    pub port: u16,
}

/// What was asked since the last reading.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Queries {
    /// In the order in which they came.
    pub queries: Vec<Query>,
    /// Queries that were answered, but not remembered.
    pub lost: u64,
}

/// A running name server. Dropping it ends it.
#[derive(Debug)]
pub struct Server {
    shared: Arc<Mutex<Shared>>,
    stop: OwnedFd,
    thread: Option<JoinHandle<()>>,
}

#[derive(Debug)]
struct Shared {
    zone: Zone,
    delay: Duration,
    asked: Queries,
    /// The number of the first of the queries that are remembered, since the beginning.
    first: usize,
}

struct Pending {
    due: Instant,
    packet: Vec<u8>,
    to: SocketAddr,
    /// The number of its query; `None` if that isn't remembered.
    query: Option<usize>,
}

impl Server {
    /// Answers at this socket from now on, without a delay.
    pub fn start(socket: UdpSocket, zone: Zone) -> io::Result<Self> {
        socket.set_nonblocking(true)?;
        let shared = Shared { zone, delay: Duration::ZERO, asked: Queries::default(), first: 0 };
        let shared = Arc::new(Mutex::new(shared));
        let stop = eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)?;
        let mut answering = Answering {
            socket,
            stop: stop.try_clone()?,
            shared: shared.clone(),
            waiting: VecDeque::new(),
        };
        let thread = thread::Builder::new()
            .name("fetchoff-names".to_owned())
            // A socket of UDP that fails for good can't be mended; queries then get no answer.
            .spawn(move || drop(answering.answer_all()))?;
        Ok(Self { shared, stop, thread: Some(thread) })
    }

    /// Knows this zone from now on, and answers queries so much later than they come.
    pub fn set(&self, zone: Zone, delay: Duration) {
        let mut shared = locked(&self.shared);
        shared.zone = zone;
        shared.delay = delay;
    }

    /// The queries since the last call.
    pub fn take_queries(&self) -> Queries {
        let mut shared = locked(&self.shared);
        shared.first += shared.asked.queries.len();
        std::mem::take(&mut shared.asked)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let told = rustix::io::write(&self.stop, &1_u64.to_ne_bytes());
        if let (Ok(_), Some(thread)) = (told, self.thread.take()) {
            // It has no result.
            let _ = thread.join();
        }
    }
}

struct Answering {
    socket: UdpSocket,
    stop: OwnedFd,
    shared: Arc<Mutex<Shared>>,
    waiting: VecDeque<Pending>,
}

impl Answering {
    fn answer_all(&mut self) -> io::Result<()> {
        while !self.is_told_to_stop()? {
            self.take_queries()?;
            self.send_due();
        }
        Ok(())
    }

    /// Waits until there is something to do.
    fn is_told_to_stop(&self) -> io::Result<bool> {
        let left =
            self.waiting.front().map(|next| next.due.saturating_duration_since(Instant::now()));
        let timeout = left.map(|left| Timespec {
            tv_sec: left.as_secs().try_into().unwrap_or(i64::MAX),
            tv_nsec: left.subsec_nanos().into(),
        });
        let mut both =
            [PollFd::new(&self.stop, PollFlags::IN), PollFd::new(&self.socket, PollFlags::IN)];
        match poll(&mut both, timeout.as_ref()) {
            Ok(_) | Err(rustix::io::Errno::INTR) => Ok(!both[0].revents().is_empty()),
            Err(error) => Err(error.into()),
        }
    }

    fn take_queries(&mut self) -> io::Result<()> {
        let mut buffer = [0; LONGEST_BYTES];
        loop {
            match self.socket.recv_from(&mut buffer) {
                Ok((bytes, from)) => self.take(&buffer[..bytes], from),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(()),
                // The port of an earlier answer is closed by now (ICMP).
                Err(error) if error.kind() == io::ErrorKind::ConnectionRefused => (),
                Err(error) => return Err(error),
            }
        }
    }

    fn take(&mut self, packet: &[u8], from: SocketAddr) {
        let mut shared = locked(&self.shared);
        let Some(answered) = shared.zone.answer(packet) else { return };
        let asked = Query {
            at_ns: now_ns(),
            answered_ns: 0,
            name: answered.name,
            kind: answered.kind,
            port: from.port(),
        };
        let query = shared.remember(asked);
        let due = Instant::now() + shared.delay;
        self.waiting.push_back(Pending { due, packet: answered.packet, to: from, query });
    }

    fn send_due(&mut self) {
        while self.waiting.front().is_some_and(|next| next.due <= Instant::now()) {
            let Some(next) = self.waiting.pop_front() else { return };
            // Who asked may be gone.
            let _ = self.socket.send_to(&next.packet, next.to);
            locked(&self.shared).note_answered(next.query);
        }
    }
}

impl Shared {
    fn remember(&mut self, query: Query) -> Option<usize> {
        if self.asked.queries.len() >= MOST_QUERIES {
            self.asked.lost += 1;
            return None;
        }
        self.asked.queries.push(query);
        Some(self.first + self.asked.queries.len() - 1)
    }

    fn note_answered(&mut self, query: Option<usize>) {
        let place = query.and_then(|number| number.checked_sub(self.first));
        if let Some(query) = place.and_then(|place| self.asked.queries.get_mut(place)) {
            query.answered_ns = now_ns();
        }
    }
}

fn locked(shared: &Mutex<Shared>) -> MutexGuard<'_, Shared> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

fn now_ns() -> u64 {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    since.as_nanos() as u64
}

#[cfg(test)]
mod tests {
    use simple_dns::{CLASS, Name, Packet, QCLASS, QTYPE, Question, TYPE};

    use super::*;

    const DELAY: Duration = Duration::from_millis(100);

    fn zone() -> Zone {
        Zone::new("origin.test", vec!["198.18.1.2".parse().unwrap()])
    }

    fn started() -> (Server, UdpSocket) {
        let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
        let address = socket.local_addr().unwrap();
        let asking = UdpSocket::bind("127.0.0.1:0").unwrap();
        asking.connect(address).unwrap();
        asking.set_read_timeout(Some(Duration::from_secs(5))).unwrap();
        (Server::start(socket, zone()).unwrap(), asking)
    }

    fn ask(asking: &UdpSocket, id: u16) {
        let mut packet = Packet::new_query(id);
        let name = Name::new("origin.test").unwrap();
        packet.questions.push(Question::new(name, TYPE::A.into(), QCLASS::CLASS(CLASS::IN), false));
        asking.send(&packet.build_bytes_vec().unwrap()).unwrap();
    }

    fn answered(asking: &UdpSocket) -> u16 {
        let mut buffer = [0; LONGEST_BYTES];
        let bytes = asking.recv(&mut buffer).unwrap();
        let packet = Packet::parse(&buffer[..bytes]).unwrap();
        assert_eq!(packet.answers.len(), 1);
        assert_eq!(packet.questions[0].qtype, QTYPE::TYPE(TYPE::A));
        packet.id()
    }

    #[test]
    fn queries_are_answered_and_remembered_once() {
        let (server, asking) = started();
        ask(&asking, 1);
        assert_eq!(answered(&asking), 1);
        // It is noted after it was sent.
        while locked(&server.shared).asked.queries[0].answered_ns == 0 {
            thread::sleep(Duration::from_millis(1));
        }
        let taken = server.take_queries();
        assert_eq!((taken.queries.len(), taken.lost), (1, 0));
        assert_eq!(server.take_queries(), Queries::default());
    }

    #[test]
    fn slow_answers_do_not_wait_for_each_other() {
        let (server, asking) = started();
        server.set(zone(), DELAY);
        let began = Instant::now();
        for id in 0..8 {
            ask(&asking, id);
        }
        assert_eq!(
            (0..8).map(|_| answered(&asking)).collect::<Vec<_>>(),
            (0..8).collect::<Vec<_>>()
        );
        let took = began.elapsed();
        assert!(DELAY <= took && took < 6 * DELAY, "{took:?}");
    }

    #[test]
    fn a_late_answer_is_noted_at_its_own_query() {
        let (server, asking) = started();
        server.set(zone(), DELAY);
        ask(&asking, 1);
        thread::sleep(DELAY / 2);
        assert_eq!(server.take_queries().queries[0].answered_ns, 0);
        server.set(zone(), Duration::ZERO);
        ask(&asking, 2);
        answered(&asking);
        answered(&asking);
        thread::sleep(DELAY / 2);
        let taken = server.take_queries().queries;
        assert!(taken.len() == 1 && taken[0].answered_ns >= taken[0].at_ns, "{taken:?}");
        assert_eq!(taken[0].port, asking.local_addr().unwrap().port());
    }

    #[test]
    fn it_ends_with_its_owner() {
        let (server, asking) = started();
        drop(server);
        ask(&asking, 1);
        assert!(asking.recv(&mut [0; LONGEST_BYTES]).is_err());
    }
}
