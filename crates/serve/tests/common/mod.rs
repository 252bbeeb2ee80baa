//! An origin on a thread of its own, and a client that speaks raw TCP.

// Not every test file uses everything.
#![allow(dead_code, missing_docs, clippy::expect_used, clippy::panic, clippy::unwrap_used)]

pub mod controlled;
pub mod peer;

use std::collections::VecDeque;
use std::fmt::Write as _;
use std::io::{Read, Write as _};
use std::net::{Ipv4Addr, Shutdown, SocketAddr, TcpStream};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use fetchoff_serve::{Counters, Limits, Listener, ListenerConfig, Site};
use tokio::runtime;
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};
use tokio::task::LocalSet;

const PATIENCE: Duration = Duration::from_secs(20);

enum Order {
    Counters(Sender<Counters>),
    Digest(bool),
    Busy(Duration),
    Occupy(Receiver<()>),
}

/// An origin with one listener. It ends with the test.
pub struct Origin {
    pub address: SocketAddr,
    pub authority_pem: Option<String>,
    orders: Option<UnboundedSender<Order>>,
    thread: Option<JoinHandle<()>>,
}

impl Origin {
    pub fn start() -> Self {
        Self::with(Limits::default(), ListenerConfig::PLAIN)
    }

    pub fn with(limits: Limits, config: ListenerConfig) -> Self {
        let (orders, mut received) = unbounded_channel();
        let (tell_address, address) = channel();
        let thread = thread::spawn(move || {
            let runtime = runtime::Builder::new_current_thread()
                .enable_all()
                .max_blocking_threads(1)
                .build()
                .unwrap();
            LocalSet::new().block_on(&runtime, async {
                let any = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
                let listener = Listener::open(any, config, &Site::new(limits)).unwrap();
                let authority_pem = listener.authority_pem().map(str::to_owned);
                tell_address.send((listener.address(), authority_pem)).unwrap();
                while let Some(order) = received.recv().await {
                    match order {
                        Order::Counters(reply) => reply.send(listener.counters()).unwrap(),
                        Order::Digest(on) => listener.set_digest(on),
                        Order::Busy(time) => thread::sleep(time),
                        Order::Occupy(until) => {
                            tokio::task::spawn_blocking(move || until.recv().is_ok());
                        }
                    }
                }
            });
        });
        let (address, authority_pem) = address.recv().unwrap();
        Self { address, authority_pem, orders: Some(orders), thread: Some(thread) }
    }

    pub fn counters(&self) -> Counters {
        let (reply, counters): (_, Receiver<Counters>) = channel();
        self.orders.as_ref().unwrap().send(Order::Counters(reply)).ok().unwrap();
        counters.recv_timeout(PATIENCE).unwrap()
    }

    /// Waits until `ready` accepts the counters, and returns them.
    pub fn counters_when(&self, ready: impl Fn(&Counters) -> bool) -> Counters {
        let begun = Instant::now();
        loop {
            let counters = self.counters();
            if ready(&counters) {
                return counters;
            }
            assert!(begun.elapsed() < PATIENCE, "{counters:#?}");
            thread::sleep(Duration::from_millis(5));
        }
    }

    pub fn set_digest(&self, on: bool) {
        self.orders.as_ref().unwrap().send(Order::Digest(on)).ok().unwrap();
    }

    /// Sends `bytes`, and waits until they have been read.
    pub fn has_read(&self, client: &mut Client, bytes: &str) {
        let expected = self.counters().bytes_in + bytes.len() as u64;
        client.send(bytes);
        self.counters_when(|counters| counters.bytes_in >= expected);
    }

    /// Keeps the origin's only thread from reading, so that everything that is sent meanwhile
    /// arrives before the next read.
    pub fn keep_busy(&self, time: Duration) {
        self.orders.as_ref().unwrap().send(Order::Busy(time)).ok().unwrap();
    }

    /// Keeps the thread that works on large content busy until the sender is dropped.
    pub fn keep_worker_busy(&self) -> Sender<()> {
        let (busy, until) = channel();
        self.orders.as_ref().unwrap().send(Order::Occupy(until)).ok().unwrap();
        self.counters(); // orders are followed one after the other
        busy
    }

    pub fn connect(&self) -> Client {
        Client::connect(self.address)
    }

    pub fn get(&self, target: &str) -> Reply {
        self.connect().ask("GET", target, &[], b"")
    }
}

impl Drop for Origin {
    fn drop(&mut self) {
        self.orders = None;
        let ended = self.thread.take().map(JoinHandle::join);
        assert!(ended.is_some_and(|end| end.is_ok()), "the origin panicked");
    }
}

#[derive(Debug)]
pub struct Reply {
    pub status: u16,
    pub fields: Vec<(String, String)>,
    pub content: Vec<u8>,
}

impl Reply {
    pub fn field(&self, name: &str) -> Option<&str> {
        self.fields.iter().find(|(found, _)| found == name).map(|(_, value)| value.as_str())
    }

    pub fn text(&self) -> &str {
        std::str::from_utf8(&self.content).unwrap()
    }

    pub fn json(&self) -> serde_json::Value {
        serde_json::from_slice(&self.content).unwrap()
    }
}

pub struct Client {
    pub stream: TcpStream,
    unread: VecDeque<u8>,
}

impl Client {
    pub fn connect(address: SocketAddr) -> Self {
        let stream = TcpStream::connect(address).unwrap();
        stream.set_nodelay(true).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream.set_write_timeout(Some(PATIENCE)).unwrap();
        Self { stream, unread: VecDeque::new() }
    }

    pub fn send(&mut self, bytes: impl AsRef<[u8]>) {
        self.stream.write_all(bytes.as_ref()).unwrap();
    }

    pub fn ask(&mut self, method: &str, target: &str, fields: &[&str], content: &[u8]) -> Reply {
        let mut request = head(method, target, fields, content.len()).into_bytes();
        request.extend_from_slice(content);
        self.send(request);
        self.reply_to(method)
    }

    pub fn reply(&mut self) -> Reply {
        self.reply_to("GET")
    }

    pub fn reply_to(&mut self, method: &str) -> Reply {
        let head = self.head();
        let mut lines = head.split("\r\n");
        let status_line = lines.next().unwrap();
        let status = status_line.split(' ').nth(1).unwrap().parse().unwrap();
        let fields = lines
            .filter_map(|line| line.split_once(": "))
            .map(|(name, value)| (name.to_ascii_lowercase(), value.to_owned()))
            .collect();
        let mut reply = Reply { status, fields, content: Vec::new() };
        if method != "HEAD" && !matches!(status, 100..200 | 204 | 304) {
            reply.content = self.content(&reply);
        }
        reply
    }

    fn head(&mut self) -> String {
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            head.extend(self.take(1));
        }
        String::from_utf8(head).unwrap()
    }

    fn content(&mut self, reply: &Reply) -> Vec<u8> {
        if reply.field("transfer-encoding") == Some("chunked") {
            return self.chunks().concat();
        }
        match reply.field("content-length") {
            Some(length) => self.take(length.parse().unwrap()),
            None => self.rest(),
        }
    }

    pub fn chunks(&mut self) -> Vec<Vec<u8>> {
        let mut chunks = Vec::new();
        loop {
            let mut line = Vec::new();
            while !line.ends_with(b"\r\n") {
                line.extend(self.take(1));
            }
            let size = std::str::from_utf8(&line).unwrap().trim();
            let size = usize::from_str_radix(size, 16).unwrap();
            let chunk = self.take(size);
            assert_eq!(self.take(2), b"\r\n");
            if size == 0 {
                return chunks;
            }
            chunks.push(chunk);
        }
    }

    pub fn take(&mut self, bytes: usize) -> Vec<u8> {
        while self.unread.len() < bytes {
            assert!(self.fill() > 0, "closed after {:?}", self.unread);
        }
        self.unread.drain(..bytes).collect()
    }

    /// Everything until the origin closes the connection.
    pub fn rest(&mut self) -> Vec<u8> {
        while self.fill() > 0 {}
        self.unread.drain(..).collect()
    }

    fn fill(&mut self) -> usize {
        let mut buffer = [0; 16 << 10];
        let bytes = self.stream.read(&mut buffer).unwrap();
        self.unread.extend(&buffer[..bytes]);
        bytes
    }

    /// Whether the origin ends the connection, by closing or resetting it, without another byte.
    pub fn is_ended(&mut self) -> bool {
        let mut buffer = [0; 1];
        self.unread.is_empty() && !matches!(self.stream.read(&mut buffer), Ok(1))
    }

    pub fn end_of_sending(&mut self) {
        self.stream.shutdown(Shutdown::Write).unwrap();
    }
}

pub fn head(method: &str, target: &str, fields: &[&str], length: usize) -> String {
    let mut head = format!("{method} {target} HTTP/1.1\r\nHost: origin\r\n");
    for field in fields {
        head += field;
        head += "\r\n";
    }
    if length > 0 || matches!(method, "POST" | "PUT") {
        write!(head, "Content-Length: {length}\r\n").unwrap();
    }
    head + "\r\n"
}

pub fn sha256(content: &[u8]) -> String {
    use sha2::Digest as _;
    sha2::Sha256::digest(content).iter().fold(String::new(), |mut text, byte| {
        write!(text, "{byte:02x}").unwrap();
        text
    })
}
