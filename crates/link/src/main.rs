//! Fetchoff's link emulator: arguments and wiring only.

mod arguments;

use std::ffi::OsString;
use std::io;
use std::os::unix::process::CommandExt as _;
use std::process::{Command, ExitCode};

use clap::Parser as _;
use fetchoff_json_lines as json_lines;
use fetchoff_link::{Answer, Control, Greeting, Placement};

use crate::arguments::{Arguments, Task};

const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The exit status after an error.
const USAGE: u8 = 2;

const NS_PER_US: u64 = 1000;

fn main() -> ExitCode {
    match run(Arguments::parse().task) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(USAGE)
        }
    }
}

fn run(task: Task) -> io::Result<()> {
    match task {
        Task::Control { core, real_time, awake_us } => {
            control(Placement { core, real_time, awake_ns: awake_us * NS_PER_US })
        }
        Task::Enter { network, user, names, packets, command } => {
            fetchoff_link::enter(&network, user.as_deref())?;
            if names {
                fetchoff_link::own_resolver()?;
            }
            if packets {
                fetchoff_link::keep_packet_sockets()?;
            }
            replace_by(&command)
        }
    }
}

fn control(placement: Placement) -> io::Result<()> {
    let user_namespace = fetchoff_link::isolate()?;
    let mut control = Control::new(placement);
    json_lines::serve(&Greeting::of_this_process(VERSION, user_namespace), |line| match line {
        Ok(line) => control.answer(&line),
        Err(error) => Answer::error(error),
    })
}

/// Replaces this process by the command. Returns only if the command cannot be run.
fn replace_by(command: &[OsString]) -> io::Result<()> {
    let Some((program, arguments)) = command.split_first() else {
        return Err(io::Error::other("no command"));
    };
    let error = Command::new(program).args(arguments).exec();
    Err(io::Error::new(error.kind(), format!("cannot run {}: {error}", program.display())))
}
