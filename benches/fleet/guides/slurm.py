"""SLURM: its controller on the head, its daemon on each node, and dask-jobqueue's jobs on them.

A node's job is cancelled while it is measuring; the run goes on without that host, is resumed
when a job of the same name on the same node is there, and then has it.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from benches.fleet.guides.followed import BIN, Failed, Trial, fetchoff, measured, recipe, when
from benches.fleet.guides.machines import DEVICE

PROGRAMS = ("slurmctld", "slurmd", "munged")
PACKAGES = ("dask-jobqueue==0.9.0",)
CORES, MEMORY_MB = 2, 4000
AWAY_S = 10


def follow(trial: Trial) -> str:
    """The guide's recipe, a job that is cancelled, and the run that is resumed."""
    env = {**os.environ, "SLURM_CONF": str(_configured(trial))}
    _daemons(trial, env)
    try:
        return _seen(trial, env, _cluster(trial, env))
    finally:  # what runs a job is no child of the daemon that started it
        _asked(env, "scancel", "--user", "root")
        when(lambda: not _asked(env, "squeue", "-h") or None, "end of the jobs")


def _seen(trial: Trial, env: dict[str, str], address: str) -> str:
    nodes = len(trial.network.nodes)
    whole, broken = trial.folder / "slurm", trial.folder / "slurm-broken"
    join = ("--scheduler", address, *trial.options())
    rounds = measured(fetchoff("fleet", "run", *join, "--out", whole, env=env), whole, nodes)
    lost = _without_last_node(trial, env, (*join, "--away", str(AWAY_S), "--out", broken))
    _job_again(trial, env, address, lost)
    said = fetchoff("fleet", "resume", broken, "--scheduler", address, env=env)
    return (
        f"rounds: {rounds}; {lost} was lost with its job; resumed: {measured(said, broken, nodes)}"
    )


def _configured(trial: Trial) -> Path:
    """slurm.conf: jobs are whole nodes, and nothing needs systemd."""
    folder, head = trial.folder, trial.network.head
    (folder / "state").mkdir()
    (folder / "munge.key").write_bytes(os.urandom(1024))
    (folder / "munge.key").chmod(0o400)
    (folder / "cgroup.conf").write_text("CgroupPlugin=cgroup/v1\n")
    settings = {
        "ClusterName": "trial",
        "SlurmctldHost": f"{head.name}({head.address})",
        "SlurmUser": "root",
        "AuthType": "auth/munge",
        "AuthInfo": f"socket={folder}/munge.socket",
        "StateSaveLocation": f"{folder}/state",
        "SlurmdSpoolDir": f"{folder}/spool.%n",
        "SlurmctldPidFile": f"{folder}/slurmctld.pid",
        "SlurmdPidFile": f"{folder}/%n.pid",
        "ProctrackType": "proctrack/linuxproc",
        "TaskPlugin": "task/none",
        "MpiDefault": "none",
        "ReturnToService": "2",
        "MailProg": "/bin/true",
    }
    nodes = [
        f"NodeName={node.name} NodeAddr={node.address} NodeHostname={node.name}"
        f" CPUs={CORES} RealMemory={MEMORY_MB}"
        for node in trial.network.nodes
    ]
    lines = [f"{key}={value}" for key, value in settings.items()]
    partition = "PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP"
    path = folder / "slurm.conf"
    path.write_text("\n".join([*lines, *nodes, partition, ""]))
    return path


def _daemons(trial: Trial, env: dict[str, str]) -> None:
    network, folder = trial.network, trial.folder
    files = [f"--{word}-file={folder}/munge.{word}" for word in ("key", "pid", "log", "seed")]
    socket = f"--socket={folder}/munge.socket"
    munge = ("munged", "--foreground", "--force", socket, *files)
    network.start(network.head, munge, "munged.log")
    when(lambda: (folder / "munge.socket").exists() or None, "munged")
    network.start(network.head, ("slurmctld", "-D"), "slurmctld.log", env)
    when(lambda: _answers(env) or None, "controller")
    for node in network.nodes:
        network.start(node, ("slurmd", "-D", "-N", node.name), f"{node.name}.slurmd.log", env)
    idle = len(network.nodes)
    when(lambda: _asked(env, "sinfo", "-hN", "-t", "idle").count("\n") == idle or None, "node")


def _answers(env: dict[str, str]) -> bool:
    ping = subprocess.run(("scontrol", "ping"), env=env, capture_output=True, check=False)
    return ping.returncode == 0


def _cluster(trial: Trial, env: dict[str, str]) -> str:
    """The address of a scheduler that has a worker in a job on each node."""
    network, nodes = trial.network, len(trial.network.nodes)
    changes = {
        "cores=8": f"cores={CORES}",
        "16GB": "2GB",
        "jobs=6": f"jobs={nodes}",
        "wait_for_workers(6)": f"wait_for_workers({nodes})",
        "nanny=False,": f'nanny=False,\n    interface="{DEVICE}",',
    }
    script = trial.folder / "cluster.py"
    script.write_text(recipe("SLURMCluster", changes))
    paths = {**env, "PYTHONPATH": str(trial.modules), "PYTHONUNBUFFERED": "1"}
    network.start(network.head, (sys.executable, script), "cluster.log", paths)
    log = network.logs / "cluster.log"
    told = when(lambda: re.search(r"^tcp://[\d.:]+", log.read_text(), re.MULTILINE), "scheduler")
    return told.group()


def _without_last_node(trial: Trial, env: dict[str, str], arguments: Sequence[str | Path]) -> str:
    """Cancel its job while a run is measuring; the host that the run then calls lost."""
    last = trial.network.nodes[-1].name
    log = trial.network.logs / "broken.log"
    command: list[str | Path] = [BIN / "fetchoff", "fleet", "run", *arguments]
    run = trial.network.start(trial.network.head, command, log.name, {**env, "NO_COLOR": "1"})
    when(lambda: re.search("round 1 done", log.read_text()), "round")
    (job,) = _asked(env, "squeue", "-hw", last, "-o", "%i").split()
    _asked(env, "scancel", job)
    if run.wait(600):
        raise Failed(f"without {last}: {log.read_text()[-2000:]}")
    lost = re.search(r"^note: (\S+): lost", log.read_text(), re.MULTILINE)
    if lost is None:
        raise Failed(f"job {job} was cancelled, and no loss was told: {log.read_text()[-2000:]}")
    return lost[1]


def _job_again(trial: Trial, env: dict[str, str], address: str, host: str) -> None:
    """The guide's job for a host that was lost, on the node on which it was; until it has come."""
    log = trial.network.logs / "again.log"
    node = trial.network.nodes[-1].name
    job = ("sbatch", "--exclusive", "--nodelist", node, "--output", str(log))
    worker = (f"{BIN}/dask", "worker", address, "--name", host, "--nthreads", "1", "--no-nanny")
    more = ("--resources", "host=1", "--interface", DEVICE)
    _asked(env, *job, "--wrap", " ".join([*worker, *more]))
    when(lambda: (log.exists() and "Registered to" in log.read_text()) or None, f"job on {node}")


def _asked(env: dict[str, str], *command: str) -> str:
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=False)
    if done.returncode:
        raise Failed(f"{' '.join(command)}: {done.stderr}")
    return done.stdout
