"""Build the courses of a run: each workload over each requested link."""

from __future__ import annotations

from collections.abc import Sequence

from fetchoff.catalog import links, workloads
from fetchoff.catalog.files import SUFFIX
from fetchoff.model.course import Course
from fetchoff.model.errors import InputError
from fetchoff.model.link import LOOPBACK
from fetchoff.model.workload import PLACED, Placement, is_placed


def courses(
    names: Sequence[str], over: Sequence[str] = (), placement: Placement | None = None
) -> list[Course]:
    """The courses of these names; a name can include its link, as in `download@10M/london`.

    A workload without a link is measured over each of the links `over`, or over loopback.
    `placement`: the one that is asked for all of them; then no name may have one.
    """
    asked = [links.link(name) for name in over] or [LOOPBACK]
    found = []
    for name in names:
        workload, link = _divided(name)
        chosen = [links.link(link)] if link else asked
        found += [Course(workloads.workload(workload), each) for each in chosen]
    _must_differ(found)
    for course in found:
        _must_place(course, placement)
    return found


def must_be_measurable(found: Sequence[Course]) -> None:
    """Raise InputError if nothing can be measured on one of these courses."""
    for course in found:
        if course.link.names:
            raise InputError(
                f"link '{course.link.id}' has names, which are for diagnosis alone: nothing is "
                "measured over it",
                "'fetchoff explain CLIENT' and 'fetchoff link' take it; choose another one here: "
                "'fetchoff links'",
            )


def _divided(name: str) -> tuple[str, str]:
    """The workload and its link, or "".

    A path has slashes, so where the last part is a file's name, or that with a value or a placement
    after it, there is no link.
    """
    workload, mark, link = name.rpartition("/")
    if name.endswith(SUFFIX) or f"{SUFFIX}@" in link or f"{SUFFIX}{PLACED}" in link:
        return name, ""
    return (workload, link) if mark else (name, "")


def _must_place(course: Course, placement: Placement | None) -> None:
    workload = course.workload
    if not is_placed(workload):
        return
    plain = workload.id.removesuffix(f"{PLACED}{workload.placement}")
    if placement is not None:
        raise InputError(
            f"workload '{workload.id}' has its placement in its name, and --placement {placement} "
            "is for all workloads",
            f"give one of the two: leave out --placement, or name '{plain}' with -w",
        )
    if course.link.is_emulated:
        raise InputError(
            f"'{course.id}': over a link, a workload's placement doesn't count",
            f"name '{plain}' with -w; --placement of 'fetchoff run', 'compare' and 'gate' places "
            "all clients of a run, also over links",
        )


def _must_differ(found: Sequence[Course]) -> None:
    ids = [course.id for course in found]
    for name in ids:
        if ids.count(name) > 1:
            raise InputError(
                f"workload '{name}' is given more than once",
                "give each once; the id of a file's workload is its name without .toml",
            )
