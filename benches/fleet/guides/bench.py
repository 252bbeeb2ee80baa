"""Whether the guides of docs/fleet.md lead to a fleet that measures.

    python -m benches.fleet.guides.bench [--guides ssh,slurm,kubernetes] [--nodes 2]

Each guide is followed on machines that are network namespaces of this one, with its recipe from the
page and the real programs: OpenSSH, SLURM with dask-jobqueue, and the commands of the pods that
dask-kubernetes would have a cluster run. A line for each says what was seen; exit status 1 if one
fails, or if a host measured nothing. Needs root.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from benches.fleet.guides import kubernetes, over_ssh, slurm
from benches.fleet.guides.followed import BASELINE, ROOT, SLOWER, Failed, Trial, fetched, fetchoff
from benches.fleet.guides.machines import Impossible, begin_inside, is_inside, network

SEARCHED = os.pathsep.join([os.environ.get("PATH", ""), "/usr/sbin", "/sbin"])


@dataclass(frozen=True)
class Guide:
    """`programs` and `packages`: what it takes beside Fetchoff."""

    follow: Callable[[Trial], str]
    programs: tuple[str, ...]
    packages: tuple[str, ...]

    def missing(self) -> list[str]:
        return [one for one in self.programs if shutil.which(one, path=SEARCHED) is None]


GUIDES = {
    "ssh": Guide(over_ssh.follow, over_ssh.PROGRAMS, over_ssh.PACKAGES),
    "slurm": Guide(slurm.follow, slurm.PROGRAMS, slurm.PACKAGES),
    "kubernetes": Guide(kubernetes.follow, kubernetes.PROGRAMS, kubernetes.PACKAGES),
}


def main() -> int:
    """Follow them, one after the other; exit status 1 if one fails, 2 without what it takes."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--guides", default=",".join(GUIDES))
    parser.add_argument("--nodes", type=int, default=2)
    parser.add_argument("--budget", type=float, default=12.0, help="seconds of each run")
    asked = parser.parse_args()
    guides = {name: GUIDES[name] for name in asked.guides.split(",")}
    if missing := sorted({program for guide in guides.values() for program in guide.missing()}):
        print(f"error: not installed: {', '.join(missing)}")
        return 2
    if os.geteuid():
        print("error: daemons of these guides need root")
        return 2
    if not is_inside():
        for guide in guides.values():
            fetched(_modules(guide), guide.packages)
        fetchoff("setup", BASELINE, SLOWER, env=os.environ)
        begin_inside("benches.fleet.guides.bench")
    os.environ["PATH"] = SEARCHED
    try:
        tried = [_followed(*each, asked.nodes, asked.budget) for each in guides.items()]
    except Impossible as impossible:
        print(f"error: {impossible}")
        return 2
    return max(tried)


def _modules(guide: Guide) -> Path:
    """By the version of the package that the others are for."""
    return ROOT / "target" / "guides" / (guide.packages[0] if guide.packages else "none")


def _followed(name: str, guide: Guide, nodes: int, budget: float) -> int:
    """Follow one on a network of its own, and say what was seen."""
    print(f"{name}: ", end="", flush=True)
    with tempfile.TemporaryDirectory(prefix="fetchoff-guide-") as folder:
        logs = Path(folder) / "logs"
        logs.mkdir()
        try:
            with network(nodes, logs) as joined:
                print(guide.follow(Trial(joined, Path(folder), _modules(guide), budget)))
        except Failed as failed:
            print(f"failed: {failed}")
            for log in sorted(logs.iterdir()):
                print(f"--- {log.name}\n{log.read_text(errors='replace')[-2000:]}")
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
