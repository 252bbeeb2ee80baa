"""Create the run folder of an experiment, and measure it."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import fetchoff
from fetchoff.analysis.stopping import is_decided
from fetchoff.app.courses import must_be_measurable
from fetchoff.app.loopbacks import on_loopback
from fetchoff.app.own_code import code
from fetchoff.app.same_machine import identity
from fetchoff.app.serving import record_of, serving
from fetchoff.build.build_dir import BuildDir
from fetchoff.catalog.naming import name_of
from fetchoff.model.client import Client, Launch, Manifest, Readiness
from fetchoff.model.errors import BusyError, SetupError
from fetchoff.model.experiment import Experiment
from fetchoff.model.loopback import Loopback
from fetchoff.model.program import ProgramRecord
from fetchoff.protocol import link as link_protocol
from fetchoff.protocol import origin as origin_protocol
from fetchoff.run.adapters import adapter
from fetchoff.run.host.alone import alone
from fetchoff.run.host.machine import facts, usable_cores
from fetchoff.run.host.placement import lay_out, notes_on_threads, strongest_urgency
from fetchoff.run.host.seam import ThisMachine
from fetchoff.run.host.topology import Topology
from fetchoff.run.network import link_program
from fetchoff.run.network.own_loopback import laying
from fetchoff.run.origins import built_in
from fetchoff.run.origins.reference import fetch
from fetchoff.run.os.programs import record_of as record_of_program
from fetchoff.run.schedule.events import Listener
from fetchoff.run.schedule.runner import Dependencies, IsDecided, Runner
from fetchoff.store.run_folder import SCHEMA, ClientRecord, Header, RunFolder

if TYPE_CHECKING:
    from fetchoff.model.observation import Record

SPOOL = ".spool"


def new_run(
    experiment: Experiment,
    clients: Sequence[Client],
    title: str,
    out: Path | None,
    *notes: str,
    loopback: Loopback | None = None,
) -> RunFolder:
    """Create the run folder of an experiment; `notes` are shown in its results.

    `loopback`: the one that was asked for; None: its own where that is possible.
    """
    must_be_measurable(experiment.courses)
    on = on_loopback(experiment, loopback)
    experiment = on.experiment
    now = datetime.now(UTC)
    run_id = f"{now:%Y%m%d-%H%M%S}-{experiment.seed}"
    taking_part = {entrant.client for entrant in experiment.entrants}
    header = Header(
        run_id=run_id,
        title=title,
        started=now.isoformat(timespec="seconds"),
        fetchoff=fetchoff.__version__,
        experiment=experiment,
        clients=tuple(client_record(c) for c in clients if c.id in taking_part),
        environment=facts() | on.facts,
        notes=(
            *notes,
            *tree_notes(c for c in clients if c.id in taking_part),
            *placement_notes(experiment),
            *on.notes,
        ),
        absent=tuple(
            (c.id, f"{c.reason} ({c.hint})" if c.hint else c.reason)
            for c in clients
            if c.readiness is not Readiness.READY
        ),
        origin=record_of(experiment.origin),
        schema=SCHEMA,
        programs=programs_of(experiment),
        began_on=identity(run_id),
        code=code(),
    )
    return RunFolder.create(out or Path("runs") / run_id, header)


ORIGIN_PROGRAM = (built_in.BINARY, origin_protocol.VERSION)
LINK_PROGRAM = (link_program.BINARY, link_protocol.VERSION)


def programs_of(experiment: Experiment) -> tuple[ProgramRecord, ...]:
    """Fetchoff's own programs that the experiment uses."""
    found = [record_of_program(*ORIGIN_PROGRAM)]
    has_links = any(course.link.is_emulated for course in experiment.courses)
    if has_links or experiment.loopback is Loopback.OWN:
        found.append(record_of_program(*LINK_PROGRAM))
    return tuple(found)


def programs_there() -> tuple[ProgramRecord, ...]:
    """Those of Fetchoff's own programs that experiments use and this machine has."""
    found = []
    for program in (ORIGIN_PROGRAM, LINK_PROGRAM):
        with contextlib.suppress(SetupError):
            found.append(record_of_program(*program))
    return tuple(found)


def placement_notes(experiment: Experiment) -> tuple[str, ...]:
    """Notes on requested placements that this machine cannot fully provide.

    What isn't true of all courses names those it is true of.
    """
    cores, permitted = usable_cores(), strongest_urgency()
    topology, asked = Topology.of(cores), experiment.placement
    of_courses: dict[str, list[str]] = {}
    for course in experiment.courses:
        layout = lay_out(course, cores, permitted, asked)
        for note in (*layout.notes, *notes_on_threads(layout, topology)):
            of_courses.setdefault(note, []).append(course.id)
    return tuple(
        note if len(ids) == len(experiment.courses) else f"{', '.join(ids)}: {note}"
        for note, ids in of_courses.items()
    )


def tree_notes(clients: Iterable[Client]) -> Iterator[str]:
    """Which libraries were built from source trees: their versions do not tell."""
    for client in clients:
        if client.trees:
            names = " and ".join(Path(path).name for path in client.trees)
            yield f"{client.id} was built from sources of the user: {names}"


def client_record(client: Client) -> ClientRecord:
    """What a run stores about a client."""
    manifest, about = client.manifest, client.description
    assert about is not None
    return ClientRecord(
        id=client.id,
        kit=manifest.kit,
        kind=str(manifest.kind),
        about=manifest.about,
        homepage=manifest.homepage,
        version=about.version,
        runtime=about.runtime,
        engine=about.engine,
        adapter=adapter_of(manifest),
        source_name=manifest.source,
        source=manifest.source_path.read_text(encoding="utf-8", errors="replace"),
        json_parser=manifest.json_parser,
        built=BuildDir.of(manifest).digest,
        packages=client.packages,
        trees=manifest.trees,
        is_standard=manifest.is_standard,
        package=manifest.releases.package if manifest.releases else "",
        features=tuple(sorted(about.features)),
    )


def adapter_of(manifest: Manifest) -> str:
    """Where to find the client again: its id if it is shipped, or else its folder with its marks.

    They are those that it is built as. Its id in the run may have a version that no folder
    declares, such as the name of a branch.
    """
    return name_of(manifest, manifest.built_as)


def launches(clients: Sequence[Client]) -> dict[str, Launch]:
    """How to start each client that is ready."""
    return {client.id: client.launch for client in clients if client.launch is not None}


def measure(
    folder: RunFolder,
    launch: Mapping[str, Launch],
    listener: Listener,
    *,
    waits: bool = False,
    say: Callable[[str], None] = lambda _: None,
) -> None:
    """Measure until the run ends or the user presses Ctrl-C; what was measured is kept.

    If another run is measured on this machine, wait and tell the user if `waits`, or else raise
    BusyError and remove the folder if it was made for this and is still empty.
    """
    experiment = folder.header.experiment

    def decided(records: Sequence[Record], rounds: int) -> bool:
        return is_decided(experiment, records, rounds)

    try:
        with alone(waits=waits, say=say), running(folder, launch, listener, decided) as runner:
            runner.run()
    except BusyError:
        if folder.is_new and not folder.records():
            folder.discard()
        raise
    finally:
        folder.close()


@contextlib.contextmanager
def running(
    folder: RunFolder,
    launch: Mapping[str, Launch],
    listener: Listener,
    decided: IsDecided,
    *,
    host: str = "",
) -> Iterator[Runner]:
    """What measures into a run folder on this machine; its origin ends with the context.

    `host`: the id of this machine in the records.
    """
    experiment = folder.header.experiment
    with serving(experiment, folder.path) as start_origin:
        dependencies = Dependencies(
            host=ThisMachine(host),
            launches=launch,
            spool=folder.path / SPOOL,
            lay_network=laying(experiment.loopback),
            start_origin=start_origin,
            start_adapter=adapter.start,
            fetch=fetch,
            journal=folder,
            listener=listener,
            is_decided=decided,
        )
        yield Runner(experiment, dependencies)
