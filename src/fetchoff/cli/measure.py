"""What `run`, `compare` and `resume` share: measure, then show and write the results."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import fetchoff
from fetchoff.analysis.stopping import is_decided
from fetchoff.cli.live import watching
from fetchoff.model.client import Client, Launch, Readiness
from fetchoff.model.experiment import Experiment
from fetchoff.run.machine import facts
from fetchoff.run.origin import BuiltInOrigin
from fetchoff.run.runner import Bench, Runner
from fetchoff.store.run_folder import ClientRecord, Header, RunFolder

if TYPE_CHECKING:
    from fetchoff.model.observation import Record
    from fetchoff.run.origin import Origin

SPOOL = ".spool"


@dataclass(frozen=True)
class Manner:
    """How the user wants it told."""

    quiet: bool = False
    as_json: bool = False


def new_run(
    experiment: Experiment, clients: Sequence[Client], title: str, out: Path | None
) -> RunFolder:
    """Make the run folder of an experiment."""
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
        environment=facts(),
        absent=tuple(
            (c.id, f"{c.reason} ({c.hint})" if c.hint else c.reason)
            for c in clients
            if c.readiness is not Readiness.READY
        ),
    )
    return RunFolder.create(out or Path("runs") / run_id, header)


def client_record(client: Client) -> ClientRecord:
    """What a run keeps of a client."""
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
        source_name=manifest.source,
        source=manifest.source_path.read_text(encoding="utf-8", errors="replace"),
    )


def launches(clients: Sequence[Client]) -> dict[str, Launch]:
    """How to start each client that is ready."""
    return {client.id: client.launch for client in clients if client.launch is not None}


def measure(folder: RunFolder, launch: Mapping[str, Launch], manner: Manner) -> None:
    """Run to the end, or to the user's Ctrl-C: what was measured stays in the folder."""
    experiment = folder.header.experiment
    with watching(experiment, folder, quiet=manner.quiet or manner.as_json) as listener:

        def decided(records: Sequence[Record], rounds: int) -> bool:
            return is_decided(experiment, records, rounds)

        bench = Bench(
            launches=launch,
            spool=folder.path / SPOOL,
            start_origin=_start_origin,
            journal=folder,
            listener=listener,
            is_decided=decided,
        )
        try:
            Runner(experiment, bench).run()
        finally:
            folder.close()


def _start_origin(folder: Path, core: int) -> Origin:
    return BuiltInOrigin(folder, core)

