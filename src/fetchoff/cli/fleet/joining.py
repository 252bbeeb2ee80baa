"""Join the cluster that the user named, and show what its hosts do."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from fetchoff.cli.console import say
from fetchoff.model.errors import HostError, InputError

if TYPE_CHECKING:
    from distributed import Client

    from fetchoff.fleet.seam.cluster import Cluster, Step


USERS = "every user of this machine"


@dataclass(frozen=True)
class Where:
    """Which cluster: exactly one of the first three is given."""

    scheduler: str | None
    hosts: Path | None
    local: int | None
    secure: bool = False


@dataclass(frozen=True)
class Joined:
    """A cluster, and who was expected to be there: `hosts` were when it was joined; of `absent`,
    the user was told why they weren't."""

    cluster: Cluster
    hosts: frozenset[str]
    absent: Mapping[str, HostError]

    def names(self) -> list[str]:
        """The hosts that are there now, and those that were: they may be asked. Not a worker that
        has come since under a name that no host can have."""
        from fetchoff.fleet.seam.cluster import NAME

        return sorted(self.hosts | set(filter(NAME.fullmatch, self.cluster.present())))

    def absent_from(self, names: Collection[str]) -> dict[str, HostError]:
        """Those that were not among `names`, which were asked, though they may have come since."""
        return {host: why for host, why in list(self.absent.items()) if host not in names}


@contextlib.contextmanager
def joined(
    where: Where, on_step: Callable[[str, Step], None] | None = None, *, quiet: bool = False
) -> Iterator[Joined]:
    """The cluster, until the context ends. Raises InputError and HostError."""
    _must_be_one(where)
    from fetchoff.fleet.dask.required import configure, has_dashboard, must_have_dask

    must_have_dask(ssh=where.hosts is not None)
    configure()
    from fetchoff.fleet.dask.joined import JoinedCluster, must_be_names

    absent: dict[str, HostError] = {}

    def told(host: str, error: HostError) -> None:
        absent[host] = error
        say(f"note: {host}: {error.message}{f': {error.hint}' if error.hint else ''}")

    with _client(where, told, quiet=quiet) as client:
        cluster = JoinedCluster(client, on_step)
        try:  # workers are got ready by now
            names, unfit = cluster.present(), cluster.unfit
            for name, why in unfit.items():
                told(name, HostError("it cannot do what Fetchoff asks of it", why))
            if not names:
                raise HostError(
                    "no worker can do what Fetchoff asks of it"
                    if unfit
                    else "the scheduler has no workers",
                    "start one on each host, where 'fetchoff[fleet]' is installed: docs/fleet.md",
                )
            must_be_names(names)
            is_there = where.scheduler is not None or has_dashboard()
            if is_there and cluster.dashboard and not quiet:
                say(f"Dask's dashboard: {cluster.dashboard}")
            if where.local and where.local > 1 and not quiet:
                say(f"{where.local} hosts are pretended on this machine: they take turns")
            yield Joined(cluster, names, absent)
        finally:
            cluster.let_go()


def _must_be_one(where: Where) -> None:
    given = sum(one is not None for one in (where.scheduler, where.hosts, where.local))
    if given != 1:
        raise InputError(
            "give exactly one of --scheduler, --hosts and --local",
            "to try it out on this machine: --local 3",
        )


@contextlib.contextmanager
def _client(
    where: Where, absent: Callable[[str, HostError], None], *, quiet: bool
) -> Iterator[Client]:
    from fetchoff.fleet.dask import clusters
    from fetchoff.fleet.dask.security import security

    def told_who_may(reach: str) -> None:
        if not where.secure and not quiet:
            say(
                f"note: {reach} can run code as you while this runs, which --security prevents: "
                "docs/fleet.md#tls"
            )

    secure = None
    if where.secure:
        secure = security(starts_cluster=where.scheduler is None)
    if where.scheduler is not None:
        with clusters.there_is(where.scheduler, secure) as client:
            yield client
    elif where.hosts is not None:
        from fetchoff.catalog.hosts import hosts
        from fetchoff.fleet.dask.over_ssh import over_ssh

        listed = hosts(where.hosts)
        is_alone = listed.listen == clusters.LOOPBACK
        told_who_may(USERS if is_alone else f"whoever reaches {listed.listen} or a host's worker")
        with over_ssh(listed.hosts, listed.listen, secure, absent) as client:
            yield client
    else:
        assert where.local is not None
        told_who_may(USERS)
        with clusters.of_this_machine(where.local, secure) as client:
            yield client
