use serde::{Deserialize, Serialize};

use crate::answer::Expect;
use crate::{Request, Settings};

#[derive(Deserialize)]
#[serde(tag = "op", rename_all = "lowercase")]
pub(crate) enum Message {
    Hello { protocol: u32 },
    Prepare(Box<Prepare>),
    Run(Run),
    Finish,
}

#[derive(Deserialize)]
pub(crate) struct Prepare {
    pub require: Vec<String>,
    pub exchanges: Vec<WireExchange>,
    pub settings: Settings,
}

#[derive(Clone, Deserialize)]
pub(crate) struct WireExchange {
    #[serde(flatten)]
    pub request: Request,
    pub expect: Expect,
}

#[derive(Deserialize)]
pub(crate) struct Run {
    pub n: u64,
    #[serde(default)]
    pub digest: bool,
    #[serde(default)]
    pub busy_ns: u64,
}

#[derive(Serialize)]
#[serde(untagged)]
pub(crate) enum Reply {
    Description {
        protocol: u32,
        client: &'static str,
        version: String,
        runtime: &'static str,
        engine: String,
        features: Vec<String>,
    },
    Ready {
        ready: bool,
    },
    Unsupported {
        unsupported: String,
    },
    Report(Report),
    Finished {
        finished: bool,
    },
    Error {
        error: String,
    },
}

#[derive(Default, Serialize)]
pub(crate) struct Report {
    pub done: u64,
    pub failed: u64,
    pub bytes: u64,
    pub wall_ns: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sha256: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub busy_ns: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parse_ns: Option<u64>,
}
