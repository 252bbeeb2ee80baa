//! An emulated network path: IP packets move between two network namespaces with delay, jitter, a
//! rate, a bounded queue and seeded loss. And a loopback in a network namespace of its own.
//!
//! The modules that decide about packets (`profile`, `loss`, `queue`, `store`, `wire`) are pure:
//! they are given the time. The modules that move packets (`tun`, `packet_socket`, `engine`) use
//! Linux.

mod absence;
mod clock;
mod control;
mod counters;
mod devices;
mod engine;
mod link;
mod loopback;
mod loss;
mod names;
mod namespaces;
mod packet;
mod packet_socket;
mod port;
mod profile;
mod queue;
mod random;
mod request;
mod resolver;
mod rights;
mod store;
mod tun;
mod waking;
mod wire;

pub use control::{Answer, Control, DirectionReport, Greeting};
pub use counters::{Counts, Lateness, LatenessSummary};
pub use engine::Placement;
pub use link::{Backend, Endpoint, Link, Plan, Report};
pub use loopback::Loopback;
pub use names::Known;
pub use namespaces::{enter, isolate};
pub use profile::{Bottleneck, Bursts, Invalid, Limit, Loss, Parameters, Profile};
pub use resolver::own_resolver;
pub use rights::keep_packet_sockets;
pub use wire::{Direction, Wire};
