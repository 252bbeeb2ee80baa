"""Findings: what a run shows beside its figures, as types. `report/wording` makes the sentences.

Each kind has evidence of its own type. Units are in the names of fields, shares run from 0 to 1,
and rounds count from 0. Findings of one kind that differ in numbers alone are told in one sentence.
"""

from __future__ import annotations

from dataclasses import dataclass

from fetchoff.model.finding.kinds import (
    Advice,
    Clock,
    Holdup,
    Kind,
    Whose,
)
from fetchoff.model.finding.of_clients import (
    AnsweredWrong,
    ClientEvidence,
    ClocksApart,
    FewRounds,
    FurtherThreads,
    InBatches,
    NotMeasured,
    OriginBound,
    PageFaults,
    Pool,
    ProcessesUnlike,
    RarelyDear,
    RoundsFailed,
    TwoModes,
    Unsteady,
    WarmUpCutOff,
    Window,
    WorkMoved,
)
from fetchoff.model.finding.of_workloads import (
    AllHeldBack,
    BatchesExcluded,
    CheckFailed,
    ChecksUnclear,
    ContentInMemory,
    Limit,
    LinkAtFault,
    ModesMissed,
    NothingCounts,
    OrderDiffers,
    OtherBaseline,
    PlacementAsked,
    ProbesApart,
    RatioDiffers,
    RoundsExcluded,
    Throttled,
    TiersUnproven,
    TurnsDisturbed,
    WorkloadEvidence,
)

__all__ = [
    "Advice",
    "AllHeldBack",
    "AnsweredWrong",
    "BatchesExcluded",
    "CheckFailed",
    "ChecksUnclear",
    "ClientEvidence",
    "Clock",
    "ClocksApart",
    "ContentInMemory",
    "Evidence",
    "FewRounds",
    "Finding",
    "FurtherThreads",
    "Holdup",
    "InBatches",
    "Kind",
    "Limit",
    "LinkAtFault",
    "ModesMissed",
    "NotMeasured",
    "NothingCounts",
    "OrderDiffers",
    "OriginBound",
    "OtherBaseline",
    "PageFaults",
    "PlacementAsked",
    "Pool",
    "ProbesApart",
    "ProcessesUnlike",
    "RarelyDear",
    "RatioDiffers",
    "RoundsExcluded",
    "RoundsFailed",
    "Throttled",
    "TiersUnproven",
    "TurnsDisturbed",
    "TwoModes",
    "Unsteady",
    "WarmUpCutOff",
    "Whose",
    "Window",
    "WorkMoved",
    "WorkloadEvidence",
]

Evidence = ClientEvidence | WorkloadEvidence


@dataclass(frozen=True)
class Finding:
    """`subject`: ids of the clients that it is about; none: it is about the workload."""

    evidence: Evidence
    subject: tuple[str, ...] = ()
    advice: Advice | None = None

    @property
    def kind(self) -> Kind:
        """What kind of finding it is."""
        return self.evidence.kind
