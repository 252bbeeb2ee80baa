//! Names on a link: what a client that looks up the origin is told, and which of the addresses
//! answer.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::net::{IpAddr, Ipv4Addr, UdpSocket};
use std::time::Duration;

use fetchoff_names::{Queries, Server, Zone};

use crate::devices;
use crate::namespaces::{Namespace, in_context};

/// Where the client's end asks: resolv.conf(5) can't name another port.
const SERVER: (Ipv4Addr, u16) = (Ipv4Addr::LOCALHOST, 53);

/// How seldom the kernel tells that an address can't be reached (ip-sysctl): an attempt after
/// another would otherwise wait for its own retransmission. They fail where IPv6 is missing.
const ICMP_LIMITS: [&str; 2] =
    ["/proc/sys/net/ipv4/icmp_ratelimit", "/proc/sys/net/ipv6/icmp/ratelimit"];

/// What there is to know about the origin's name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Known {
    /// The name.
    pub name: String,
    /// Its addresses, in the order in which they are told.
    pub addresses: Vec<IpAddr>,
    /// How much later than it comes a query is answered.
    pub delay: Duration,
    /// Addresses of nobody that the origin's end says so of (ICMP). Those of nobody that aren't
    /// among them are black holes.
    pub unreachable: BTreeSet<IpAddr>,
}

/// The name server at the client's end, and what was changed at the origin's end.
#[derive(Debug)]
pub struct Names {
    server: Server,
    unreachable: BTreeSet<IpAddr>,
}

impl Names {
    /// Starts the name server of a link that has none.
    pub fn start(near: &Namespace, far: &Namespace) -> io::Result<Self> {
        let socket = near.inside(|| UdpSocket::bind(SERVER)).map_err(|error| {
            in_context(&format!("cannot listen on {}:{}", SERVER.0, SERVER.1), &error)
        })?;
        far.inside(|| {
            for limit in ICMP_LIMITS {
                let _ = fs::write(limit, "0");
            }
            Ok(())
        })?;
        let server = Server::start(socket, Zone::new("", Vec::new()))?;
        Ok(Self { server, unreachable: BTreeSet::new() })
    }

    /// Answers by this from now on.
    pub fn set(&mut self, known: Known, far: &Namespace) -> io::Result<()> {
        let unreachable = &mut self.unreachable;
        far.inside(|| {
            // What was done before something fails is kept in mind.
            for &address in &known.unreachable {
                if !unreachable.contains(&address) {
                    devices::add_unreachable(address)?;
                    unreachable.insert(address);
                }
            }
            for address in unreachable.clone() {
                if !known.unreachable.contains(&address) {
                    devices::remove_unreachable(address)?;
                    unreachable.remove(&address);
                }
            }
            Ok(())
        })?;
        self.server.set(Zone::new(&known.name, known.addresses), known.delay);
        Ok(())
    }

    /// The queries since the last call.
    pub fn take_queries(&self) -> Queries {
        self.server.take_queries()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn namespace() -> io::Result<Namespace> {
        let namespace = Namespace::create()?;
        namespace.inside(devices::prepare_namespace)?;
        Ok(namespace)
    }

    #[test]
    fn what_failed_half_way_can_be_asked_for_again() {
        let (Ok(near), Ok(far)) = (namespace(), namespace()) else {
            eprintln!("not tested: network namespaces are not permitted here");
            return;
        };
        let mut names = Names::start(&near, &far).unwrap();
        let [first, second] = [1, 2].map(|host| IpAddr::from([198, 18, 9, host]));
        let known = Known {
            name: "origin.test".to_owned(),
            addresses: vec![first],
            delay: Duration::ZERO,
            unreachable: BTreeSet::from([first, second]),
        };
        far.inside(|| devices::add_unreachable(second)).unwrap();
        let error = names.set(known.clone(), &far).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::AlreadyExists, "{error}");
        far.inside(|| devices::remove_unreachable(second)).unwrap();
        names.set(known.clone(), &far).unwrap();
        names.set(Known { unreachable: BTreeSet::new(), ..known }, &far).unwrap();
        for address in [first, second] {
            far.inside(|| devices::add_unreachable(address)).unwrap();
        }
    }
}
