//! A name server for one name, which notes what it is asked and can be slow to answer.
//!
//! What it answers is a pure function of the query (`zone`); `server` is the socket and the delay.

mod server;
mod zone;

pub use server::{Queries, Query, Server};
pub use zone::Zone;
