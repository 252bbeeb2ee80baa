"""A release of a client that is slower: a loop in each exchange of its adapter."""

from __future__ import annotations

import re
from dataclasses import dataclass

SPUN_NS = 60_000
"""In each exchange: a quarter of it or more, which about ten rounds show."""


@dataclass(frozen=True)
class Place:
    """Where a loop goes: `before` the first match of a pattern. `loop`: with `NS` for how long."""

    before: str
    loop: str


PLACES = {
    "perl/http-tiny": Place(
        r"^        my @options  = ",
        "        { require Time::HiRes; my $until = Time::HiRes::clock_gettime(1) + NS / 1e9;"
        " 1 while Time::HiRes::clock_gettime(1) < $until }\n",
    ),
    "php/curl": Place(
        r"^        if \(\$exchange !== ",
        "        for ($until = hrtime(true) + NS; hrtime(true) < $until;);\n",
    ),
    "python/http-client": Place(
        r"^        connection, headers = exchange\.arguments$",
        "        import time\n        until = time.perf_counter_ns() + NS\n"
        "        while time.perf_counter_ns() < until:\n            pass\n",
    ),
    "ruby/net-http": Place(
        r"^    exchange\.with_files do ",
        "    done = Process.clock_gettime(Process::CLOCK_MONOTONIC, :nanosecond) + NS\n"
        "    nil while Process.clock_gettime(Process::CLOCK_MONOTONIC, :nanosecond) < done\n",
    ),
}
"""By client."""


def slowed(client: str, source: str) -> str:
    """The source of a client's adapter with the loop; ValueError where there is no place for it."""
    place = PLACES.get(client)
    if place is None:
        raise ValueError(f"nothing is known to make {client} slower: only {', '.join(PLACES)}")
    found = re.search(place.before, source, flags=re.M)
    if found is None:
        raise ValueError(f"{client}: '{place.before}' is not in its adapter")
    loop = place.loop.replace("NS", str(SPUN_NS))
    return source[: found.start()] + loop + source[found.start() :]
