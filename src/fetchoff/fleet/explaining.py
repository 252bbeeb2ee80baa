"""Every host explains some of its clients, once all is measured."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from fetchoff.app.fleet_results import explained_on
from fetchoff.app.own_code import code
from fetchoff.fleet.asking import answered, ask
from fetchoff.fleet.seam.cluster import Cluster, Here, Job
from fetchoff.fleet.seam.told import Explaining
from fetchoff.store import explanations

if TYPE_CHECKING:
    from fetchoff.model.explanation import Explanation
    from fetchoff.store.run_folder import RunFolder

LONGEST_S = 3600.0
"""Of a host. While it waits for others to leave the machine, it has all the time it needs."""

Explain = Callable[[Explaining, Here], "tuple[Explanation, ...]"]


def explain_on_hosts(
    folder: RunFolder, cluster: Cluster, explain: Explain, say: Callable[[str], None]
) -> None:
    """Keep what each host explains in the run folder; one that can't, or isn't there, is told and
    left out.

    `explain`: the function that does it on a host. Raises ClusterGone and StoreError.
    """
    run = folder.header.run_id
    present = cluster.present()
    names = [host.id for host in folder.header.hosts]
    for name in names:
        if name not in present:
            say(f"{name} explains nothing: it is not there")
    own = code()
    jobs = {name: Job(explain, Explaining(run, name, own)) for name in names if name in present}
    told, errors = answered(ask(cluster, jobs, LONGEST_S))
    for host, found in told.items():
        explanations.write(explained_on(folder.path, host), found)
    for host, fault in errors.items():
        say(f"{host} explains nothing: {fault.message}")
