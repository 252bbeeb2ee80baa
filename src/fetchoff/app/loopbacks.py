"""Choose the loopback of a run: its own where that is permitted, or else the machine's."""

from __future__ import annotations

from dataclasses import dataclass, replace

from fetchoff.model.errors import FetchoffError, InputError
from fetchoff.model.experiment import Experiment
from fetchoff.model.loopback import RECEIVE_BUFFER_BYTES, Loopback
from fetchoff.model.origin import BUILT_IN
from fetchoff.run.network.own_loopback import own_loopback
from fetchoff.run.os.scratch import scratch

FACT = "loopback"
OWN = f"its own, receive buffers of {RECEIVE_BUFFER_BYTES:,} bytes"
MACHINES = "the machine's, receive buffers as the kernel chooses"


@dataclass(frozen=True)
class OnLoopback:
    """An experiment with its loopback. `facts` and `notes`: what a reader of the results needs."""

    experiment: Experiment
    facts: dict[str, str]
    notes: tuple[str, ...] = ()


def on_loopback(experiment: Experiment, asked: Loopback | None = None) -> OnLoopback:
    """The experiment on the loopback that was asked for; None: its own where that is possible.

    Raises InputError, LinkError or SetupError if its own was asked for and can't be had.
    """
    if not _needs_one(experiment):
        if asked is Loopback.OWN:
            raise InputError(
                "--loopback own needs the built-in origin, and a workload without a link",
                "leave out --loopback, or --origin and --link",
            )
        return OnLoopback(_on(experiment, Loopback.MACHINE), {})
    if asked is Loopback.MACHINE:
        return OnLoopback(_on(experiment, Loopback.MACHINE), {FACT: f"{MACHINES}: as asked"})
    why_not = lacking()
    if why_not is None:
        return OnLoopback(_on(experiment, Loopback.OWN), {FACT: OWN})
    if asked is Loopback.OWN:
        raise why_not
    note = (
        "measured on the machine's loopback, where downloads vary more from process to process: "
        f"{why_not.message}"
    )
    facts = {FACT: f"{MACHINES}: {why_not.message}"}
    return OnLoopback(_on(experiment, Loopback.MACHINE), facts, (note,))


def best() -> Loopback:
    """Its own where this machine permits that, or else the machine's."""
    return Loopback.MACHINE if lacking() else Loopback.OWN


def lacking() -> FetchoffError | None:
    """Why there can be no loopback of its own on this machine; None if there can."""
    try:
        with scratch() as folder, own_loopback(folder) as network:
            network.socket().close()
    except FetchoffError as error:
        return error
    return None


def _needs_one(experiment: Experiment) -> bool:
    has_loopback = any(not course.link.is_emulated for course in experiment.courses)
    return experiment.origin == BUILT_IN and has_loopback


def _on(experiment: Experiment, loopback: Loopback) -> Experiment:
    return replace(experiment, loopback=loopback)
