//! The built-in origin: HTTP routes with deterministic content, and a ledger of what really arrived.
//!
//! Everything runs on one thread (`tokio`'s current-thread runtime inside a `LocalSet`), so state is
//! shared by `Rc` and counted in `Cell`s.

mod answers;
mod authority;
mod bodies;
mod clocks;
mod coding;
mod connection;
mod connections;
mod content;
mod control;
mod counting;
mod documents;
mod echo;
mod forms;
mod frames;
mod gate;
mod ledger;
mod limits;
mod listener;
mod login;
mod multipart;
mod pages;
mod pipe;
mod protocol;
mod received;
mod record;
mod refusal;
mod routes;
mod service;
mod site;
mod socket;
mod store;
mod tls;
mod turns;

pub use authority::Authority;
pub use bodies::{BLOCK_BYTES, bytes};
pub use control::{Answer, Control, Greeting};
pub use documents::document;
pub use forms::canonical;
pub use ledger::{Counters, Upload};
pub use limits::Limits;
pub use listener::{Handshakes, Listener, Terms};
pub use protocol::Protocol;
pub use site::Site;
pub use turns::Turns;
