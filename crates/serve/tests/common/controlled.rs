//! An origin that is driven by its control channel, and CPU clocks that a test sets.

#![allow(dead_code, missing_docs, clippy::unwrap_used)]

use std::fs;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use fetchoff_serve::{Control, Limits, Site};
use serde_json::{Value, json};
use tokio::runtime;
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};
use tokio::task::LocalSet;

use super::{Client, head};

const PATIENCE: Duration = Duration::from_secs(30);

/// More requests than the loop of any test makes.
pub const ENOUGH: u64 = 1_000_000;

type Line = (Value, Sender<Value>);

/// A control channel that runs on a thread of the test instead of in a process.
pub struct ControlledOrigin {
    lines: Option<UnboundedSender<Line>>,
    thread: Option<JoinHandle<()>>,
    folder: PathBuf,
}

/// The ledger and the address of one listener.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Port {
    pub ledger: u64,
    pub address: SocketAddr,
}

impl Port {
    pub fn connect(self) -> Client {
        Client::connect(self.address)
    }
}

impl ControlledOrigin {
    pub fn start() -> Self {
        static STARTED: AtomicU64 = AtomicU64::new(0);
        let number = STARTED.fetch_add(1, Ordering::Relaxed);
        let name = format!("fetchoff-turns-{}-{number}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        fs::create_dir_all(&folder).unwrap();
        let (lines, mut received) = unbounded_channel::<Line>();
        let thread = thread::spawn(move || {
            let runtime = runtime::Builder::new_current_thread().enable_all().build().unwrap();
            LocalSet::new().block_on(&runtime, async {
                let site = Site::new(Limits::default());
                let mut control = Control::new(IpAddr::V4(Ipv4Addr::LOCALHOST), site);
                while let Some((line, reply)) = received.recv().await {
                    let answer = control.answer(line.to_string().as_bytes()).await;
                    let _ = reply.send(serde_json::to_value(answer).unwrap());
                }
            });
        });
        Self { lines: Some(lines), thread: Some(thread), folder }
    }

    pub fn ask(&self, line: Value) -> Value {
        self.begin(line).recv_timeout(PATIENCE).unwrap()
    }

    /// Sends a request, and does not wait for the answer.
    pub fn begin(&self, line: Value) -> Receiver<Value> {
        let (reply, answer) = channel();
        self.lines.as_ref().unwrap().send((line, reply)).unwrap();
        answer
    }

    pub fn error(&self, line: Value) -> String {
        let answer = self.ask(line);
        answer["error"].as_str().unwrap_or_else(|| panic!("{answer} is no error")).to_owned()
    }

    pub fn open(&self, config: &Value) -> Port {
        let mut line = json!({"op": "open"});
        line.as_object_mut().unwrap().extend(config.as_object().unwrap().clone());
        let opened = self.ask(line);
        let port = u16::try_from(opened["port"].as_u64().unwrap()).unwrap();
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
        Port { ledger: opened["ledger"].as_u64().unwrap(), address }
    }

    /// Opens a listener whose requests are held from the first one on. Its clock stands still.
    pub fn held(&self, requests: u64, per_iteration: u64) -> (Port, Clock) {
        let port = self.open(&json!({}));
        (port, self.hold(port, requests, per_iteration))
    }

    pub fn hold(&self, port: Port, requests: u64, per_iteration: u64) -> Clock {
        let clock = Clock::new(self.folder.join(port.ledger.to_string()));
        let answer = self.ask(json!({
            "op": "hold", "ledger": port.ledger, "pid": 0, "group": clock.folder,
            "requests": requests, "per_iteration": per_iteration,
        }));
        assert_eq!(answer, json!({"ledger": port.ledger}));
        clock
    }

    /// Lets all requests go. Returns the CPU time before the first request, and since a request was
    /// last held.
    pub fn release(&self, port: Port) -> (u64, u64) {
        let answer = self.ask(json!({"op": "release", "ledger": port.ledger}));
        assert_eq!(answer["ledger"], json!(port.ledger));
        (answer["before_ns"].as_u64().unwrap(), answer["after_ns"].as_u64().unwrap())
    }

    pub fn read(&self, port: Port) -> Value {
        self.ask(json!({"op": "read", "ledger": port.ledger}))
    }

    /// How many requests of a ledger have been answered.
    pub fn answered(&self, port: Port) -> u64 {
        self.read(port)["requests"].as_u64().unwrap()
    }

    /// Sends a request, and waits until the origin has read it. Then it is held, if it has to be.
    pub fn send_and_wait(&self, port: Port, client: &mut Client, request: &str) {
        let expected = self.bytes_in(port) + request.len() as u64;
        client.send(request);
        self.wait_until(port, || self.bytes_in(port) >= expected);
    }

    /// Waits until a first request has been read.
    pub fn arrived(&self, port: Port) {
        self.wait_until(port, || self.bytes_in(port) > 0);
    }

    /// Waits until a ledger has this many open connections.
    pub fn opened(&self, port: Port, connections: u64) {
        self.wait_until(port, || self.read(port)["open"] == json!(connections));
    }

    fn bytes_in(&self, port: Port) -> u64 {
        self.read(port)["bytes_in"].as_u64().unwrap()
    }

    fn wait_until(&self, port: Port, is_so: impl Fn() -> bool) {
        let begun = Instant::now();
        while !is_so() {
            assert!(begun.elapsed() < PATIENCE, "{}", self.read(port));
            thread::sleep(Duration::from_millis(1));
        }
    }
}

impl Drop for ControlledOrigin {
    fn drop(&mut self) {
        self.lines = None;
        let ended = self.thread.take().map(JoinHandle::join);
        let _ = fs::remove_dir_all(&self.folder);
        assert!(thread::panicking() || ended.is_some_and(|end| end.is_ok()), "it panicked");
    }
}

/// A CPU clock that the test sets, in nanoseconds: the file of a control group.
#[derive(Clone, Debug)]
pub struct Clock {
    folder: PathBuf,
}

impl Clock {
    fn new(folder: PathBuf) -> Self {
        fs::create_dir_all(&folder).unwrap();
        let clock = Self { folder };
        fs::write(clock.file(), format!("{:020}\n", 0)).unwrap();
        clock
    }

    fn file(&self) -> PathBuf {
        self.folder.join("cpuacct.usage")
    }

    /// Writes the number at once: as with a real clock, no reader sees half of it.
    pub fn advance(&self, ns: u64) {
        use std::os::unix::fs::FileExt as _;
        let now: u64 = fs::read_to_string(self.file()).unwrap().trim().parse().unwrap();
        let file = fs::OpenOptions::new().write(true).open(self.file()).unwrap();
        file.write_all_at(format!("{:020}\n", now + ns).as_bytes(), 0).unwrap();
    }

    /// From now on the clock cannot be read, as if its client had ended.
    pub fn vanish(&self) {
        fs::write(self.file(), "").unwrap();
    }
}

pub fn get() -> String {
    head("GET", "/", &[], 0)
}

/// A client that runs a long loop. `before` is called before each request, `after` after its
/// answer.
pub fn looping(
    port: Port,
    requests: u64,
    mut before: impl FnMut() + Send + 'static,
    mut after: impl FnMut() + Send + 'static,
) -> JoinHandle<u64> {
    let mut client = port.connect();
    thread::spawn(move || {
        for _ in 0..requests {
            before();
            client.send(get());
            assert_eq!(client.reply().text(), "Hi");
            after();
        }
        requests
    })
}

pub fn plain(port: Port, requests: u64) -> JoinHandle<u64> {
    looping(port, requests, || {}, || {})
}

/// Ends the origin, and with it loops that are longer than the test.
pub fn cut_short(origin: ControlledOrigin, loops: Vec<JoinHandle<u64>>) {
    drop(origin);
    for one in loops {
        assert!(one.join().is_err(), "a loop was not long enough");
    }
}

/// An order of turns with ample patience.
pub fn order(ports: &[Port], lead: u64, counted: u64) -> Value {
    order_with(ports, lead, counted, 20_000)
}

pub fn order_with(ports: &[Port], lead: u64, counted: u64, patience_ms: u64) -> Value {
    let order: Vec<_> = ports.iter().map(|port| (port.ledger, lead, counted)).collect();
    json!({"op": "turns", "order": order, "patience_ms": patience_ms})
}

/// A row of the answer, with names.
#[derive(Clone, Copy, Debug)]
pub struct Told {
    pub ledger: u64,
    pub exchanges: u64,
    pub wall_ns: u64,
    pub cpu_ns: u64,
    pub origin_ns: u64,
    pub others_ns: u64,
    pub lead_exchanges: u64,
    pub lead_wall_ns: u64,
    pub lead_cpu_ns: u64,
    pub first_cpu_ns: u64,
    pub held_cpu_ns: u64,
    pub probe_ps: u64,
}

pub fn turns(answer: &Value) -> Vec<Told> {
    let rows: Vec<[u64; 12]> = serde_json::from_value(answer["turns"].clone()).unwrap();
    rows.into_iter()
        .map(|row| {
            let [ledger, exchanges, wall_ns, cpu_ns, origin_ns, others_ns, ..] = row;
            let [.., lead_exchanges, lead_wall_ns, lead_cpu_ns, _, _, _] = row;
            let [.., first_cpu_ns, held_cpu_ns, probe_ps] = row;
            Told {
                ledger,
                exchanges,
                wall_ns,
                cpu_ns,
                origin_ns,
                others_ns,
                lead_exchanges,
                lead_wall_ns,
                lead_cpu_ns,
                first_cpu_ns,
                held_cpu_ns,
                probe_ps,
            }
        })
        .collect()
}
