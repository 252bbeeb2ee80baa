"""The command that measures the same again."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from fetchoff.app.courses import courses
from fetchoff.catalog import claims
from fetchoff.model.client import ClientId
from fetchoff.model.errors import FetchoffError
from fetchoff.model.experiment import Experiment, Role
from fetchoff.model.loopback import Loopback
from fetchoff.model.origin import BUILT_IN
from fetchoff.run.origins.remote import is_near

if TYPE_CHECKING:
    from fetchoff.catalog.workloads import Suite
    from fetchoff.store.run_folder import ClientRecord, Header


def command_of(header: Header) -> str:
    """Names everything, so that it does not depend on what suites say in another version.

    A client or a workload that does not ship is named by its id, and a source tree by its name:
    only its user knows its folder. "" where no command measures that: a comparison of a history has
    an error rate of its own, and a trial comes of what was found.
    """
    experiment = header.experiment
    if experiment.alpha != Experiment.alpha or header.hosts or header.machine:
        return ""
    if not (experiment.jointly or experiment.margin == Experiment.margin):
        return ""
    words = list(_words(header) if experiment.decide_on else _reproduced(experiment))
    return shlex.join(["fetchoff", *words]) if words else ""


def _words(header: Header) -> Iterator[str]:
    experiment = header.experiment
    clients = [e.client for e in experiment.entrants if e.role is not Role.CONTROL]
    if experiment.jointly:
        yield from ("gate", *_sides(header))
    elif experiment.pair_only:
        yield from ("compare", *clients)
    else:
        yield from ("run", *_suite(experiment))
        for client in clients:
            yield from ("-c", client)
        yield from ("--baseline", experiment.baseline)
    for course in experiment.courses:
        yield from ("-w", course.id)
    if experiment.origin != BUILT_IN:
        yield from _origin(experiment)
    if experiment.placement is not None:
        yield from ("--placement", str(experiment.placement))
    if _is_on_the_machines(experiment):
        yield from ("--loopback", str(experiment.loopback))
    yield from ("--budget", f"{experiment.budget_s:g}", "--seed", str(experiment.seed))
    if experiment.jointly and experiment.limit is not None:
        yield from ("--margin", f"{100 * experiment.limit:g}")
    elif experiment.limit is not None:
        yield from ("--fail-if-slower", f"{100 * experiment.limit:g}")


def _suite(experiment: Experiment) -> Iterator[str]:
    """The suite where it has rounds of another length than others: no option says that."""
    usual = (Experiment.blocks, Experiment.blocks_over_links)
    if experiment.suite and (experiment.blocks, experiment.blocks_over_links) != usual:
        yield experiment.suite


def _origin(experiment: Experiment) -> Iterator[str]:
    yield from ("--origin", experiment.origin)
    if "://" in experiment.origin and _may_be_remote(experiment.origin):
        yield "--allow-remote"


def _may_be_remote(url: str) -> bool:
    """Whether it may lead out of the user's network; nobody is asked where a name leads."""
    host = urlsplit(url).hostname or ""
    try:
        return not is_near(host)
    except ValueError:
        return host != "localhost"


def _is_on_the_machines(experiment: Experiment) -> bool:
    """Whether it was measured on the machine's loopback, where a run has its own; gates have no
    choice."""
    has_loopback = any(not course.link.is_emulated for course in experiment.courses)
    needs_one = experiment.origin == BUILT_IN and has_loopback and not experiment.jointly
    return needs_one and experiment.loopback is Loopback.MACHINE


def _reproduced(experiment: Experiment) -> Iterator[str]:
    """Of an article's suite as it is now, if that has the same courses; otherwise nothing.

    Without --budget at least as many rounds are measured as judging a claim takes.
    """
    if experiment.suite not in (*claims.articles(), *claims.reported()):
        return
    links = [link.id for link in experiment.links]
    for full, over in product((False, True), dict.fromkeys(((), tuple(links)))):
        suite = claims.suite(experiment.suite, full=full)
        has_its_budget = experiment.budget_s == suite.budget_s
        if not _are_of(experiment, suite, over):
            continue
        if experiment.least_rounds > 1 and not has_its_budget:
            continue
        yield from ("reproduce", experiment.suite, *(["--full"] if full else []))
        for link in over:
            yield from ("--link", link)
        if experiment.origin != suite.origin:
            yield from _origin(experiment)
        if experiment.least_rounds == 1:
            yield from ("--budget", f"{experiment.budget_s:g}")
        yield from ("--seed", str(experiment.seed))
        return


def _are_of(experiment: Experiment, suite: Suite, over: Sequence[str]) -> bool:
    try:
        planned = courses(suite.workloads, over)
    except FetchoffError:  # such a link does not ship
        return False
    return [course.id for course in planned] == [course.id for course in experiment.courses]


def _sides(header: Header) -> Iterator[str]:
    """Base and head of a gate, and what they are built from."""
    base, head = header.clients[0], header.clients[-1]
    yield _asked(base)
    if head.adapter != base.adapter or not (base.trees or head.trees):
        yield _asked(head)
    for option, side in (("--base-with", base), ("--with", head)):
        for tree in side.trees or ():
            yield from (option, tree.name)


def _asked(side: ClientRecord) -> str:
    """What to call a side: one that is built from trees has an id of its gate's alone."""
    if not side.trees:
        return side.id
    is_shipped = not Path(side.adapter).is_absolute()
    return side.adapter if is_shipped else str(replace(ClientId.parse(side.id), version=""))
