//! The command line.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Parser, Subcommand};

/// An emulated network path between two network namespaces.
#[derive(Debug, Parser)]
#[command(version)]
pub struct Arguments {
    /// What to do.
    #[command(subcommand)]
    pub task: Task,
}

/// What the program can do.
#[derive(Debug, Subcommand)]
pub enum Task {
    /// Make links as JSON lines on standard input ask for, until it ends (docs/links.md)
    Control {
        /// The core that links run on
        #[arg(long, value_name = "N")]
        core: Option<usize>,
        /// Run links before every ordinary process (`SCHED_RR`, priority 1)
        #[arg(long)]
        real_time: bool,
        /// After a long sleep, be awake at least so long before and after a packet is due
        #[arg(long, value_name = "US", default_value_t = 100)]
        awake_us: u64,
    },
    /// Run a command at one end of a link
    Enter {
        /// The network namespace, as the link's answer names it
        network: String,
        /// The user namespace, as the greeting names it
        #[arg(long, value_name = "PATH")]
        user: Option<PathBuf>,
        /// Let the command ask the link's name server, by files of /etc that nobody else sees
        #[arg(long)]
        names: bool,
        /// Let the command see the packets that pass there (`CAP_NET_RAW`)
        #[arg(long)]
        packets: bool,
        /// The command and its arguments
        #[arg(last = true, required = true)]
        command: Vec<OsString>,
    },
}
