"""The trials `aa` and `plus3`, done by running whole processes within a time budget."""

from __future__ import annotations

import sys
from collections.abc import Iterator

from benches.verdicts.comparing import Conditions
from benches.verdicts.trials import Told, Trial
from benches.verdicts.whole_process import Compared, WholeProcesses, has_hyperfine

from fetchoff.model.client import Client
from fetchoff.model.experiment import Experiment

TRUTHS = {"aa": 1.0, "plus3": 1.03}


def peers(client: Client, conditions: Conditions, seconds: float, seed: int) -> Iterator[Trial]:
    """Each rival method on each trial; the seed decides the order of the sides."""
    assert client.launch is not None
    alpha, swap = Experiment.alpha, seed % 2 == 1
    with WholeProcesses(client.launch, conditions.workload) as processes:
        rivals = {"alternated": processes.alternated}
        if has_hyperfine():
            rivals["hyperfine"] = processes.sequential
        else:
            print("hyperfine is not installed: apt-get install hyperfine", file=sys.stderr)
        for rival, compare in rivals.items():
            for question, truth in TRUTHS.items():
                found = compare(truth, seconds, alpha, swap=swap)
                part, aim = f"{rival}-{question}", truth - 1
                yield _trial(part, client, aim, found, conditions, seed)


def _trial(
    part: str, client: Client, aim: float, found: Compared, conditions: Conditions, seed: int
) -> Trial:
    told = Told(found.verdict, found.ratio, found.low, found.high)
    return Trial(
        part=part,
        client=client.id,
        other=client.id,
        seed=seed,
        disturbed=conditions.disturbed,
        wall=told,
        cpu=told,  # they have wall time alone
        wall_truth=found.truth,
        cpu_truth=found.truth,
        aim=aim,
        rounds=found.runs,
        complete_rounds=found.runs,
        whole_s=found.seconds,
        measured_s=found.seconds,
        first_cpu_s=found.seconds if found.verdict != "undecided" else 0.0,
        workload=conditions.workload,
    )
