//! A link: two ends, and the thread that moves packets between them.

use std::io;
use std::net::{Ipv4Addr, Ipv6Addr};
use std::os::fd::OwnedFd;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{Sender, channel, sync_channel};
use std::thread::{self, JoinHandle};

use fetchoff_names::Queries;
use rustix::event::{EventfdFlags, eventfd};
use serde::{Deserialize, Serialize};

use crate::clock;
use crate::devices::{self, End, Settings};
use crate::engine::{Engine, Order, Placement, Ports, Reading};
use crate::names::{Known, Names};
use crate::namespaces::{Namespace, in_context};
use crate::packet_socket::PacketSocket;
use crate::port::{Port, Segments};
use crate::profile::Parameters;
use crate::tun::Tun;
use crate::wire::{Direction, Wire};

/// How packets are exchanged with the kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Backend {
    /// A TUN device at each end.
    Tun,
    /// Packet sockets on pairs of virtual Ethernet devices.
    PacketSocket,
}

/// How a link is to be made.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The client's namespace; a new one if not given.
    pub near: Option<String>,
    /// The origin's namespace; a new one if not given.
    pub far: Option<String>,
    /// The backend; if not given, TUN where that is permitted.
    pub backend: Option<Backend>,
    /// The largest packet.
    pub mtu: u32,
    /// The TCP congestion control over the link.
    pub congestion: Option<String>,
    /// From near to far.
    pub up: Parameters,
    /// From far to near.
    pub down: Parameters,
}

/// What others need to know of one end.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Endpoint {
    /// The path of the namespace, which can be joined by `setns`.
    pub namespace: PathBuf,
    /// The device in it.
    pub device: String,
    /// The address of this end.
    pub ipv4: Ipv4Addr,
    /// The IPv6 address of this end, if the kernel supports IPv6.
    pub ipv6: Option<Ipv6Addr>,
    /// The TCP congestion control of this end.
    pub congestion: String,
}

/// What has happened on a link so far.
#[derive(Clone, Debug)]
pub struct Report {
    /// Time since the link was opened.
    pub elapsed_ns: u64,
    /// The report of the thread.
    pub reading: Reading,
    /// Packets that were dropped before the thread could read them, by direction: up, down.
    pub overruns: [u64; 2],
}

/// A running link. Dropping it removes everything that was made for it.
#[derive(Debug)]
pub struct Link {
    backend: Backend,
    near: Endpoint,
    far: Endpoint,
    // The paths of the endpoints lead to these open files.
    namespaces: [Namespace; 2],
    owns_namespaces: bool,
    names: Option<Names>,
    ports: PortsOfLink,
    orders: Option<Sender<Order>>,
    wakeup: Arc<OwnedFd>,
    thread: Option<JoinHandle<io::Result<()>>>,
    opened_ns: u64,
}

struct PortsOfLink(Ports);

impl std::fmt::Debug for PortsOfLink {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_tuple("Ports").finish_non_exhaustive()
    }
}

impl Link {
    /// Makes the link of a plan. Links of one process must differ in `network`.
    pub fn open(plan: &Plan, network: u8, placement: Placement) -> io::Result<Self> {
        let namespaces = [namespace(plan.near.as_deref())?, namespace(plan.far.as_deref())?];
        let settings =
            |end| Settings { end, network, mtu: plan.mtu, congestion: plan.congestion.clone() };
        let ends = [settings(End::Near), settings(End::Far)];
        let (backend, ports) = open_ports(plan, &namespaces)?;
        let [near, far] = [0, 1].map(|side| endpoint(&namespaces[side], &ends[side]));
        let (near, far) = (near?, far?);
        let ports = ports.started()?;
        let parameters = [plan.up, plan.down];
        for (port, parameters) in ports.iter().zip(parameters) {
            port.set_segments(segments(&parameters))?;
        }
        let wires = [
            Wire::new(Direction::Up, plan.mtu, plan.up),
            Wire::new(Direction::Down, plan.mtu, plan.down),
        ];
        let wakeup = Arc::new(eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)?);
        let (orders, orders_of_engine) = channel();
        let engine = Engine::new(ports.clone(), wires, orders_of_engine, wakeup.clone())?;
        let thread = thread::Builder::new()
            .name("fetchoff-link".to_owned())
            .spawn(move || engine.run(placement))?;
        let mut link = Self {
            backend,
            near,
            far,
            namespaces,
            owns_namespaces: plan.near.is_none() && plan.far.is_none(),
            names: None,
            ports: PortsOfLink(ports),
            orders: Some(orders),
            wakeup,
            thread: Some(thread),
            opened_ns: clock::now_ns(),
        };
        // The first answer shows that the thread runs with the placement that was asked for.
        link.report()?;
        Ok(link)
    }

    /// The backend that was chosen.
    pub fn backend(&self) -> Backend {
        self.backend
    }

    /// The client's end.
    pub fn near(&self) -> &Endpoint {
        &self.near
    }

    /// The origin's end.
    pub fn far(&self) -> &Endpoint {
        &self.far
    }

    /// Changes the parameters of one direction for the packets that arrive from now on.
    pub fn set_parameters(
        &mut self,
        direction: Direction,
        parameters: Parameters,
    ) -> io::Result<()> {
        self.order(Order::Parameters(direction, parameters))
    }

    /// Begins or stops dropping every packet of one direction.
    pub fn set_black_hole(&mut self, direction: Direction, is_on: bool) -> io::Result<()> {
        self.order(Order::BlackHole(direction, is_on))
    }

    /// Lets clients look up a name, by this from now on.
    ///
    /// Names change settings and routes that no device takes with it when it disappears, so they
    /// need namespaces that disappear too.
    pub fn set_names(&mut self, known: Known) -> io::Result<()> {
        if !self.owns_namespaces {
            let message = "names need a link whose namespaces the emulator creates: open one \
                           without near and far";
            return Err(io::Error::new(io::ErrorKind::InvalidInput, message));
        }
        let [near, far] = &self.namespaces;
        let names = match &mut self.names {
            Some(names) => names,
            none => none.insert(Names::start(near, far)?),
        };
        names.set(known, far)
    }

    /// What clients have looked up since the last call; `None` if there are no names.
    pub fn take_queries(&self) -> Option<Queries> {
        self.names.as_ref().map(Names::take_queries)
    }

    /// Reports what has happened so far. Orders that were given before have been carried out by
    /// then.
    pub fn report(&mut self) -> io::Result<Report> {
        let (answer, reading) = sync_channel(1);
        self.order(Order::Read(answer))?;
        let Ok(reading) = reading.recv() else { return Err(self.failure()) };
        Ok(Report {
            elapsed_ns: clock::now_ns() - self.opened_ns,
            reading,
            overruns: [self.ports.0[0].overruns()?, self.ports.0[1].overruns()?],
        })
    }

    fn order(&mut self, order: Order) -> io::Result<()> {
        let Some(orders) = &self.orders else { return Err(self.failure()) };
        if orders.send(order).is_err() {
            return Err(self.failure());
        }
        self.wake()
    }

    fn wake(&self) -> io::Result<()> {
        match rustix::io::write(&*self.wakeup, &1_u64.to_ne_bytes()) {
            // The counter is full, so the thread will wake up anyway.
            Ok(_) | Err(rustix::io::Errno::AGAIN) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    /// The error with which the thread ended.
    fn failure(&mut self) -> io::Error {
        self.orders = None;
        let outcome = self.thread.take().map(JoinHandle::join);
        match outcome {
            Some(Ok(Err(error))) => in_context("the link broke", &error),
            _ => io::Error::other("the link broke before; close it"),
        }
    }
}

impl Drop for Link {
    fn drop(&mut self) {
        self.orders = None;
        let woken = self.wake();
        if let (Ok(()), Some(thread)) = (woken, self.thread.take()) {
            // Its error has been reported, or nobody asked for it.
            let _ = thread.join();
        }
    }
}

/// The ports of one backend, before their devices are up.
enum UnstartedPorts {
    Tun([Tun; 2]),
    PacketSocket([PacketSocket; 2]),
}

impl UnstartedPorts {
    fn started(self) -> io::Result<Ports> {
        let boxed: [Box<dyn Port>; 2] = match self {
            Self::Tun([mut near, mut far]) => {
                near.start_counting()?;
                far.start_counting()?;
                [Box::new(near), Box::new(far)]
            }
            Self::PacketSocket([mut near, mut far]) => {
                near.start_counting()?;
                far.start_counting()?;
                [Box::new(near), Box::new(far)]
            }
        };
        Ok(Arc::new(boxed))
    }
}

fn namespace(path: Option<&str>) -> io::Result<Namespace> {
    if let Some(path) = path {
        return Namespace::open(path);
    }
    let namespace = Namespace::create()
        .map_err(|error| in_context("cannot make a network namespace", &error))?;
    namespace.inside(devices::prepare_namespace)?;
    Ok(namespace)
}

fn open_ports(plan: &Plan, namespaces: &[Namespace; 2]) -> io::Result<(Backend, UnstartedPorts)> {
    match plan.backend {
        Some(Backend::Tun) => Ok((Backend::Tun, tun(namespaces)?)),
        Some(Backend::PacketSocket) => {
            Ok((Backend::PacketSocket, packet_sockets(namespaces, plan.mtu)?))
        }
        None => match tun(namespaces) {
            Ok(ports) => Ok((Backend::Tun, ports)),
            Err(without_tun) => match packet_sockets(namespaces, plan.mtu) {
                Ok(ports) => Ok((Backend::PacketSocket, ports)),
                Err(error) => Err(in_context(&format!("{without_tun}; and without TUN"), &error)),
            },
        },
    }
}

fn tun([near, far]: &[Namespace; 2]) -> io::Result<UnstartedPorts> {
    Ok(UnstartedPorts::Tun([
        Tun::open(End::Near, near.try_clone()?)?,
        Tun::open(End::Far, far.try_clone()?)?,
    ]))
}

fn packet_sockets([near, far]: &[Namespace; 2], mtu: u32) -> io::Result<UnstartedPorts> {
    let middle = Namespace::create()
        .map_err(|error| in_context("cannot make a network namespace", &error))?;
    middle.inside(|| {
        devices::silence_namespace();
        Ok(())
    })?;
    // The open sockets keep the namespace, and with it the devices, alive.
    Ok(UnstartedPorts::PacketSocket([
        PacketSocket::open(End::Near, near.try_clone()?, &middle, mtu)?,
        PacketSocket::open(End::Far, far.try_clone()?, &middle, mtu)?,
    ]))
}

fn endpoint(namespace: &Namespace, settings: &Settings) -> io::Result<Endpoint> {
    let (ipv6, default) =
        namespace.inside(|| Ok((devices::bring_up(settings)?, devices::default_congestion()?)))?;
    Ok(Endpoint {
        namespace: namespace.path(),
        device: settings.end.device(),
        ipv4: settings.ipv4(),
        ipv6,
        congestion: settings.congestion.clone().unwrap_or(default),
    })
}

fn segments(parameters: &Parameters) -> Segments {
    if parameters.counts_packets() { Segments::Divided } else { Segments::Whole }
}
