//! A loopback of its own: a namespace with nothing but `lo`, whose receive buffers have one size.

use std::fs;
use std::io;
use std::net::Ipv4Addr;
use std::path::PathBuf;

use crate::devices;
use crate::namespaces::{Namespace, in_context};

/// The smallest, the first and the largest size of a TCP socket's receive buffer (tcp(7)).
const SIZES: &str = "/proc/sys/net/ipv4/tcp_rmem";

/// Whether the kernel changes the size while data arrives (tcp(7)).
const MODERATES: &str = "/proc/sys/net/ipv4/tcp_moderate_rcvbuf";

/// The kernel's own first value of `tcp_rmem`.
pub const SMALLEST_BUFFER: u32 = 4096;

/// More than the largest congestion window that a loopback device could fill.
pub const LARGEST_BUFFER: u32 = 1 << 30;

/// A running loopback. Dropping it gives up the namespace, which the kernel then removes once no
/// process is in it.
#[derive(Debug)]
pub struct Loopback {
    namespace: Namespace,
    congestion: String,
}

impl Loopback {
    /// Makes a namespace in which `lo` is up and all receive buffers of TCP have `receive_buffer`
    /// bytes, except those whose size a program sets.
    pub fn open(receive_buffer: u32) -> io::Result<Self> {
        let namespace = Namespace::create()
            .map_err(|error| in_context("cannot make a network namespace", &error))?;
        let congestion = namespace.inside(|| {
            devices::prepare_namespace().map_err(|error| in_context("cannot set up lo", &error))?;
            write(SIZES, &format!("{SMALLEST_BUFFER} {receive_buffer} {receive_buffer}"))?;
            write(MODERATES, "0")?;
            devices::default_congestion()
        })?;
        Ok(Self { namespace, congestion })
    }

    /// The path of the namespace, which can be joined by `setns`.
    pub fn namespace(&self) -> PathBuf {
        self.namespace.path()
    }

    /// The address at which processes in it reach each other.
    pub const fn ipv4() -> Ipv4Addr {
        Ipv4Addr::LOCALHOST
    }

    /// The TCP congestion control in it.
    pub fn congestion(&self) -> &str {
        &self.congestion
    }
}

fn write(setting: &str, value: &str) -> io::Result<()> {
    fs::write(setting, value).map_err(|error| in_context(&format!("cannot set {setting}"), &error))
}
