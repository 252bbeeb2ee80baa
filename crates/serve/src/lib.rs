//! The built-in origin: HTTP routes with deterministic content, and a ledger that counts what
//! really arrived.
//!
//! Everything runs on one thread (`tokio`'s current-thread runtime inside a `LocalSet`), so state
//! is shared by `Rc` and counted in `Cell`s.
//!
//! Each folder is a room with one purpose. A room uses only the rooms to the right of it, and
//! `limits`, which any module may use. Within a room no modules depend on each other in a circle,
//! either.
//!
//! ```text
//! control → transport → http → routes → content → ledger → turns
//! ```

mod content;
mod control;
mod http;
mod ledger;
mod limits;
mod routes;
mod transport;
mod turns;

pub use content::bodies::{BLOCK_BYTES, bytes};
pub use content::documents::document;
pub use control::{Answer, Control, Greeting};
pub use http::behaviour::{Behaviour, Continue};
pub use http::protocol::Protocol;
pub use ledger::counters::{Counters, Upload};
pub use limits::Limits;
pub use routes::forms::canonical;
pub use transport::authority::Authority;
pub use transport::config::{Handshakes, ListenerConfig};
pub use transport::listener::Listener;
pub use transport::site::Site;
pub use turns::schedule::Turns;
