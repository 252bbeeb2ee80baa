//! The network devices at the ends of a link, with their addresses, routes and settings (by
//! netlink).

use std::fs;
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::os::fd::{AsFd as _, AsRawFd as _};

use rtnetlink::packet_route::address::{AddressAttribute, AddressFlags};
use rtnetlink::packet_route::link::{InfoData, InfoKind, InfoVeth, LinkMessage};
use rtnetlink::packet_route::route::{
    RouteAttribute, RouteMessage, RouteMetric, RouteScope, RouteType,
};
use rtnetlink::{Handle, LinkMessageBuilder, LinkUnspec, LinkVeth, RouteMessageBuilder};
use rustix::net::{AddressFamily, SocketType, netdevice, socket};
use tokio::runtime;

use crate::namespaces::{Namespace, in_context};

/// The names of all the emulator's devices begin with this.
pub const PREFIX: &str = "fetchoff-";

/// The length of a device's transmit queue, so that no packets are lost while the emulator pauses.
pub const BACKLOG_PACKETS: u32 = 10_000;

/// RFC 2544 reserves 198.18.0.0/15 for benchmarks, RFC 5180 `2001:2::/48`.
const IPV4_NETWORK: (u8, u8) = (198, 18);
const IPV6_NETWORK: (u16, u16) = (0x2001, 2);
const IPV4_PREFIX: u8 = 24;
const IPV6_PREFIX: u8 = 64;

/// A locally administered address, the same at both ends, so that frames cross without being
/// rewritten.
pub const HARDWARE_ADDRESS: [u8; 6] = [0x02, 0x66, 0x65, 0x74, 0x63, 0x68];

const AVAILABLE_CONGESTION: &str = "/proc/sys/net/ipv4/tcp_available_congestion_control";
const CONGESTION: &str = "/proc/sys/net/ipv4/tcp_congestion_control";

/// The two ends of a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// The client's end.
    Near,
    /// The origin's end.
    Far,
}

impl End {
    /// The name of the end's device.
    pub fn device(self) -> String {
        match self {
            Self::Near => format!("{PREFIX}near"),
            Self::Far => format!("{PREFIX}far"),
        }
    }

    fn host(self) -> u8 {
        match self {
            Self::Near => 1,
            Self::Far => 2,
        }
    }
}

/// The settings of an end's device.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The end that it belongs to.
    pub end: End,
    /// The number of the link's network; each link of a process has its own.
    pub network: u8,
    /// The largest packet.
    pub mtu: u32,
    /// The TCP congestion control on its routes; the namespace's default if not given.
    pub congestion: Option<String>,
}

impl Settings {
    /// The end's IPv4 address.
    pub fn ipv4(&self) -> Ipv4Addr {
        Ipv4Addr::new(IPV4_NETWORK.0, IPV4_NETWORK.1, self.network, self.end.host())
    }

    /// The end's IPv6 address.
    pub fn ipv6(&self) -> Ipv6Addr {
        let (first, second) = IPV6_NETWORK;
        let host = u16::from(self.end.host());
        Ipv6Addr::new(first, second, 0, u16::from(self.network), 0, 0, 0, host)
    }

    fn ipv4_route(&self, device: u32) -> RouteMessage {
        let network = Ipv4Addr::from(u32::from(self.ipv4()) & (u32::MAX << (32 - IPV4_PREFIX)));
        RouteMessageBuilder::<Ipv4Addr>::new()
            .destination_prefix(network, IPV4_PREFIX)
            .output_interface(device)
            .scope(RouteScope::Link)
            .build()
    }

    fn ipv6_route(&self, device: u32) -> RouteMessage {
        let network = Ipv6Addr::from(u128::from(self.ipv6()) & (u128::MAX << (128 - IPV6_PREFIX)));
        RouteMessageBuilder::<Ipv6Addr>::new()
            .destination_prefix(network, IPV6_PREFIX)
            .output_interface(device)
            .build()
    }
}

/// Sets up the end's device, which must be in the calling thread's namespace: addresses, routes,
/// MTU.
///
/// Returns its IPv6 address if the kernel supports IPv6.
pub fn bring_up(settings: &Settings) -> io::Result<Option<Ipv6Addr>> {
    let index = index_of(&settings.end.device())?;
    // Without autoconfiguration the kernel sends no packets of its own on the device.
    let quiet = format!("/proc/sys/net/ipv6/conf/{}/addr_gen_mode", settings.end.device());
    let speaks_ipv6 = fs::write(quiet, "1").is_ok();
    netlink(async |handle| {
        let link = LinkUnspec::new_with_index(index)
            .mtu(settings.mtu)
            .txqueuelen(BACKLOG_PACKETS)
            .arp(false)
            .up();
        handle.link().set(link.build()).execute().await?;
        add_address(&handle, index, settings.ipv4().into(), IPV4_PREFIX).await
    })
    .map_err(|error| in_context(&format!("cannot set up {}", settings.end.device()), &error))?;
    add_route(settings, settings.ipv4_route(index))?;
    if !speaks_ipv6 {
        return Ok(None);
    }
    let added = netlink(async |handle| {
        add_address(&handle, index, settings.ipv6().into(), IPV6_PREFIX).await
    });
    if added.is_err() {
        return Ok(None);
    }
    add_route(settings, settings.ipv6_route(index))?;
    Ok(Some(settings.ipv6()))
}

/// Makes a veth pair: the end's device in `namespace`, its peer in the calling thread's.
pub fn make_pair(end: End, namespace: &Namespace, mtu: u32) -> io::Result<String> {
    let ours = format!("{}-x", end.device());
    let theirs = LinkUnspec::new_with_name(&end.device())
        .address(HARDWARE_ADDRESS.to_vec())
        .mtu(mtu)
        .setns_by_fd(namespace.as_fd().as_raw_fd());
    let pair = LinkMessageBuilder::<LinkVeth>::new_with_info_kind(InfoKind::Veth)
        .set_info_data(InfoData::Veth(InfoVeth::Peer(theirs.build())))
        .name(ours.as_str())
        .mtu(mtu)
        .arp(false)
        .up();
    netlink(async |handle| handle.link().add(pair.build()).execute().await)
        .map_err(|error| in_context(&format!("cannot make {}", end.device()), &error))?;
    Ok(ours)
}

/// Prepares the calling thread's namespace, which has just been made, for a client or an origin.
pub fn prepare_namespace() -> io::Result<()> {
    bring_up_loopback()?;
    // TCP must not start a connection with what it has learned from an earlier one.
    fs::write("/proc/sys/net/ipv4/tcp_no_metrics_save", "1")
}

/// Lets processes in the calling thread's namespace reach each other at 127.0.0.1 and `::1`.
fn bring_up_loopback() -> io::Result<()> {
    let loopback = index_of("lo")?;
    netlink(async |handle| {
        let link: LinkMessage = LinkUnspec::new_with_index(loopback).up().build();
        handle.link().set(link).execute().await
    })
}

/// Prepares the calling thread's namespace, which has just been made, to hold only peers of
/// devices.
pub fn silence_namespace() {
    // This fails where the kernel has no IPv6, and then it is not needed.
    let _ = fs::write("/proc/sys/net/ipv6/conf/default/disable_ipv6", "1");
}

/// The default TCP congestion control of the calling thread's namespace.
pub fn default_congestion() -> io::Result<String> {
    Ok(fs::read_to_string(CONGESTION)?.trim().to_owned())
}

/// The index of a device in the calling thread's namespace.
pub fn index_of(device: &str) -> io::Result<u32> {
    let any = socket(AddressFamily::INET, SocketType::DGRAM, None)?;
    netdevice::name_to_index(any, device)
        .map_err(|error| in_context(&format!("no device {device}"), &error.into()))
}

/// Packets that a device of the calling thread's namespace was given to send, and dropped.
pub fn dropped_at(device: &str) -> io::Result<u64> {
    /// The columns of received packets, and of sent packets up to their drops.
    const SENT_DROPS: usize = 8 + 3;
    let statistics = fs::read_to_string("/proc/thread-self/net/dev")?;
    statistics
        .lines()
        .filter_map(|line| line.split_once(':'))
        .find(|(name, _)| name.trim() == device)
        .and_then(|(_, columns)| columns.split_ascii_whitespace().nth(SENT_DROPS)?.parse().ok())
        .ok_or_else(|| io::Error::other(format!("the kernel counts nothing for {device}")))
}

async fn add_address(
    handle: &Handle,
    device: u32,
    address: IpAddr,
    prefix: u8,
) -> Result<(), rtnetlink::Error> {
    let mut request = handle.address().add(device, address, prefix);
    // Usable at once, and without a route: that is added separately, with the congestion control.
    let flags = AddressFlags::Nodad | AddressFlags::Noprefixroute;
    request.message_mut().attributes.push(AddressAttribute::Flags(flags));
    request.execute().await
}

fn add_route(settings: &Settings, mut route: RouteMessage) -> io::Result<()> {
    if let Some(congestion) = &settings.congestion {
        let metric = RouteMetric::CcAlgo(congestion.clone());
        route.attributes.push(RouteAttribute::Metrics(vec![metric]));
    }
    netlink(async |handle| handle.route().add(route).execute().await).map_err(|error| {
        match &settings.congestion {
            Some(congestion) if error.kind() == io::ErrorKind::InvalidInput => {
                let available = fs::read_to_string(AVAILABLE_CONGESTION).unwrap_or_default();
                io::Error::new(
                    io::ErrorKind::InvalidInput,
                    format!("no congestion control {congestion}; there are: {}", available.trim()),
                )
            }
            _ => in_context(&format!("cannot add a route to {}", settings.end.device()), &error),
        }
    })
}

/// Lets the calling thread's namespace say of an address that it can't be reached.
pub fn add_unreachable(address: IpAddr) -> io::Result<()> {
    netlink(async |handle| handle.route().add(unreachable(address)).execute().await)
        .map_err(|error| in_context(&format!("cannot make {address} unreachable"), &error))
}

/// Lets the calling thread's namespace say nothing of an address that isn't its own.
pub fn remove_unreachable(address: IpAddr) -> io::Result<()> {
    netlink(async |handle| handle.route().del(unreachable(address)).execute().await)
        .map_err(|error| in_context(&format!("cannot make {address} a black hole"), &error))
}

fn unreachable(address: IpAddr) -> RouteMessage {
    let kind = RouteType::Unreachable;
    match address {
        IpAddr::V4(address) => RouteMessageBuilder::<Ipv4Addr>::new()
            .destination_prefix(address, Ipv4Addr::BITS as u8)
            .kind(kind)
            .build(),
        IpAddr::V6(address) => RouteMessageBuilder::<Ipv6Addr>::new()
            .destination_prefix(address, Ipv6Addr::BITS as u8)
            .kind(kind)
            .build(),
    }
}

/// Sends netlink requests about the calling thread's namespace.
fn netlink<T>(ask: impl AsyncFnOnce(Handle) -> Result<T, rtnetlink::Error>) -> io::Result<T> {
    let runtime = runtime::Builder::new_current_thread().enable_io().build()?;
    runtime.block_on(async {
        let (connection, handle, _) = rtnetlink::new_connection()?;
        let connection = tokio::spawn(connection);
        let answer = ask(handle).await.map_err(as_io);
        connection.abort();
        answer
    })
}

fn as_io(error: rtnetlink::Error) -> io::Error {
    match error {
        rtnetlink::Error::NetlinkError(error) => error.to_io(),
        other => io::Error::other(other.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_those_of_benchmarks() {
        let settings = Settings { end: End::Far, network: 3, mtu: 1500, congestion: None };
        assert_eq!(settings.ipv4().to_string(), "198.18.3.2");
        assert_eq!(settings.ipv6().to_string(), "2001:2:0:3::2");
    }

    #[test]
    fn names_fit_and_say_whose_they_are() {
        for end in [End::Near, End::Far] {
            let longest = format!("{}-x", end.device());
            assert!(longest.len() < libc::IFNAMSIZ && longest.starts_with(PREFIX), "{longest}");
        }
    }

    #[test]
    fn drops_are_read_by_name() {
        assert!(dropped_at("lo").is_ok());
        assert!(dropped_at("fetchoff-none").is_err());
    }
}
