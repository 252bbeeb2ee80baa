"""The feed of runs, in Atom (RFC 4287)."""

from __future__ import annotations

import re
import uuid
from dataclasses import dataclass

from fetchoff.model.results_file import StoredStanding
from fetchoff.report.site.collection import Collection
from fetchoff.report.site.entries import Run
from fetchoff.report.wording import site as wording

MOST = 50
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


@dataclass(frozen=True)
class Item:
    """A run in the feed."""

    id: str
    title: str
    address: str
    updated: str
    author: str
    summary: str


def items(whole: Collection) -> tuple[Item, ...]:
    """The newest runs."""
    return tuple(_item(run) for run in whole.runs[:MOST])


def own_id(whole: Collection) -> str:
    """The feed's id: it stays the same while newer runs are added."""
    return _urn(f"feed since {whole.runs[-1].name}")


def _item(run: Run) -> Item:
    told = [
        f"{wording.course(placed.course.workload)}: {_told(placed.withheld, placed.ranked)}"
        for placed in run.courses
    ]
    return Item(
        id=_urn(f"run {run.name}"),
        title=_xml(run.file.title or run.file.run_id),
        address=run.address,
        updated=f"{run.moment:%Y-%m-%dT%H:%M:%SZ}",
        author=_xml(run.by) or "the owner of this site",
        summary=_xml("; ".join(told)),
    )


def _told(withheld: str, ranked: tuple[StoredStanding, ...]) -> str:
    if withheld:
        return "withheld"
    return f"{ranked[0].client} first of {len(ranked)}" if ranked else "nothing ranked"


def _xml(text: str) -> str:
    """Without the characters that XML has no way to write."""
    return _NOT_XML.sub("", text)


def _urn(name: str) -> str:
    """An id that is the same wherever the same thing is told."""
    return f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_OID, f'fetchoff {name}')}"
