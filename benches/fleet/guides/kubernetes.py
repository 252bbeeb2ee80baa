"""Kubernetes, without one: the commands of the operator's pods are run, each on a machine.

That shows whether the resource is one that the operator takes, and whether what runs in the pods
starts, answers the probe of readiness and becomes hosts. It doesn't show what a cluster does to
pods: placement, cores, limits and volumes.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

from benches.fleet.guides.followed import BIN, Failed, Trial, fetchoff, measured, recipe, when
from benches.fleet.guides.machines import Machine

PROGRAMS: tuple[str, ...] = ()
PACKAGES = ("dask-kubernetes==2026.3.0", "jsonschema", "pyyaml")
PODS = Path(__file__).with_name("pods.py")


def follow(trial: Trial) -> str:
    """Run the pods of the guide's recipe, and measure on them."""
    network, run = trial.network, trial.folder / "kubernetes"
    scheduler, *workers = _pods(trial)
    address = f"tcp://{network.head.address}:8786"
    _start(trial, network.head, scheduler, address)
    _is_ready(network.head.address, scheduler)
    for node, worker in zip(network.nodes, workers, strict=True):
        _start(trial, node, worker, address)
    for node in network.nodes:
        _has_come(network.logs / f"{node.name}.pod.log", node.name)
    join = ("--scheduler", address, *trial.options())
    said = fetchoff("fleet", "run", *join, "--out", run, env=os.environ)
    return f"the operator takes it; rounds: {measured(said, run, len(network.nodes))}"


def _pods(trial: Trial) -> list[dict[str, Any]]:
    """The one container of each pod."""
    script = trial.folder / "pods-recipe.py"
    nodes = len(trial.network.nodes)
    changes = {"n_workers=4": f"n_workers={nodes}", "workers(4)": f"workers({nodes})"}
    script.write_text(recipe("KubeCluster", changes))
    done = subprocess.run(
        (sys.executable, PODS, script),
        env={**os.environ, "PYTHONPATH": str(trial.modules)},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise Failed(done.stderr[-2000:])
    containers = [pod["containers"] for pod in json.loads(done.stdout)]
    return [container for (container,) in containers]


def _start(trial: Trial, machine: Machine, container: dict[str, Any], address: str) -> None:
    """As a kubelet does: variables in arguments are those of the container's environment."""
    given = {one["name"]: one["value"] for one in container.get("env", [])}
    if "DASK_SCHEDULER_ADDRESS" in given:  # a name that only a cluster's DNS knows
        given["DASK_SCHEDULER_ADDRESS"] = address
    argv = [re.sub(r"\$\((\w+)\)", lambda name: given[name[1]], word) for word in container["args"]]
    program = BIN / argv[0]
    if not program.exists():
        raise Failed(f"the image would have no {argv[0]}: {container['args']}")
    trial.network.start(machine, (program, *argv[1:]), f"{machine.name}.pod.log", given)


def _has_come(log: Path, node: str) -> None:
    when(lambda: "Registered to" in log.read_text() or None, f"worker on {node}")


def _is_ready(address: str, container: dict[str, Any]) -> None:
    """Whether the probe of readiness, without which the service leads nowhere, is answered."""
    asked = container["readinessProbe"]["httpGet"]
    ports = {port["name"]: port["containerPort"] for port in container["ports"]}
    url = f"http://{address}:{ports[asked['port']]}{asked['path']}"

    def answered() -> bool | None:
        try:
            with urllib.request.urlopen(url, timeout=5) as answer:
                return bool(answer.status == 200) or None
        except (urllib.error.URLError, ConnectionError):
            return None

    when(answered, f"answer to {url}")
