//! The protocol loop of docs/protocol.md, version 1, for Rust. An adapter describes its client and
//! says how to open it and how to send a request ([`Client`], [`AsyncClient`]); or, where the library
//! drives many transfers itself, how to do a batch ([`Driver`]).

mod answer;
mod lock;
mod messages;
mod request;
mod serve;
mod settings;
#[cfg(feature = "tokio")]
mod tasks;
mod threads;
mod track;

pub use answer::Answer;
pub use bytes::Bytes;
pub use lock::Lock;
pub use request::{Body, Encoded, Fields, File, Request};
pub use serve::{Description, Driver, Unsupported, serve};
pub use settings::{Protocol, Settings, Timeouts};
#[cfg(feature = "tokio")]
pub use tasks::{AsyncClient, Tasks};
pub use threads::{Client, Threads};
pub use track::{Exchange, Track};

/// Any failure; its text and those of its causes are what the harness is told.
pub type Error = Box<dyn std::error::Error + Send + Sync>;
/// What may fail with any of them.
pub type Result<T> = std::result::Result<T, Error>;
