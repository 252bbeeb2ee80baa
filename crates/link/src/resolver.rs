//! Files of /etc that make a process ask the link's name server, and that only it can see.

use std::fs;
use std::io;
use std::path::Path;

use rustix::mount::{
    MountFlags, MountPropagationFlags, UnmountFlags, mount, mount_bind, mount_change, unmount,
};
use rustix::thread::UnshareFlags;

use crate::namespaces::{in_context, unshare};

/// Where the files are for a moment, until they are bound to their places: a folder of every
/// machine. Its own contents are hidden from nobody but this process, and only meanwhile.
const FOR_A_MOMENT: &str = "/tmp";

/// resolv.conf(5), hosts(5) and nsswitch.conf(5). With DNS alone for names, nothing that runs on
/// the machine (systemd-resolved, mDNS) can answer in the name server's place.
const FILES: [(&str, &str); 3] = [
    ("resolv.conf", "nameserver 127.0.0.1\n"),
    ("hosts", "127.0.0.1 localhost\n::1 localhost\n"),
    ("nsswitch.conf", "passwd: files\ngroup: files\nshadow: files\nhosts: files dns\n"),
];

/// Moves this process, which must have a single thread, into a mount namespace in which these files
/// of /etc are ours. Nothing of it outlives the processes that are in it, and no disk is written.
///
/// Files that the machine doesn't have can't be replaced, and are left out: without them, C
/// libraries do what ours say.
pub fn own_resolver() -> io::Result<()> {
    unshare(UnshareFlags::NEWNS)
        .map_err(|error| in_context("cannot make a mount namespace", &error))?;
    replace_files().map_err(|error| in_context("cannot replace files of /etc for it", &error))
}

fn replace_files() -> io::Result<()> {
    // Nothing that is mounted from now on appears anywhere else.
    mount_change("/", MountPropagationFlags::PRIVATE | MountPropagationFlags::REC)?;
    let flags = MountFlags::NODEV | MountFlags::NOSUID | MountFlags::NOEXEC;
    mount("fetchoff", FOR_A_MOMENT, "tmpfs", flags, None)?;
    for (name, text) in FILES {
        let (ours, theirs) = (Path::new(FOR_A_MOMENT).join(name), Path::new("/etc").join(name));
        if theirs.exists() {
            fs::write(&ours, text)?;
            mount_bind(&ours, &theirs)?;
        }
    }
    Ok(unmount(FOR_A_MOMENT, UnmountFlags::DETACH)?)
}
