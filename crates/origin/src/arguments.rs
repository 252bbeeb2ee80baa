use std::io::{self, ErrorKind};
use std::net::{IpAddr, SocketAddr};
use std::path::{Path, PathBuf};

use clap::Parser;

/// The server that Fetchoff measures HTTP clients against.
#[derive(Debug, Parser)]
#[command(version)]
pub struct Arguments {
    /// Speak JSON lines on standard input and output; listeners are opened on request
    #[arg(long)]
    pub control: bool,

    /// Where to listen; with --control, only the address is used, and the ports are free ones
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1:8080")]
    pub listen: SocketAddr,

    /// Permit an address that other machines can reach
    #[arg(long)]
    pub allow_remote: bool,

    /// Serve nothing: write a certificate for servers on this machine, its key, and the authority
    /// to trust, made for one run, into an existing folder
    #[arg(long, value_name = "FOLDER", conflicts_with_all = ["control", "listen", "allow_remote"])]
    pub authority: Option<PathBuf>,

    /// Of the servers that --authority is for, beside those of this machine's loopback
    #[arg(long, value_name = "IP", default_value = "127.0.0.1", requires = "authority")]
    pub address: IpAddr,
}

impl Arguments {
    pub fn checked(self) -> Result<Self, String> {
        if self.listen.ip().is_loopback() || self.allow_remote {
            return Ok(self);
        }
        Err(format!(
            "{} is not a loopback address\nhint: --allow-remote permits it; \
             the origin has no access control and answers whoever reaches it",
            self.listen
        ))
    }
}

/// Why an address cannot be listened on, and what helps.
pub fn explained(address: SocketAddr, error: &io::Error) -> String {
    let hint = match error.kind() {
        ErrorKind::AddrInUse => "choose another port, or 0 for a free one: --listen 127.0.0.1:0",
        ErrorKind::AddrNotAvailable => "the address must be one of this machine's",
        ErrorKind::PermissionDenied => "ports below 1024 need a privilege; choose a higher one",
        _ => "choose another address: --listen ADDR",
    };
    format!("cannot listen on {address}: {error}\nhint: {hint}")
}

/// Why a file cannot be written, and what helps.
pub fn unwritable(path: &Path, error: &io::Error) -> String {
    format!(
        "cannot write {}: {error}\nhint: --authority takes a folder that exists and is yours to write",
        path.display()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(arguments: &[&str]) -> Result<Arguments, String> {
        let arguments = ["fetchoff-origin"].iter().chain(arguments);
        Arguments::try_parse_from(arguments).map_err(|error| error.to_string())?.checked()
    }

    #[test]
    fn loopback_needs_no_permission() {
        assert_eq!(parsed(&[]).unwrap().listen.to_string(), "127.0.0.1:8080");
        assert!(parsed(&["--listen", "[::1]:80"]).is_ok());
        assert!(parsed(&["--listen", "127.8.8.8:80", "--control"]).is_ok());
    }

    #[test]
    fn an_authority_is_all_that_is_asked_for() {
        assert_eq!(parsed(&["--authority", "here"]).unwrap().authority, Some("here".into()));
        for surplus in [&["--control"][..], &["--listen", "127.0.0.1:0"], &["--allow-remote"]] {
            let message = parsed(&[&["--authority", "here"], surplus].concat()).unwrap_err();
            assert!(message.contains("cannot be used with"), "{message}");
        }
    }

    #[test]
    fn an_authority_may_be_for_another_address() {
        let arguments = parsed(&["--authority", "here", "--address", "198.18.1.2"]).unwrap();
        assert_eq!(arguments.address.to_string(), "198.18.1.2");
        assert!(parsed(&["--address", "198.18.1.2"]).unwrap_err().contains("--authority"));
    }

    #[test]
    fn other_addresses_do() {
        for address in ["0.0.0.0:80", "[::]:80", "192.0.2.1:80"] {
            let message = parsed(&["--listen", address]).unwrap_err();
            assert!(message.contains("hint: --allow-remote"), "{message}");
            assert!(parsed(&["--listen", address, "--allow-remote"]).is_ok());
        }
    }
}
