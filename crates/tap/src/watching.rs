//! A recording: a thread that reads a packet socket until it is told to stop.
//!
//! It looks every few milliseconds and not at each packet, so that it rarely runs while a client
//! does: the kernel has stamped the packets already. Where the kernel grants only a small buffer,
//! it wakes for each packet.

use std::fs::File;
use std::io::{self, BufWriter};
use std::os::fd::OwnedFd;
use std::path::PathBuf;
use std::thread::{self, JoinHandle};

use fetchoff_packet_socket::{Begins, PacketSocket};
use libc::c_int;
use rustix::event::{EventfdFlags, PollFd, PollFlags, Timespec, eventfd, poll};
use rustix::net::{AddressFamily, SocketType, netdevice, socket};

use crate::filter;
use crate::kept::Kept;
use crate::segment::{self, Segment};
use crate::windows::Windows;

/// The longest headers of IPv4 and TCP have 60 bytes each; IPv6 has 40 and no extensions here.
const SNAP_HEADERS: u32 = 128;
/// IPv6 with the greatest payload that its length field can express.
const SNAP_WHOLE: u32 = 40 + 65_535;

const BACKLOG_BYTES: c_int = 64 << 20;
const LOOK_EVERY: Timespec = Timespec { tv_sec: 0, tv_nsec: 5_000_000 };
const LOOPBACK: &str = "lo";

/// What to record.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The network device.
    pub interface: String,
    /// The origin's ports.
    pub ports: Vec<u16>,
    /// How many segments to remember at the most.
    pub most: usize,
    /// Where to keep whole packets, if anywhere.
    pub keep: Option<PathBuf>,
}

/// What was recorded.
#[derive(Debug, Default)]
pub struct Recorded {
    /// The segments in the order in which they passed.
    pub segments: Vec<Segment>,
    /// Segments that did not fit in, or that the kernel dropped.
    pub lost: u64,
    /// What went wrong meanwhile. The segments until then are there.
    pub fault: Option<io::Error>,
}

/// A recording that is under way.
#[derive(Debug)]
pub struct Watching {
    stop: OwnedFd,
    thread: JoinHandle<Recorded>,
}

/// Why there is no recording.
#[derive(Debug)]
pub enum Refused {
    /// The kernel doesn't permit it.
    Permission,
    /// There is no such device in this namespace.
    NoDevice,
    /// The file for packets cannot be made.
    Keep(PathBuf, io::Error),
    /// Anything else.
    Other(io::Error),
}

impl Watching {
    /// Starts to record. Packets from now on are seen.
    pub fn start(plan: Plan) -> Result<Self, Refused> {
        let (socket, is_roomy) = listen(&plan)?;
        let kept = match &plan.keep {
            Some(path) => Some(
                Kept::create(path, &plan.interface, SNAP_WHOLE)
                    .map_err(|error| Refused::Keep(path.clone(), error))?,
            ),
            None => None,
        };
        let flags = EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK;
        let stop = eventfd(0, flags).map_err(|error| Refused::Other(error.into()))?;
        let told = stop.try_clone().map_err(Refused::Other)?;
        let mut recorder = Recorder::new(plan, socket, kept);
        let thread = thread::Builder::new()
            .name("fetchoff-tap".to_owned())
            .spawn(move || recorder.record(&told, is_roomy))
            .map_err(Refused::Other)?;
        Ok(Self { stop, thread })
    }

    /// Ends the recording with what has passed until now.
    pub fn end(self) -> io::Result<Recorded> {
        rustix::io::write(&self.stop, &1_u64.to_ne_bytes())?;
        self.thread.join().map_err(|_| io::Error::other("the recording's thread panicked"))
    }
}

/// A socket that is filtered before it is bound, and whether its buffer is as large as it should.
fn listen(plan: &Plan) -> Result<(PacketSocket, bool), Refused> {
    let socket = PacketSocket::open(Begins::AtNetwork).map_err(|error| match error.kind() {
        io::ErrorKind::PermissionDenied => Refused::Permission,
        _ => Refused::Other(error),
    })?;
    let snap = if plan.keep.is_some() { SNAP_WHOLE } else { SNAP_HEADERS };
    let index = index_of(&plan.interface)?;
    let prepared = || {
        socket.attach(&filter::program(&plan.ports, snap))?;
        socket.stamp()?;
        let is_roomy = socket.set_backlog(BACKLOG_BYTES)?;
        if plan.interface == LOOPBACK {
            // Older kernels can't; then each outgoing packet is read and left out.
            let _ = socket.ignore_outgoing();
        }
        socket.bind(index)?;
        Ok(is_roomy)
    };
    let is_roomy = prepared().map_err(Refused::Other)?;
    Ok((socket, is_roomy))
}

fn index_of(interface: &str) -> Result<u32, Refused> {
    let any = socket(AddressFamily::INET, SocketType::DGRAM, None)
        .map_err(|error| Refused::Other(error.into()))?;
    netdevice::name_to_index(any, interface).map_err(|_| Refused::NoDevice)
}

struct Recorder {
    plan: Plan,
    socket: PacketSocket,
    kept: Option<Kept<BufWriter<File>>>,
    windows: Windows,
    buffer: Vec<u8>,
    recorded: Recorded,
}

impl Recorder {
    fn new(plan: Plan, socket: PacketSocket, kept: Option<Kept<BufWriter<File>>>) -> Self {
        Self {
            plan,
            socket,
            kept,
            windows: Windows::default(),
            buffer: vec![0; SNAP_WHOLE as usize],
            recorded: Recorded::default(),
        }
    }

    fn record(&mut self, told: &OwnedFd, is_roomy: bool) -> Recorded {
        let watched = self.watch(told, is_roomy).and_then(|()| self.socket.take_drops());
        let finished = self.kept.take().map_or(Ok(()), Kept::finish);
        let mut recorded = std::mem::take(&mut self.recorded);
        match watched.and_then(|dropped| finished.map(|()| dropped)) {
            Ok(dropped) => recorded.lost += dropped,
            Err(error) => recorded.fault = Some(error),
        }
        recorded
    }

    fn watch(&mut self, told: &OwnedFd, is_roomy: bool) -> io::Result<()> {
        loop {
            let is_over = is_told(told, self.socket.descriptor(), is_roomy)?;
            self.take_all()?;
            if is_over {
                return Ok(());
            }
        }
    }

    fn take_all(&mut self) -> io::Result<()> {
        let mut buffer = std::mem::take(&mut self.buffer);
        while let Some(packet) = self.socket.receive(&mut buffer)? {
            // On loopback each packet passes twice; the one that arrives is kept.
            if !(packet.is_outgoing && self.plan.interface == LOOPBACK) {
                self.take(&buffer[..packet.size], packet.at_ns)?;
            }
        }
        self.buffer = buffer;
        Ok(())
    }

    fn take(&mut self, packet: &[u8], at_ns: u64) -> io::Result<()> {
        let Some(seen) = segment::parse(packet, at_ns, &self.plan.ports) else { return Ok(()) };
        let scaled = self.windows.scaled(&seen);
        if self.recorded.segments.len() >= self.plan.most {
            self.recorded.lost += 1;
            return Ok(());
        }
        self.recorded.segments.push(scaled);
        match &mut self.kept {
            Some(kept) => kept.add(packet, at_ns, seen.packet_bytes),
            None => Ok(()),
        }
    }
}

/// Waits a while, and says whether the recording is to end.
fn is_told(told: &OwnedFd, socket: &OwnedFd, is_roomy: bool) -> io::Result<bool> {
    let mut both = [PollFd::new(told, PollFlags::IN), PollFd::new(socket, PollFlags::IN)];
    let waited_for = if is_roomy { 1 } else { 2 };
    match poll(&mut both[..waited_for], Some(&LOOK_EVERY)) {
        Ok(_) | Err(rustix::io::Errno::INTR) => Ok(!both[0].revents().is_empty()),
        Err(error) => Err(error.into()),
    }
}
