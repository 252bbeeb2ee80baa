"""Whether a run can be gone on with: what measures and what is measured must be the same still."""

from __future__ import annotations

from collections.abc import Sequence

from fetchoff.app.measure import client_record, programs_of
from fetchoff.app.serving import record_of
from fetchoff.model.client import Client
from fetchoff.model.errors import OriginError, SetupError, StoreError
from fetchoff.model.origin import BUILT_IN
from fetchoff.store.run_folder import SCHEMA, ClientRecord, Header


def must_be_unchanged(header: Header, clients: Sequence[Client]) -> None:
    """A run goes on with the very clients, origin and programs that it began with, or not at all.

    SetupError, OriginError or StoreError where something is another.
    """
    if header.schema != SCHEMA:
        raise StoreError(
            f"this run was begun by Fetchoff {header.fetchoff}, which measured in another way",
            "begin a new run; 'fetchoff report' still shows this one",
        )
    _same_origin(header)
    _same_programs(header)
    now = {client.id: client for client in clients}
    for then in header.clients:
        _same_client(then, now[then.id])


def _same_origin(header: Header) -> None:
    if header.experiment.origin != BUILT_IN and record_of(header.origin.id) != header.origin:
        raise OriginError(
            f"origin '{header.origin.id}' is not what it was when this run began: it was "
            f"{header.origin.version or 'of an unknown version'}",
            "begin a new run, or go back to that version",
        )


def _same_programs(header: Header) -> None:
    """Of runs of before they were kept nobody knows."""
    others = set(header.programs) - set(programs_of(header.experiment))
    if others:
        names = " and ".join(sorted(f"{one.name} ({one.version})" for one in others))
        raise OriginError(
            f"{names} is not the program that this run began with",
            "begin a new run, or go back to the Fetchoff that it was begun with",
        )


def _same_client(then: ClientRecord, client: Client) -> None:
    if client.description is None:
        raise SetupError(f"{then.id} is not ready any more: {client.reason}", client.hint)
    now = client_record(client)
    told = (now.version, now.runtime, now.source)
    # Kit, lock file and recipe as well; of runs of before that was kept nobody knows.
    built = then.built in ("", now.built)
    if told != (then.version, then.runtime, then.source) or not built:
        raise SetupError(
            f"{then.id} is not what it was when this run began",
            "begin a new run, or go back to the version that the run folder names",
        )
