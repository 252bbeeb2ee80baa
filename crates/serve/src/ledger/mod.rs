//! What really arrived and what really left. Each listener has one ledger, whose counters are read
//! by the harness; each connection has one record, which turns events (bytes read, a head complete,
//! a close) into counts, and tells them to whoever watches.

pub mod counters;
pub mod events;
pub mod tcp_info;
pub mod watch;
