"""A gate: base against head, each a client of its own, whatever the user has set up."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from fetchoff.analysis.gate import again, budget_needed, end_of, judged, lost, track_record
from fetchoff.app.choose import chosen, told_apart
from fetchoff.app.trees import expanded, must_be_buildable
from fetchoff.build import trees
from fetchoff.model.check import CheckKind, CheckOutcome
from fetchoff.model.client import Manifest
from fetchoff.model.errors import InputError
from fetchoff.model.finding import CheckFailed, Finding, Kind
from fetchoff.model.gate import BASE, HEAD, Gate, Side
from fetchoff.model.spent import Spent
from fetchoff.store import gates

if TYPE_CHECKING:
    from fetchoff.model.analysis import Analysis, WorkloadResult
    from fetchoff.store.gates import Entry
    from fetchoff.store.run_folder import ClientRecord, RunFolder

ON_ALL = (Kind.CHECKS_UNCLEAR, Kind.THROTTLED)


def sides(
    base: str, head: str | None, base_with: Sequence[Path], head_with: Sequence[Path]
) -> tuple[Manifest, Manifest]:
    """The clients that a gate compares, under ids of their own.

    `base_with`, `head_with`: source trees that their libraries are built from; a side without any
    has its library from its usual place. `head`: None is base's client.
    InputError where there is nothing to compare, or a tree cannot be used.
    """
    if head is None and not (head_with or base_with):
        raise InputError(
            f"nothing to compare '{base}' with",
            f"give HEAD, or the library under development: fetchoff gate {base} --with PATH",
        )
    one, other = _one(base), _one(head or base)
    if not (head_with or base_with):
        return told_apart(replace(one, trees=()), replace(other, trees=()))
    return _built_from(one, base_with, BASE), _built_from(other, head_with, HEAD)


def gate_of(folder: RunFolder, analysis: Analysis) -> Gate:
    """What a gate's run says."""
    header, records = folder.header, folder.records()
    experiment = header.experiment
    rows, rounds = judged(experiment, records), lost(experiment, records)
    base, head = header.clients[0], header.clients[-1]
    withheld = (result.withheld for result in analysis.results if result.withheld)
    assert experiment.limit is not None
    return Gate(
        run_id=header.run_id,
        started=header.started,
        base=_side(base),
        head=_side(head),
        alpha=experiment.alpha,
        margin=experiment.limit,
        end=end_of(rows, rounds),
        rows=rows,
        again=again(experiment, records),
        seconds=Spent(records).seconds,
        budget_s=experiment.budget_s,
        seed=experiment.seed,
        budget_needed=budget_needed(records, rows, rounds),
        withheld=next(withheld, None),
        lost=rounds,
        findings=tuple(findings_on(analysis.results)),
    )


def findings_on(results: Iterable[WorkloadResult]) -> Iterator[tuple[str, Finding]]:
    """What a reader must know beside the verdicts, each with its workload: what was found of base
    and head, that one of them was not steady, that self-checks could not tell, and, as gates often
    run in containers, that a CPU quota stopped processes. Rounds that failed are apart (`lost`)."""
    for result in results:
        of_rows = (finding for row in result.standings for finding in row.findings)
        on_all = (finding for finding in result.findings if finding.kind in ON_ALL)
        for finding in (*of_rows, *_unsteady(result), *on_all):
            yield result.workload, finding


def _unsteady(result: WorkloadResult) -> Iterator[Finding]:
    """Trends of one client: they withhold nothing."""
    for check in result.checks:
        is_trend = check.kind is CheckKind.TREND and check.outcome is CheckOutcome.FAILED
        if is_trend and check.client:
            yield Finding(CheckFailed(check, 0), (check.client,))


def on_record(path: Path) -> list[Entry]:
    """The gates of a repository's record, before another is measured.

    InputError if it is no record, StoreError if it could not take another gate.
    """
    gates.must_be_writable(path)
    return gates.read(path)


def with_record(gate: Gate, known: Sequence[Entry]) -> Gate:
    """The gate with what the record says, once it is on it itself."""
    entries = known if gate.withheld else gates.added(known, gate)
    if not entries:
        return gate
    return replace(gate, record=track_record([entry.differed for entry in entries]))


def put_on_record(gate: Gate, path: Path) -> None:
    """Add the gate to the repository's record; StoreError or InputError if that fails.

    A gate whose figures must not be believed is no trial of what a gate says.
    """
    if not gate.withheld:
        gates.add(path, gate)


def _side(record: ClientRecord) -> Side:
    return Side(record.id, record.version, tuple(tree.name for tree in record.trees or ()))


def _one(name: str) -> Manifest:
    manifests = chosen([name])
    if len(manifests) != 1:
        raise InputError(
            f"'{name}' matches {len(manifests)} clients; a gate needs exactly one on each side",
            "list them: fetchoff clients",
        )
    return manifests[0]


def _built_from(manifest: Manifest, paths: Sequence[Path], mark: str) -> Manifest:
    """The client with its library from these trees, and named so; without any, as released."""
    if not paths:
        return replace(manifest, trees=())
    must_be_buildable(manifest)
    taken = tuple(trees.take(str(manifest.id), expanded(path)) for path in paths)
    return replace(manifest, id=replace(manifest.id, version=mark), trees=taken)
