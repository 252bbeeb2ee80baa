"""Machines that SSH reaches: an OpenSSH server on each."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from benches.fleet.guides.followed import Trial, fetchoff, measured, when
from benches.fleet.guides.machines import Machine

from fetchoff.catalog.paths import cache

PROGRAMS = ("sshd", "ssh-keygen")
PACKAGES: tuple[str, ...] = ()


def follow(trial: Trial) -> str:
    """Measure on all nodes, which a `hosts.toml` names."""
    home = trial.folder / "home"
    (home / ".ssh").mkdir(parents=True)
    _key(home / ".ssh" / "id_ed25519")
    known = [_serving(trial, node, home) for node in trial.network.nodes]
    (home / ".ssh" / "known_hosts").write_text("".join(known))
    hosts = trial.folder / "hosts.toml"
    hosts.write_text(_hosts(trial))
    run = trial.folder / "over-ssh"
    env = {**os.environ, "HOME": str(home), "FETCHOFF_CACHE": str(cache())}
    said = fetchoff("fleet", "run", "--hosts", hosts, *trial.options(), "--out", run, env=env)
    return f"rounds: {measured(said, run, len(trial.network.nodes))}"


def _key(path: Path) -> str:
    """Its public half."""
    generate = ("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", path)
    subprocess.run(generate, check=True)
    kind, public, *_ = Path(f"{path}.pub").read_text().split()
    return f"{kind} {public}"


def _serving(trial: Trial, node: Machine, home: Path) -> str:
    """Start its server; the line by which others know it."""
    key = trial.folder / f"{node.name}.key"
    public = _key(key)
    settings = trial.folder / f"{node.name}.sshd"
    settings.write_text(
        f"HostKey {key}\nListenAddress {node.address}\nPidFile none\nStrictModes no\nUsePAM no\n"
        f"AuthorizedKeysFile {home}/.ssh/id_ed25519.pub\nPermitRootLogin prohibit-password\n"
    )
    Path("/run/sshd").mkdir(exist_ok=True)
    log = f"{node.name}.sshd.log"
    trial.network.start(node, ("/usr/sbin/sshd", "-D", "-e", "-f", settings), log)
    listens = trial.network.logs / log
    when(lambda: "Server listening" in listens.read_text() or None, f"SSH server on {node.name}")
    return f"{node.address} {public}\n"


def _hosts(trial: Trial) -> str:
    hosts = "".join(
        f'\n[[host]]\nname = "{node.name}"\naddress = "{node.address}"\n'
        f'python = "{sys.executable}"\n'
        for node in trial.network.nodes
    )
    return f'schema = 1\nlisten = "{trial.network.head.address}"\n{hosts}'
