"""Courses: a workload over a link. Clients are ranked on each course separately."""

from __future__ import annotations

from dataclasses import dataclass

from fetchoff.model.link import LOOPBACK, Link
from fetchoff.model.workload import Workload


@dataclass(frozen=True)
class Course:
    """A workload over a link."""

    workload: Workload
    link: Link = LOOPBACK

    @property
    def id(self) -> str:
        """`download@10M/london`; over loopback the workload's own id."""
        return course_id(self.workload.id, self.link.id)


def course_id(workload: str, link: str) -> str:
    """The id of the course of a workload and a link."""
    return workload if link == LOOPBACK.id else f"{workload}/{link}"


def parts_of(course: str) -> tuple[str, str]:
    """The ids of a course's workload and link."""
    workload, _, link = course.partition("/")
    return workload, link or LOOPBACK.id
