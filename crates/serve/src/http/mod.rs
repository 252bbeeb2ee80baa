//! HTTP on one connection: versions 1.1 and 2 by hyper, over whatever `transport` has accepted.
//! Requests are handed to `routes`; answers are fitted to the version of HTTP; what hyper does not
//! tell of HTTP/2 is read from its frames.

pub mod behaviour;
pub mod connection;
mod frame_reader;
mod frames;
pub mod protocol;
mod service;
mod silence;
mod voice;
