"""Choose the origin of a run, and start it."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from fetchoff.build import servers
from fetchoff.build.setup import Told
from fetchoff.catalog import origins
from fetchoff.catalog.paths import is_there
from fetchoff.model.client import Readiness
from fetchoff.model.course import Course
from fetchoff.model.errors import InputError, OriginError
from fetchoff.model.experiment import Experiment
from fetchoff.model.origin import BUILT_IN, OriginRecord, Server
from fetchoff.run.host.placement import Cores
from fetchoff.run.network.seam import Network
from fetchoff.run.origins.built_in import BuiltInOrigin, Origin, StartOrigin, for_a_round
from fetchoff.run.origins.counting import counts_of
from fetchoff.run.origins.remote import (
    RemoteOrigin,
    must_be_permitted,
    must_fit,
    must_have_no_secret,
)
from fetchoff.run.origins.server import ServerOrigin


def located(name: str) -> str:
    """The name of an origin as a run stores it; the path of a folder is made absolute.

    InputError for a URL with a password, which is stored nowhere.
    """
    if _is_url(name):
        must_have_no_secret(name)
    path = Path(name)
    return str(path.resolve()) if is_there(path) and path.is_dir() else name


def must_serve(name: str, courses: Sequence[Course], *, allow_remote: bool = False) -> None:
    """Raise InputError or OriginError if this origin can't serve these courses."""
    if _is_url(name):
        must_be_permitted(name, allow_remote=allow_remote)
        if any(course.link.is_emulated for course in courses):
            raise InputError(
                f"origin {name} cannot be reached over an emulated link, which only leads to "
                "origins that Fetchoff starts",
                "leave out --link or --origin",
            )
        for workload in {course.workload: None for course in courses}:
            must_fit(name, workload)
    elif name != BUILT_IN:
        server = ready(name)
        for workload in {course.workload: None for course in courses}:
            lack = server.manifest.serves.lacks(workload)
            if lack:
                raise InputError(
                    f"origin '{name}' cannot serve workload '{workload.id}': {lack}",
                    "choose another workload, or the built-in origin",
                )


def ready_or_built_in(name: str, *, set_up: bool, say: Told = lambda _: None) -> tuple[str, str]:
    """An article's origin if it is ready; otherwise the built-in one and a note that says why.
    `say` is told what the user waits for."""
    if name == BUILT_IN or _is_url(name):
        return name, ""
    server = _set_up(name, say) if set_up else _state(name)
    if server.readiness is Readiness.READY:
        return name, ""
    hint = f" ({server.hint})" if server.hint else ""
    return BUILT_IN, f"on the built-in origin: {name} is not ready: {server.reason}{hint}"


def must_be_set_up(name: str, say: Told = lambda _: None) -> None:
    """Set an origin up if that is to be done; OriginError, with what went wrong, if it fails."""
    if name != BUILT_IN and not _is_url(name):
        _must_be_ready(name, _set_up(name, say))


def ready(name: str) -> Server:
    """A server of the catalogue; OriginError if it is not ready on this machine."""
    server = _state(name)
    _must_be_ready(name, server)
    return server


def _must_be_ready(name: str, server: Server) -> None:
    if server.readiness is not Readiness.READY:
        raise OriginError(f"origin '{name}' is not ready: {server.reason}", server.hint)


def _state(name: str) -> Server:
    return servers.state(origins.origin(name))


def _set_up(name: str, say: Told) -> Server:
    server = _state(name)
    if server.readiness is Readiness.READY:
        return server
    return servers.set_up(server.manifest, say)


def record_of(name: str) -> OriginRecord:
    """What a run stores about its origin."""
    if name == BUILT_IN:
        return OriginRecord()
    if _is_url(name):
        return OriginRecord(name, "a server of the user's own", counts=())
    server = ready(name)
    counts = tuple(sorted(counts_of(server.manifest.counted_by)))
    return OriginRecord(name, server.manifest.about, server.version, counts)


@contextlib.contextmanager
def serving(experiment: Experiment, logs: Path) -> Iterator[StartOrigin]:
    """The function that starts the experiment's origin; kept servers end with the context.

    `logs`: the folder for the output of a server that fails.
    """
    if experiment.origin == BUILT_IN:
        yield for_a_round(BuiltInOrigin)
    elif _is_url(experiment.origin):
        remote = RemoteOrigin(experiment.origin)
        yield for_a_round(lambda _folder, _cores, _network: remote)
    else:
        server = ready(experiment.origin)

        def start(folder: Path, cores: Cores, network: Network) -> ServerOrigin:
            return ServerOrigin(server, experiment.workloads, folder, cores, network, logs)

        if not server.manifest.kept:
            yield for_a_round(start)
            return
        kept = _Kept(start)
        try:
            yield kept.lent
        finally:
            kept.end()


class _Kept:
    """Starts a server once, and again if it has died or is wanted on other cores; behind a link,
    starts one per round.

    One at a time: a server's workers, and what it made of the number of its cores, stay as they
    were when it began.
    """

    def __init__(self, start: Callable[[Path, Cores, Network], ServerOrigin]) -> None:
        self._start = start
        self._for_a_round = for_a_round(start)
        self._origin: ServerOrigin | None = None
        self._cores = Cores()

    @contextlib.contextmanager
    def lent(self, folder: Path, cores: Cores, network: Network) -> Iterator[Origin]:
        if network.at_origin:
            with self._for_a_round(folder, cores, network) as origin:
                yield origin
            return
        if self._origin is None or not self._origin.is_alive or cores != self._cores:
            self.end()
            self._origin, self._cores = self._start(folder, cores, network), cores
        yield self._origin

    def end(self) -> None:
        if self._origin is not None:
            self._origin.end()
            self._origin = None


def _is_url(name: str) -> bool:
    return "://" in name
