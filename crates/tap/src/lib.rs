//! A tap on a network device: which TCP segments passed it, and when.
//!
//! The modules that decide about packets (`filter`, `segment`, `windows`, `kept`) are pure or write
//! a file; `watching` reads a packet socket on a thread, and `control` speaks with the harness.

mod control;
mod filter;
mod kept;
mod segment;
mod watching;
mod windows;

pub use control::{Answer, Control, Greeting};
pub use segment::{Segment, Sender};
