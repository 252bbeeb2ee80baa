"""The trials `aa` and `plus3`, done by running whole processes within a time budget."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping

from benches.verdicts.comparing import Conditions
from benches.verdicts.rules import criterion, paired, welch
from benches.verdicts.trials import Told, Trial
from benches.verdicts.whole_process import Walls, WholeProcesses, has_hyperfine

from fetchoff.model.client import Client
from fetchoff.model.experiment import Experiment

TRUTHS = {"aa": 1.0, "plus3": 1.03}
Collect = Callable[..., Walls]
Rules = Mapping[str, Callable[[Walls], Told]]


def peers(client: Client, conditions: Conditions, seconds: float, seed: int) -> Iterator[Trial]:
    """Each rival method on each trial; the seed decides the order of the sides.

    Rivals that differ by their rules alone judge the same runs.
    """
    assert client.launch is not None
    with WholeProcesses(client.launch, conditions.workload) as processes:
        for collect, rules in _ways(processes, seed):
            for question, truth in TRUTHS.items():
                walls = collect(truth, seconds, swap=seed % 2 == 1)
                for rival, rule in rules.items():
                    part, aim = f"{rival}-{question}", truth - 1
                    yield _trial(part, client, aim, walls, rule(walls), conditions, seed)


def _ways(processes: WholeProcesses, seed: int) -> Iterator[tuple[Collect, Rules]]:
    """How processes are run, and who judges them by which rule."""
    alpha = Experiment.alpha

    def as_criterion(walls: Walls) -> Told:
        return criterion(walls.a, walls.b, seed)

    yield (
        processes.alternated,
        {"alternated": lambda w: paired(w.a, w.b, alpha), "criterion-alternated": as_criterion},
    )
    if has_hyperfine():
        yield (
            processes.sequential,
            {"hyperfine": lambda w: welch(w.a, w.b, alpha), "criterion-sequential": as_criterion},
        )
    else:
        print("hyperfine is not installed: apt-get install hyperfine", file=sys.stderr)


def _trial(
    part: str,
    client: Client,
    aim: float,
    walls: Walls,
    told: Told,
    conditions: Conditions,
    seed: int,
) -> Trial:
    runs = min(len(walls.a), len(walls.b))
    return Trial(
        part=part,
        client=client.id,
        other=client.id,
        seed=seed,
        disturbed=conditions.disturbed,
        wall=told,
        cpu=told,  # they have wall time alone
        wall_truth=walls.truth,
        cpu_truth=walls.truth,
        aim=aim,
        rounds=runs,
        complete_rounds=runs,
        whole_s=walls.seconds,
        measured_s=walls.seconds,
        first_cpu_s=walls.seconds if told.verdict != "undecided" else 0.0,
        workload=conditions.workload,
    )
