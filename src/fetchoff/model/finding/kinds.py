"""Which findings there are, and what readers can do about them."""

from __future__ import annotations

from enum import StrEnum


class Kind(StrEnum):
    """One member for each type of evidence."""

    UNSTEADY = "unsteady"
    WARM_UP_CUT_OFF = "warm-up-cut-off"
    ORIGIN_BOUND = "origin-bound"
    WORK_MOVED = "work-moved"
    CLOCKS_APART = "clocks-apart"
    IN_BATCHES = "in-batches"
    RARELY_DEAR = "rarely-dear"
    PROCESSES_UNLIKE = "processes-unlike"
    TWO_MODES = "two-modes"
    WINDOW = "window"
    POOL = "pool"
    FURTHER_THREADS = "further-threads"
    PAGE_FAULTS = "page-faults"
    CONTENT_IN_MEMORY = "content-in-memory"
    FEW_ROUNDS = "few-rounds"
    ROUNDS_FAILED = "rounds-failed"
    ANSWERED_WRONG = "answered-wrong"
    NOT_MEASURED = "not-measured"
    LIMIT = "limit"
    PLACEMENT_ASKED = "placement-asked"
    ROUNDS_EXCLUDED = "rounds-excluded"
    BATCHES_EXCLUDED = "batches-excluded"
    ALL_HELD_BACK = "all-held-back"
    TIERS_UNPROVEN = "tiers-unproven"
    MODES_MISSED = "modes-missed"
    ORDER_DIFFERS = "order-differs"
    RATIO_DIFFERS = "ratio-differs"
    OTHER_BASELINE = "other-baseline"
    CHECKS_UNCLEAR = "checks-unclear"
    TURNS_DISTURBED = "turns-disturbed"
    PROBES_APART = "probes-apart"
    THROTTLED = "throttled"
    LINK_AT_FAULT = "link-at-fault"
    NOTHING_COUNTS = "nothing-counts"
    CHECK_FAILED = "check-failed"


class Advice(StrEnum):
    """What a reader can do about a finding."""

    FREE_PLACEMENT = "free-placement"
    MORE_ROUNDS = "more-rounds"
    LARGER_BUDGET = "larger-budget"
    STOP_OTHER_WORK = "stop-other-work"
    SLOWER_LINK = "slower-link"
    LARGER_QUOTA = "larger-quota"


class Clock(StrEnum):
    """What time was read off."""

    WALL = "wall"
    CPU = "cpu"


class Whose(StrEnum):
    """Which processes of a client broke down: those that are ranked, or further ones of the same
    program, by which a run tests itself."""

    OWN = "own"
    CONTROLS = "controls"
    BOTH = "both"


class Holdup(StrEnum):
    """What may keep exchanges from being in flight."""

    POOL_OR_QUEUE = "pool-or-queue"
    QUEUE = "queue"
    QUEUE_OR_NAGLE = "queue-or-nagle"
    INITIAL_WINDOW = "initial-window"
