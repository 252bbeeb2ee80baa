"""Check that a run can be resumed: neither the machine nor Fetchoff, clients, origin and programs
may be others, or its rounds would be pooled with those of something else.

Of one that ended, clients that have not changed can still be explained.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import fetchoff
from fetchoff.app.choose import recorded, states
from fetchoff.app.measure import client_record, programs_of
from fetchoff.app.own_code import code
from fetchoff.app.same_machine import other_conditions, other_machine
from fetchoff.app.serving import record_of
from fetchoff.model.client import Client
from fetchoff.model.errors import FetchoffError, OriginError, SetupError, StoreError
from fetchoff.model.origin import BUILT_IN
from fetchoff.run.host.machine import usable_cores
from fetchoff.store.run_folder import SCHEMA, ClientRecord, Header

RESTORE = "start a new run, or restore the Fetchoff that started this one"


def must_be_unchanged(header: Header, clients: Sequence[Client]) -> None:
    """Raise SetupError, OriginError or StoreError if anything changed since a run of one machine
    began."""
    must_be_this_fetchoff(header)
    _same_machine(header)
    must_have_the_same(header, clients)


def must_have_measured_alike(header: Header) -> None:
    """Raise StoreError if a run was begun by a Fetchoff that measured in another way."""
    if header.schema != SCHEMA:
        raise StoreError(
            f"this run was started by Fetchoff {header.fetchoff}, which measured differently",
            "start a new run; 'fetchoff report' still shows this one",
        )


def must_be_this_fetchoff(header: Header) -> None:
    """Raise StoreError if another Fetchoff has begun a run: another version, or other code of this
    one. Older runs have no digest of the code, so it isn't checked."""
    must_have_measured_alike(header)
    if header.fetchoff != fetchoff.__version__:
        raise StoreError(
            f"this run was started by Fetchoff {header.fetchoff}, and this is "
            f"{fetchoff.__version__}",
            RESTORE,
        )
    if header.code and header.code != code():
        raise StoreError("Fetchoff's own code has changed since this run began", RESTORE)


def must_have_the_same(header: Header, clients: Sequence[Client]) -> None:
    """Raise SetupError or OriginError if clients, origin or programs of a run are others now."""
    _same_origin(header)
    _same_programs(header)
    now = {client.id: client for client in clients}
    for then in header.clients:
        must_be_the_same(then, now[then.id])


def unchanged_of(header: Header, say: Callable[[str], None]) -> list[Client]:
    """The clients that are still what a run has measured: only these can explain its figures.

    Of the others is told why not.
    """
    if why := other_machine(header, usable_cores()):
        say(f"note: nothing is explained: this run was measured on another machine ({why})")
        return []
    found = []
    for then in header.clients:
        try:
            (client,) = states(recorded(replace(header, clients=(then,))))
            must_be_the_same(then, client)
        except FetchoffError as error:
            say(f"note: {then.id} is not explained: {error.message}")
        else:
            found.append(client)
    return found


def _same_machine(header: Header) -> None:
    """Rounds of two machines, or of two users who may do different things, are not one sample."""
    if why := other_machine(header, usable_cores()):
        raise StoreError(
            f"this run began on another machine, or this one has changed since ({why})",
            "resume it there and on the same cores, or start a new run here",
        )
    if why := other_conditions(header):
        raise StoreError(
            f"permissions or limits have changed since this run began ({why})",
            "resume it as the same user (root, if it was root) and in the same container, or start "
            "a new run",
        )


def _same_origin(header: Header) -> None:
    if header.experiment.origin != BUILT_IN and record_of(header.origin.id) != header.origin:
        raise OriginError(
            f"origin '{header.origin.id}' has changed since this run began: it was "
            f"{header.origin.version or 'of an unknown version'}",
            "start a new run, or restore that version",
        )


def _same_programs(header: Header) -> None:
    """Compare Fetchoff's own programs; older runs did not store them, so there is no check."""
    others = set(header.programs) - set(programs_of(header.experiment))
    if others:
        names = " and ".join(sorted(f"{one.name} ({one.version})" for one in others))
        raise OriginError(
            f"Fetchoff's programs have changed since this run began: it used {names}",
            RESTORE,
        )


def must_be_the_same(then: ClientRecord, client: Client) -> None:
    """Raise SetupError if a client is no longer what a run has recorded."""
    if client.description is None:
        raise SetupError(f"{then.id} is no longer ready: {client.reason}", client.hint)
    now = client_record(client)
    told = (now.version, now.runtime, now.engine, now.source)
    # Includes the kit, lock file and recipe; older runs did not store this digest.
    built = then.built in ("", now.built)
    if told != (then.version, then.runtime, then.engine, then.source) or not built:
        raise SetupError(
            f"{then.id} has changed since this run began",
            "start a new run, or restore the client as run.json records it",
        )
