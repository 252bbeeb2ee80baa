//! The emulator as a harness uses it: a process that speaks JSON lines.

use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, Weak};

use serde_json::{Value, json};

const NOBODY: u32 = 65_534;

/// Tests that run at the same time share one folder. A file that is open for writing cannot be run,
/// nor while a process that another test is starting has inherited the open file.
static FOLDER: Mutex<Weak<Folder>> = Mutex::new(Weak::new());
static FOLDERS: AtomicU32 = AtomicU32::new(0);

/// As which user, and with which backend, the emulator runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mode {
    pub is_root: bool,
    pub backend: &'static str,
}

pub const MODES: [Mode; 4] = [
    Mode { is_root: true, backend: "tun" },
    Mode { is_root: true, backend: "packet_socket" },
    Mode { is_root: false, backend: "tun" },
    Mode { is_root: false, backend: "packet_socket" },
];

/// Runs a test in every mode that this machine permits, and prints which modes it does not.
pub fn in_every_mode(test: impl Fn(&mut Emulator)) {
    for mode in MODES {
        match Emulator::start(mode) {
            Ok(mut emulator) => test(&mut emulator),
            Err(reason) => {
                assert!(
                    !(mode.is_root
                        && rustix::process::geteuid().is_root()
                        && can_make_namespaces()),
                    "as root it must run: {mode:?}: {reason}"
                );
                eprintln!("skipped {mode:?}: {reason}");
            }
        }
    }
}

/// Root in a container may lack the capabilities of root.
fn can_make_namespaces() -> bool {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("CapEff:"));
    let effective = line.and_then(|bits| u64::from_str_radix(bits.trim(), 16).ok());
    // CAP_SYS_ADMIN is number 21, linux/capability.h.
    effective.is_some_and(|bits| bits >> 21 & 1 == 1)
}

pub struct Emulator {
    pub mode: Mode,
    pub greeting: Value,
    folder: Arc<Folder>,
    process: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
}

impl Emulator {
    /// Starts an emulator, and opens and closes a link as a trial. The error tells why that is
    /// impossible.
    pub fn start(mode: Mode) -> Result<Self, String> {
        if mode.is_root != rustix::process::geteuid().is_root() && mode.is_root {
            return Err("not root".to_owned());
        }
        let folder = Folder::shared();
        let mut command = folder.command("fetchoff-link", mode);
        command.arg("control").stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut process = command.spawn().map_err(|error| error.to_string())?;
        let input = process.stdin.take();
        let mut output = BufReader::new(process.stdout.take().unwrap());
        let mut line = String::new();
        output.read_line(&mut line).unwrap();
        let Ok(greeting) = serde_json::from_str(&line) else {
            let refused = process.wait_with_output().unwrap();
            return Err(String::from_utf8_lossy(&refused.stderr).trim().to_owned());
        };
        let mut emulator = Self { mode, greeting, folder, process, input, output };
        let trial = emulator.ask(&json!({"op": "open", "backend": mode.backend}));
        if let Some(reason) = trial["error"].as_str() {
            return Err(reason.to_owned());
        }
        emulator.ask(&json!({"op": "close", "link": trial["link"]}));
        Ok(emulator)
    }

    /// Sends a request, and returns the answer.
    pub fn ask(&mut self, request: &Value) -> Value {
        writeln!(self.input.as_mut().unwrap(), "{request}").unwrap();
        let mut line = String::new();
        self.output.read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap_or_else(|_| panic!("{request} was answered {line:?}"))
    }

    /// The same, for a request that must not fail.
    pub fn must(&mut self, request: &Value) -> Value {
        let answer = self.ask(request);
        assert!(answer.get("error").is_none(), "{:?}: {request}: {answer}", self.mode);
        answer
    }

    /// A new link with the mode's backend.
    pub fn open(&mut self, up: &Value, down: &Value) -> Value {
        let backend = self.mode.backend;
        self.must(&json!({"op": "open", "backend": backend, "up": up, "down": down}))
    }

    pub fn read(&mut self, link: &Value) -> Value {
        self.must(&json!({"op": "read", "link": link["link"]}))
    }

    /// Starts a command of `traffic` at one end, and waits until it is ready.
    pub fn traffic(&self, end: &Value, arguments: &[&str]) -> Traffic {
        let mut command = self.enter(end);
        command.arg("--").arg(self.folder.path("traffic")).args(arguments);
        Traffic::start(&mut command)
    }

    /// The command that enters one end; a `--` and what to run there are missing.
    pub fn enter(&self, end: &Value) -> Command {
        let mut command = self.folder.command("fetchoff-link", self.mode);
        command.arg("enter").arg(end["namespace"].as_str().unwrap());
        if let Some(user) = self.greeting["user_namespace"].as_str() {
            command.args(["--user", user]);
        }
        command
    }

    pub fn pid(&self) -> rustix::process::Pid {
        rustix::process::Pid::from_child(&self.process)
    }

    /// Closes the standard input, as the end of the harness would.
    pub fn hang_up(&mut self) {
        self.input = None;
    }

    /// Waits for the process to end.
    pub fn wait(&mut self) -> Option<i32> {
        self.process.wait().unwrap().code()
    }
}

impl Drop for Emulator {
    fn drop(&mut self) {
        self.hang_up();
        let _ = self.process.wait();
    }
}

pub struct Traffic {
    process: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
}

impl Traffic {
    fn start(command: &mut Command) -> Self {
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut process = command.spawn().unwrap();
        let input = process.stdin.take();
        let output = BufReader::new(process.stdout.take().unwrap());
        let mut traffic = Self { process, input, output };
        assert_eq!(traffic.line(), "ready");
        traffic
    }

    pub fn line(&mut self) -> String {
        let mut line = String::new();
        self.output.read_line(&mut line).unwrap();
        line.trim_end().to_owned()
    }

    pub fn ask(&mut self) -> String {
        writeln!(self.input.as_mut().unwrap()).unwrap();
        self.line()
    }
}

impl Drop for Traffic {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Copies of the programs where every user can run them.
struct Folder(PathBuf);

impl Folder {
    fn shared() -> Arc<Self> {
        let mut shared = FOLDER.lock().unwrap();
        shared.upgrade().unwrap_or_else(|| {
            let folder = Arc::new(Self::new());
            *shared = Arc::downgrade(&folder);
            folder
        })
    }

    fn new() -> Self {
        let number = FOLDERS.fetch_add(1, Ordering::Relaxed);
        let name = format!("fetchoff-link-test-{}-{number}", std::process::id());
        let folder = Self(std::env::temp_dir().join(name));
        fs::create_dir_all(&folder.0).unwrap();
        let emulator = Path::new(env!("CARGO_BIN_EXE_fetchoff-link"));
        let traffic = emulator.with_file_name("examples").join("traffic");
        for (program, name) in [(emulator, "fetchoff-link"), (&traffic, "traffic")] {
            fs::copy(program, folder.path(name)).unwrap();
            fs::set_permissions(folder.path(name), fs::Permissions::from_mode(0o755)).unwrap();
        }
        fs::set_permissions(&folder.0, fs::Permissions::from_mode(0o755)).unwrap();
        folder
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    fn command(&self, name: &str, mode: Mode) -> Command {
        // A background job of a shell ignores SIGINT, and so would all processes that it starts:
        // env(1).
        let mut command = Command::new("env");
        command.arg("--default-signal=INT,TERM").arg(self.path(name));
        if !mode.is_root && rustix::process::geteuid().is_root() {
            command.uid(NOBODY).gid(NOBODY);
        }
        command
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}
