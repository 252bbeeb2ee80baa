//! The control channel: the harness opens, changes, reads and closes links, and opens and closes
//! loopbacks.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::net::{IpAddr, Ipv4Addr};
use std::path::PathBuf;
use std::time::Duration;

use fetchoff_names::Query;
use serde::{Deserialize, Serialize};

use crate::counters::{Counts, LatenessSummary};
use crate::engine::Placement;
use crate::link::{Backend, Endpoint, Link, Plan, Report};
use crate::loopback::{LARGEST_BUFFER, Loopback, SMALLEST_BUFFER};
use crate::names::Known;
use crate::profile::Profile;
use crate::wire::Direction;

const PROTOCOL: u32 = 2;

/// The smallest MTU that IPv6 allows (RFC 8200, section 5).
const SMALLEST_MTU: u32 = 1280;
const LARGEST_MTU: u32 = 65_521;

/// The longest delay of an answer to a query, as of a packet.
const LONGEST_DELAY_MS: f64 = 60_000.0;

/// Each link has an IP network of its own; their numbers begin at 1.
const NETWORKS: u64 = 254;

/// The first line, which the emulator writes without being asked.
#[derive(Clone, Debug, Serialize)]
pub struct Greeting {
    emulator: &'static str,
    version: &'static str,
    pid: u32,
    protocol: u32,
    user_namespace: Option<PathBuf>,
}

impl Greeting {
    /// The greeting of this process. `user_namespace` is the one that it had to make, if any.
    pub fn of_this_process(version: &'static str, user_namespace: Option<PathBuf>) -> Self {
        let pid = std::process::id();
        Self { emulator: "fetchoff-link", version, pid, protocol: PROTOCOL, user_namespace }
    }
}

type Id = u64;

#[derive(Debug, Deserialize)]
#[serde(tag = "op", rename_all = "snake_case", deny_unknown_fields)]
enum Request {
    Open {
        near: Option<String>,
        far: Option<String>,
        backend: Option<Backend>,
        #[serde(default = "ethernet_mtu")]
        mtu: u32,
        congestion: Option<String>,
        #[serde(default)]
        up: Profile,
        #[serde(default)]
        down: Profile,
    },
    Set {
        link: Id,
        up: Option<Profile>,
        down: Option<Profile>,
        #[serde(default)]
        black_hole: BlackHole,
    },
    Read {
        link: Id,
    },
    Loopback {
        receive_buffer: u32,
    },
    Names {
        link: Id,
        name: String,
        addresses: Vec<IpAddr>,
        #[serde(default)]
        delay_ms: f64,
        #[serde(default)]
        unreachable: BTreeSet<IpAddr>,
    },
    Queries {
        link: Id,
    },
    Close {
        link: Option<Id>,
        loopback: Option<Id>,
    },
}

fn ethernet_mtu() -> u32 {
    1500
}

/// Whether each direction becomes or stops being a black hole; `None` changes nothing.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct BlackHole {
    up: Option<bool>,
    down: Option<bool>,
}

/// An answer to the harness, one line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum Answer {
    /// A link was opened.
    Opened {
        /// The new link.
        link: u64,
        /// How packets are exchanged with the kernel.
        backend: Backend,
        /// The largest packet.
        mtu: u32,
        /// The client's end.
        near: Box<Endpoint>,
        /// The origin's end.
        far: Box<Endpoint>,
    },
    /// What happened on a link.
    Counted {
        /// The link.
        link: u64,
        /// Time since it was opened.
        elapsed_ns: u64,
        /// CPU time of the link's thread.
        cpu_ns: u64,
        /// Time for which the thread was ready to run, but other threads ran.
        waited_ns: u64,
        /// From the client to the origin.
        up: Box<DirectionReport>,
        /// From the origin to the client.
        down: Box<DirectionReport>,
    },
    /// A loopback of its own was opened.
    OpenedLoopback {
        /// The new loopback.
        loopback: u64,
        /// The path of its namespace, which can be joined by `setns`.
        namespace: PathBuf,
        /// The address at which processes in it reach each other.
        ipv4: Ipv4Addr,
        /// The size of TCP's receive buffers in it, in bytes.
        receive_buffer: u32,
        /// The TCP congestion control in it.
        congestion: String,
    },
    /// A loopback was closed.
    ClosedLoopback {
        /// The loopback.
        loopback: u64,
    },
    /// What clients have looked up.
    Asked {
        /// The link.
        link: u64,
        /// The queries, in the order in which they came.
        queries: Vec<Query>,
        /// Queries that were answered, but not remembered.
        lost: u64,
    },
    /// A setting was changed.
    Set {
        /// The link.
        link: u64,
    },
    /// The request could not be carried out.
    Error {
        /// Why.
        error: String,
    },
}

/// What happened in one direction.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct DirectionReport {
    /// Its packets.
    #[serde(flatten)]
    pub counts: Counts,
    /// Packets that were dropped before the emulator could read them. Unintended loss, so the
    /// result is invalid.
    pub overruns: u64,
    /// How late packets left.
    pub lateness: LatenessSummary,
}

impl Answer {
    /// An answer that tells what was wrong.
    pub fn error(error: &(impl ToString + ?Sized)) -> Self {
        Self::Error { error: error.to_string() }
    }

    fn counted(link: Id, report: Report) -> Self {
        let [up, down] = report.overruns;
        let report_of =
            |(counts, lateness), overruns| Box::new(DirectionReport { counts, overruns, lateness });
        Self::Counted {
            link,
            elapsed_ns: report.elapsed_ns,
            cpu_ns: report.reading.cpu_ns,
            waited_ns: report.reading.waited_ns,
            up: report_of(report.reading.up, up),
            down: report_of(report.reading.down, down),
        }
    }
}

/// The links and loopbacks of one harness.
#[derive(Debug)]
pub struct Control {
    placement: Placement,
    links: BTreeMap<Id, Link>,
    loopbacks: BTreeMap<Id, Loopback>,
    opened: Id,
}

impl Control {
    /// Runs the threads of links with this placement.
    pub fn new(placement: Placement) -> Self {
        Self { placement, links: BTreeMap::new(), loopbacks: BTreeMap::new(), opened: 0 }
    }

    /// Carries out one request.
    pub fn answer(&mut self, line: &[u8]) -> Answer {
        match serde_json::from_slice(line) {
            Ok(request) => self.follow(request).unwrap_or_else(|error| Answer::error(&error)),
            Err(error) => Answer::error(&error),
        }
    }

    fn follow(&mut self, request: Request) -> Result<Answer, String> {
        match request {
            Request::Open { near, far, backend, mtu, congestion, up, down } => {
                if !(SMALLEST_MTU..=LARGEST_MTU).contains(&mtu) {
                    return Err(format!(
                        "mtu is {mtu}; it must be between {SMALLEST_MTU} and {LARGEST_MTU}"
                    ));
                }
                let up = up.parameters().map_err(|error| format!("up: {error}"))?;
                let down = down.parameters().map_err(|error| format!("down: {error}"))?;
                let plan = Plan { near, far, backend, mtu, congestion, up, down };
                self.open(&plan).map_err(|error| error.to_string())
            }
            Request::Set { link, up, down, black_hole } => {
                let directions =
                    [(Direction::Up, up, black_hole.up), (Direction::Down, down, black_hole.down)];
                self.set(link, directions)
            }
            Request::Read { link } => self.read(link),
            Request::Names { link, name, addresses, delay_ms, unreachable } => {
                if !(0.0..=LONGEST_DELAY_MS).contains(&delay_ms) {
                    return Err(format!(
                        "delay_ms is {delay_ms}; it must be between 0 and {LONGEST_DELAY_MS}"
                    ));
                }
                let delay = Duration::from_secs_f64(delay_ms / 1e3);
                self.set_names(link, Known { name, addresses, delay, unreachable })
            }
            Request::Queries { link } => self.queries(link),
            Request::Loopback { receive_buffer } => {
                if !(SMALLEST_BUFFER..=LARGEST_BUFFER).contains(&receive_buffer) {
                    return Err(format!(
                        "receive_buffer is {receive_buffer}; it must be between \
                         {SMALLEST_BUFFER} and {LARGEST_BUFFER}"
                    ));
                }
                self.open_loopback(receive_buffer).map_err(|error| error.to_string())
            }
            Request::Close { link: Some(link), loopback: None } => {
                let answer = self.read(link);
                self.links.remove(&link).ok_or_else(|| unknown(link))?;
                answer
            }
            Request::Close { link: None, loopback: Some(loopback) } => {
                let closed = self.loopbacks.remove(&loopback);
                closed.ok_or_else(|| format!("no loopback {loopback} is open"))?;
                Ok(Answer::ClosedLoopback { loopback })
            }
            Request::Close { .. } => Err("close needs either a link or a loopback".to_owned()),
        }
    }

    fn open_loopback(&mut self, receive_buffer: u32) -> io::Result<Answer> {
        let opened = Loopback::open(receive_buffer)?;
        self.opened += 1;
        let answer = Answer::OpenedLoopback {
            loopback: self.opened,
            namespace: opened.namespace(),
            ipv4: Loopback::ipv4(),
            receive_buffer,
            congestion: opened.congestion().to_owned(),
        };
        self.loopbacks.insert(self.opened, opened);
        Ok(answer)
    }

    fn open(&mut self, plan: &Plan) -> io::Result<Answer> {
        let network = (self.opened % NETWORKS) as u8 + 1;
        let link = Link::open(plan, network, self.placement)?;
        self.opened += 1;
        let answer = Answer::Opened {
            link: self.opened,
            backend: link.backend(),
            mtu: plan.mtu,
            near: Box::new(link.near().clone()),
            far: Box::new(link.far().clone()),
        };
        self.links.insert(self.opened, link);
        Ok(answer)
    }

    fn set(
        &mut self,
        id: Id,
        directions: [(Direction, Option<Profile>, Option<bool>); 2],
    ) -> Result<Answer, String> {
        let link = self.links.get_mut(&id).ok_or_else(|| unknown(id))?;
        let mut orders = Vec::new();
        for (direction, profile, black_hole) in directions {
            let parameters = profile.map(|profile| profile.parameters()).transpose();
            orders.push((direction, parameters.map_err(|error| error.to_string())?, black_hole));
        }
        for (direction, parameters, black_hole) in orders {
            if let Some(parameters) = parameters {
                link.set_parameters(direction, parameters).map_err(|error| error.to_string())?;
            }
            if let Some(is_on) = black_hole {
                link.set_black_hole(direction, is_on).map_err(|error| error.to_string())?;
            }
        }
        // The thread has carried out the orders when it reports, so the harness can rely on this
        // answer.
        link.report().map_err(|error| error.to_string())?;
        Ok(Answer::Set { link: id })
    }

    fn set_names(&mut self, id: Id, known: Known) -> Result<Answer, String> {
        let link = self.links.get_mut(&id).ok_or_else(|| unknown(id))?;
        link.set_names(known).map_err(|error| error.to_string())?;
        Ok(Answer::Set { link: id })
    }

    fn queries(&self, id: Id) -> Result<Answer, String> {
        let link = self.links.get(&id).ok_or_else(|| unknown(id))?;
        let asked = link.take_queries().ok_or_else(|| format!("link {id} has no names"))?;
        Ok(Answer::Asked { link: id, queries: asked.queries, lost: asked.lost })
    }

    fn read(&mut self, id: Id) -> Result<Answer, String> {
        let link = self.links.get_mut(&id).ok_or_else(|| unknown(id))?;
        let report = link.report().map_err(|error| error.to_string())?;
        Ok(Answer::counted(id, report))
    }
}

fn unknown(link: Id) -> String {
    format!("no link {link} is open")
}
