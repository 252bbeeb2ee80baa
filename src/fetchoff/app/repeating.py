"""The command that measures the same again."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from typing import TYPE_CHECKING

from fetchoff.model.experiment import Experiment, Role

if TYPE_CHECKING:
    from fetchoff.store.run_folder import Header

BUILT_IN = "built-in"


def command_of(header: Header) -> str:
    """Names everything, so that it does not depend on what suites say in another version.

    A client or a workload that does not ship is named by its id: only its user knows its folder.
    """
    return shlex.join(["fetchoff", *_words(header.experiment)])


def _words(experiment: Experiment) -> Iterator[str]:
    clients = [e.client for e in experiment.entrants if e.role is not Role.CONTROL]
    if experiment.pair_only:
        yield from ("compare", *clients)
    else:
        yield "run"
        for client in clients:
            yield from ("-c", client)
        yield from ("--baseline", experiment.baseline)
    for course in experiment.courses:
        yield from ("-w", course.id)
    if experiment.origin != BUILT_IN:
        yield from ("--origin", experiment.origin)
    if experiment.placement is not None:
        yield from ("--placement", str(experiment.placement))
    yield from ("--budget", f"{experiment.budget_s:g}", "--seed", str(experiment.seed))
