"""The command that measures the same again."""

from __future__ import annotations

from fetchoff.app.repeating import command_of
from fetchoff.model.course import Course
from fetchoff.model.experiment import Experiment, Role, with_controls
from fetchoff.model.workload import Exchange, Placement, Workload
from fetchoff.store.run_folder import Header

GET = Course(Workload("small-get", "", (Exchange("GET", "/"),)))
CLIENTS = tuple((client, "c", Role.RANKED) for client in ("c/libcurl", "c/neon"))


def header(experiment: Experiment) -> Header:
    return Header("", "", "", "", experiment, (), environment={})


def test_a_ranking_names_clients_workloads_and_seed() -> None:
    experiment = Experiment(with_controls(CLIENTS), (GET,), "c/neon", seed=7, budget_s=150)
    assert command_of(header(experiment)) == (
        "fetchoff run -c c/libcurl -c c/neon --baseline c/neon -w small-get --budget 150 --seed 7"
    )


def test_a_comparison_says_what_differs_from_the_default() -> None:
    experiment = Experiment(
        with_controls(CLIENTS),
        (GET,),
        "c/libcurl",
        seed=7,
        pair_only=True,
        origin="nginx",
        placement=Placement.FREE,
    )
    assert command_of(header(experiment)) == (
        "fetchoff compare c/libcurl c/neon -w small-get --origin nginx --placement free "
        "--budget 150 --seed 7"
    )
