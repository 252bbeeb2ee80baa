//! Network namespaces. Only open files hold them, so they disappear with the process, however it
//! ends.

use std::fs::{self, File};
use std::io;
use std::os::fd::{AsFd, AsRawFd as _, BorrowedFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::thread;

use rustix::thread::{LinkNameSpaceType, UnshareFlags};

/// The folder in which `ip netns` keeps the names of namespaces.
const NAMED: &str = "/run/netns";

/// What is said where a user namespace can be made, but not used.
const RESTRICTED: &str = "unprivileged user namespaces are restricted here \
    (kernel.apparmor_restrict_unprivileged_userns); run as root";

/// A network namespace.
#[derive(Debug)]
pub struct Namespace {
    file: OwnedFd,
}

impl Namespace {
    /// Makes a namespace. It lasts as long as a process is in it or a file of it is open.
    pub fn create() -> io::Result<Self> {
        on_own_thread(|| {
            unshare(UnshareFlags::NEWNET)?;
            Self::current()
        })
    }

    /// Opens a namespace by its path, or by its name in `ip netns`.
    pub fn open(place: &str) -> io::Result<Self> {
        let path =
            if place.contains('/') { PathBuf::from(place) } else { Path::new(NAMED).join(place) };
        let file = File::open(&path)
            .map_err(|error| in_context(&format!("cannot open {}", path.display()), &error))?;
        Ok(Self { file: file.into() })
    }

    /// The namespace of the calling thread.
    pub fn current() -> io::Result<Self> {
        Ok(Self { file: File::open("/proc/thread-self/ns/net")?.into() })
    }

    /// The same namespace by another open file.
    pub fn try_clone(&self) -> io::Result<Self> {
        Ok(Self { file: self.file.try_clone()? })
    }

    /// The path by which other processes of this user can join it, while this process lasts.
    pub fn path(&self) -> PathBuf {
        let number = self.file.as_raw_fd();
        PathBuf::from(format!("/proc/{}/fd/{number}", std::process::id()))
    }

    /// Runs `act` in the namespace, on a thread of its own. Sockets that it opens stay in the
    /// namespace.
    pub fn inside<T: Send>(&self, act: impl FnOnce() -> io::Result<T> + Send) -> io::Result<T> {
        on_own_thread(|| {
            join(self.file.as_fd(), LinkNameSpaceType::Network)?;
            act()
        })
    }
}

impl AsFd for Namespace {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.file.as_fd()
    }
}

/// Moves this process, which must have a single thread, into a network namespace of its own.
///
/// Without the privilege for that, it makes a user namespace first. It then returns the path of
/// that namespace, which other processes must join before they can join network namespaces in it.
pub fn isolate() -> io::Result<Option<PathBuf>> {
    match unshare(UnshareFlags::NEWNET) {
        Ok(()) => Ok(None),
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => own_user_namespace(),
        Err(error) => Err(error),
    }
}

/// Moves this process, which must have a single thread, into namespaces of another process.
pub fn enter(network: &str, user: Option<&Path>) -> io::Result<()> {
    let network = Namespace::open(network)?;
    if let Some(path) = user {
        let file = File::open(path)
            .map_err(|error| in_context(&format!("cannot open {}", path.display()), &error))?;
        join(file.as_fd(), LinkNameSpaceType::User)?;
    }
    join(network.as_fd(), LinkNameSpaceType::Network)
}

fn own_user_namespace() -> io::Result<Option<PathBuf>> {
    let (user, group) = (rustix::process::geteuid(), rustix::process::getegid());
    unshare(UnshareFlags::NEWUSER | UnshareFlags::NEWNET).map_err(|error| {
        let hint = "unprivileged user namespaces are not permitted here; run as root";
        in_context(hint, &error)
    })?;
    keep_ids(Path::new("/proc/self"), user.as_raw(), group.as_raw())?;
    Ok(Some(PathBuf::from(format!("/proc/{}/ns/user", std::process::id()))))
}

/// Maps a user and a group to themselves, in the new user namespace of the process with this folder.
///
/// Ubuntu 24.04 lets anybody make a user namespace, but gives no capabilities in it. So it is only
/// here that something is denied.
fn keep_ids(process: &Path, user: u32, group: u32) -> io::Result<()> {
    // A group can be mapped only after setgroups(2) has been denied (user_namespaces(7)).
    let files = [
        ("setgroups", "deny".to_owned()),
        ("uid_map", format!("{user} {user} 1")),
        ("gid_map", format!("{group} {group} 1")),
    ];
    for (name, text) in files {
        fs::write(process.join(name), text).map_err(|error| in_context(RESTRICTED, &error))?;
    }
    Ok(())
}

/// Moves the calling thread into new namespaces.
#[allow(unsafe_code)]
pub fn unshare(flags: UnshareFlags) -> io::Result<()> {
    // SAFETY: only unsharing open files could break other code, and these flags do not.
    unsafe { rustix::thread::unshare_unsafe(flags) }.map_err(io::Error::from)
}

fn join(namespace: BorrowedFd<'_>, kind: LinkNameSpaceType) -> io::Result<()> {
    rustix::thread::move_into_link_name_space(namespace, Some(kind))
        .map_err(|error| in_context("cannot join the namespace", &error.into()))
}

fn on_own_thread<T: Send>(act: impl FnOnce() -> io::Result<T> + Send) -> io::Result<T> {
    thread::scope(|scope| scope.spawn(act).join())
        .unwrap_or_else(|_| Err(io::Error::other("a thread in a namespace panicked")))
}

/// An error of the same kind whose message begins with what was attempted.
pub fn in_context(attempt: &str, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{attempt}: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_restricts_user_namespaces_is_named() {
        let denied = keep_ids(Path::new("/proc/self/nowhere"), 1, 1).unwrap_err().to_string();
        assert!(denied.contains("kernel.apparmor_restrict_unprivileged_userns"), "{denied}");
        assert!(denied.contains("run as root: No such file"), "{denied}");
    }
}
