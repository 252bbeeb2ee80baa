use std::collections::HashMap;
use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Deserializer};
use serde_json::Value;

use crate::Result;

/// The settings of one `prepare`; None leaves the library's default.
#[derive(Clone, Deserialize)]
pub struct Settings {
    pub protocol: Protocol,
    pub concurrency: usize,
    pub read_size: Option<usize>,
    pub cookies: bool,
    pub decompress: bool,
    pub redirects: u32,
    #[serde(rename = "timeout_ms")]
    pub timeout: Timeouts,
    #[serde(default)]
    pub proxy: Option<String>,
    #[serde(default)]
    pub tls_ca: Option<PathBuf>,
    pub(crate) sink: Sink,
    pub(crate) directory: Option<PathBuf>,
    reuse: Option<bool>,
    options: HashMap<String, Value>,
}

impl Settings {
    /// Whether every exchange has to use a new connection.
    pub fn is_fresh(&self) -> bool {
        self.reuse == Some(false)
    }

    /// A switch of the client.
    pub fn switch(&self, name: &str) -> Option<bool> {
        self.options.get(name).and_then(Value::as_bool)
    }

    /// The authority to trust, in PEM.
    pub fn authority(&self) -> Result<Option<Vec<u8>>> {
        Ok(self.tls_ca.as_ref().map(std::fs::read).transpose()?)
    }
}

/// What must be spoken.
#[derive(Clone, Copy, Deserialize, PartialEq)]
pub enum Protocol {
    #[serde(rename = "http/1.1")]
    Http1,
    #[serde(rename = "h2")]
    H2,
    #[serde(rename = "h2c")]
    H2c,
}

#[derive(Clone, Copy, Default, Deserialize, PartialEq)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Sink {
    #[default]
    Buffer,
    Json,
    Discard,
    File,
}

#[derive(Clone, Copy, Deserialize)]
pub struct Timeouts {
    #[serde(deserialize_with = "from_ms")]
    pub connect: Option<Duration>,
    #[serde(deserialize_with = "from_ms")]
    pub read: Option<Duration>,
    #[serde(deserialize_with = "from_ms")]
    pub total: Option<Duration>,
}

fn from_ms<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> std::result::Result<Option<Duration>, D::Error> {
    Ok(Option::deserialize(deserializer)?.map(Duration::from_millis))
}
