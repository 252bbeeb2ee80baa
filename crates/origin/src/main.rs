//! Fetchoff's built-in origin: arguments and wiring only.

mod arguments;

use std::collections::VecDeque;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::path::Path;
use std::process::ExitCode;
use std::rc::Rc;

use clap::Parser as _;
use fetchoff_json_lines::{self as json_lines, Channel, Line};
use fetchoff_serve::{Authority, Control, Greeting, Limits, Listener, ListenerConfig, Site};
use tokio::runtime;
use tokio::signal::unix::{SignalKind, signal};
use tokio::task::LocalSet;

use crate::arguments::Arguments;

const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The exit status after an error.
const USAGE: u8 = 2;

fn main() -> ExitCode {
    match Arguments::parse().checked().and_then(|arguments| run(&arguments)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("error: {message}");
            ExitCode::from(USAGE)
        }
    }
}

fn run(arguments: &Arguments) -> Result<(), String> {
    match &arguments.authority {
        Some(folder) => make_authority(folder, arguments.address),
        None => serve_until_ended(arguments),
    }
}

fn make_authority(folder: &Path, address: IpAddr) -> Result<(), String> {
    Authority::new(address)
        .map_err(|error| error.to_string())?
        .write_to(folder)
        .map_err(|(path, error)| arguments::unwritable(&path, &error))
}

fn serve_until_ended(arguments: &Arguments) -> Result<(), String> {
    let runtime = runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| format!("cannot start: {error}"))?;
    let site = Site::new(limits(arguments));
    let outcome = LocalSet::new().block_on(&runtime, async {
        // Signals are handled before the greeting is written, so that a harness that has read it
        // can interrupt.
        let interruption = interruption().map_err(|error| error.to_string())?;
        tokio::select! {
            outcome = serve(arguments, site) => outcome,
            () = interruption => Ok(()),
        }
    });
    // Does not wait for a document that is still being made: nobody needs it any more.
    runtime.shutdown_background();
    outcome
}

/// In a run with many clients, those that wait for their turns send nothing for minutes.
fn limits(arguments: &Arguments) -> Limits {
    let usual = Limits::default();
    let factor = if arguments.control { 12 } else { 1 };
    Limits { idle_timeout: factor * usual.idle_timeout, ..usual }
}

async fn serve(arguments: &Arguments, site: Rc<Site>) -> Result<(), String> {
    if arguments.control {
        return control(arguments.listen, site).await.map_err(|error| error.to_string());
    }
    let listener = Listener::open(arguments.listen, ListenerConfig::PLAIN, &site)
        .map_err(|error| arguments::explained(arguments.listen, &error))?;
    eprintln!("listening on http://{} (Ctrl-C ends it)", listener.address());
    std::future::pending().await
}

async fn control(listen: SocketAddr, site: Rc<Site>) -> io::Result<()> {
    let mut channel = Channel::open();
    let mut control = Control::new(listen.ip(), site);
    let mut ahead = VecDeque::new();
    json_lines::write(&Greeting::of_this_process(VERSION))?;
    while let Some(line) = next(&mut channel, &mut ahead).await {
        let answer = match line {
            Ok(line) => tokio::select! {
                biased;
                answer = control.answer(&line) => answer,
                // Nobody is there to read the answer. Turns take as long as their clients do.
                () = end(&mut channel, &mut ahead) => break,
            },
            Err(error) => fetchoff_serve::Answer::error(error),
        };
        json_lines::write(&answer)?;
    }
    Ok(())
}

async fn next(channel: &mut Channel, ahead: &mut VecDeque<Line>) -> Option<Line> {
    match ahead.pop_front() {
        Some(line) => Some(line),
        None => channel.next().await,
    }
}

/// Waits for the end of the input. Lines that come before it are kept.
async fn end(channel: &mut Channel, ahead: &mut VecDeque<Line>) {
    while let Some(line) = channel.next().await {
        ahead.push_back(line);
    }
}

fn interruption() -> io::Result<impl Future<Output = ()>> {
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut terminate = signal(SignalKind::terminate())?;
    Ok(async move {
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
        }
    })
}
