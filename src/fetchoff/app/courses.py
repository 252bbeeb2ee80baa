"""What clients are to be ranked on: workloads, each over the links that were asked for."""

from __future__ import annotations

from collections.abc import Sequence

from fetchoff.catalog import links, workloads
from fetchoff.catalog.files import SUFFIX
from fetchoff.model.course import Course
from fetchoff.model.errors import InputError
from fetchoff.model.link import LOOPBACK


def courses(names: Sequence[str], over: Sequence[str] = ()) -> list[Course]:
    """The courses of these names: `download@10M/london` names its link.

    A workload without one is taken over each of the links `over`, or over loopback.
    """
    asked = [links.link(name) for name in over] or [LOOPBACK]
    found = []
    for name in names:
        workload, link = _divided(name)
        chosen = [links.link(link)] if link else asked
        found += [Course(workloads.workload(workload), each) for each in chosen]
    _must_differ(found)
    return found


def _divided(name: str) -> tuple[str, str]:
    """The workload and its link, if there is one; the path of a file has slashes of its own."""
    if name.endswith(SUFFIX):
        return name, ""
    workload, mark, link = name.rpartition("/")
    return (workload, link) if mark else (name, "")


def _must_differ(found: Sequence[Course]) -> None:
    ids = [course.id for course in found]
    for name in ids:
        if ids.count(name) > 1:
            raise InputError(
                f"there is more than one workload '{name}'",
                "name each once; a file's name, without .toml, is its workload's id",
            )
