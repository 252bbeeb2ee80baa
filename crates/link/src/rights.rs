//! The right to see packets, which a command would lose when it is started (capabilities(7)).

use std::io;

use rustix::io::Errno;
use rustix::thread::{
    CapabilitySet, capabilities, configure_capability_in_ambient_set, set_capabilities,
};

use crate::namespaces::in_context;

/// Lets the command that replaces this process open packet sockets in its network namespace.
///
/// Whoever joins a user namespace has all capabilities in it. A program that is started there by
/// anybody but root has only those that are ambient.
pub fn keep_packet_sockets() -> io::Result<()> {
    let in_context = |error: Errno| in_context("cannot keep CAP_NET_RAW", &error.into());
    let mut sets = capabilities(None).map_err(in_context)?;
    sets.inheritable |= CapabilitySet::NET_RAW;
    set_capabilities(None, sets).map_err(in_context)?;
    configure_capability_in_ambient_set(CapabilitySet::NET_RAW, true).map_err(in_context)
}
