//! Fetchoff's tap: arguments and wiring only.

use std::io;
use std::process::ExitCode;

use clap::Parser;
use fetchoff_json_lines as json_lines;
use fetchoff_tap::{Answer, Control, Greeting};

const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The exit status after an error.
const USAGE: u8 = 2;

/// Records TCP segments as JSON lines on standard input ask for, until it ends (docs/tap.md)
#[derive(Debug, Parser)]
#[command(version)]
struct Arguments {
    /// The network device, in the network namespace that this is started in
    #[arg(long, value_name = "NAME", default_value = "lo")]
    interface: String,
}

fn main() -> ExitCode {
    match run(Arguments::parse().interface) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(USAGE)
        }
    }
}

fn run(interface: String) -> io::Result<()> {
    let mut control = Control::new(interface);
    json_lines::serve(&Greeting::of_this_process(VERSION), |line| match line {
        Ok(line) => control.answer(&line),
        Err(error) => Answer::error(error),
    })
}
