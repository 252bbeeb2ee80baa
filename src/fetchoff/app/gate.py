"""A gate: base against head, each a client of its own, whatever the user has set up."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from fetchoff.analysis.gate import again, budget_needed, end_of, judged, track_record
from fetchoff.app.choose import chosen, told_apart
from fetchoff.app.trees import must_be_buildable
from fetchoff.build import trees
from fetchoff.model.client import Manifest
from fetchoff.model.errors import InputError
from fetchoff.model.finding import Finding, Kind
from fetchoff.model.gate import Gate, Side
from fetchoff.store import gates

if TYPE_CHECKING:
    from fetchoff.model.analysis import Analysis, WorkloadResult
    from fetchoff.store.run_folder import ClientRecord, RunFolder

BASE, HEAD = "base", "head"


def sides(
    base: str, head: str | None, base_with: Sequence[Path], head_with: Sequence[Path]
) -> tuple[Manifest, Manifest]:
    """The clients that a gate compares, under ids of their own.

    `base_with`, `head_with`: source trees that their libraries are built from; a side without any
    has its library from its usual place if the other has some. `head`: None is base's client.
    InputError where there is nothing to compare, or a tree cannot be used.
    """
    if head is None and not (head_with or base_with):
        raise InputError(
            f"nothing to compare '{base}' with",
            f"give HEAD, or the library under development: fetchoff gate {base} --with PATH",
        )
    one, other = _one(base), _one(head or base)
    if not (head_with or base_with):
        return told_apart(one, other)
    return _built_from(one, base_with, BASE), _built_from(other, head_with, HEAD)


def gate_of(folder: RunFolder, analysis: Analysis) -> Gate:
    """What a gate's run says."""
    header, records = folder.header, folder.records()
    experiment = header.experiment
    rows = judged(experiment, records)
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
        end=end_of(rows),
        rows=rows,
        again=again(experiment, records),
        seconds=analysis.seconds,
        budget_s=experiment.budget_s,
        seed=experiment.seed,
        budget_needed=budget_needed(experiment, rows),
        withheld=next(withheld, None),
        throttled=throttled_on(analysis.results),
    )


def throttled_on(results: Iterable[WorkloadResult]) -> tuple[tuple[str, Finding], ...]:
    """What was found of CPU quotas, with the workload: gates often run in containers."""
    return tuple(
        (result.workload, finding)
        for result in results
        for finding in result.findings
        if finding.kind is Kind.THROTTLED
    )


def with_record(gate: Gate, path: Path | None) -> Gate:
    """The gate with the repository's record, to which it is added; StoreError if that fails.

    A gate whose figures must not be believed is no trial of what a gate says.
    """
    if path is None:
        return gate
    entries = gates.read(path) if gate.withheld else gates.add(path, gate)
    if not entries:
        return gate
    return replace(gate, record=track_record([entry.differed for entry in entries]))


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
    taken = tuple(trees.take(str(manifest.id), path.expanduser()) for path in paths)
    return replace(manifest, id=replace(manifest.id, version=mark), trees=taken)
