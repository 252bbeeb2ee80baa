"""What the listings print with `--json`. docs/reference/listings.md is written from these types.

The text of each key is its meaning; `None` in a type is JSON's `null`.
"""

from __future__ import annotations

from typing import Annotated, TypedDict


class FaultListing(TypedDict):
    """A case of the contract that a library fails."""

    why: Annotated[str, "what the library does wrong"]
    sometimes: Annotated[bool, "the case may also pass"]
    breaks: Annotated[bool, "it may end or hang there"]


class ClientListing(TypedDict):
    """A client, one of the list of `fetchoff clients --json`."""

    client: Annotated[str, "its id"]
    kind: Annotated[str, "`product`, or `floor`: a bare socket, never ranked"]
    about: Annotated[str, "what the adapter does, in a line"]
    homepage: Annotated[str, 'the library\'s page, `""` if there is none']
    tried: Annotated[bool, "whether the adapter ever ran"]
    json_parser: Annotated[str, "what parses the documents of JSON workloads"]
    faults: Annotated[dict[str, FaultListing], "known faults, by the case of the contract"]
    state: Annotated[str, "`ready`, `not set up` or `unavailable`"]
    reason: Annotated[str, 'why it is not ready, `""` if it is']
    hint: Annotated[str, "what to do about that"]
    built_from: Annotated[list[str], "the source trees that its library was built from"]
    version: Annotated[str | None, "the library's version, `null` if it never ran"]
    runtime: Annotated[str | None, "what it runs on, `null` if it never ran"]
    engine: Annotated[str | None, "the library that does the HTTP underneath, if another"]
    features: Annotated[list[str], "what it can be asked for, a subset of the protocol's features"]


class ReleaseListing(TypedDict):
    """A version, one of the list of `fetchoff versions CLIENT --json`."""

    client: Annotated[str, "the client's id at this version: `python/httpx@0.25.2`"]
    version: Annotated[str, "the version"]
    released: Annotated[str | None, "the day, `YYYY-MM-DD`, `null` if the registry does not tell"]
    pre_release: Annotated[bool, "whether it is a pre-release"]


class SuiteListing(TypedDict):
    """A suite."""

    suite: Annotated[str, "its id"]
    about: Annotated[str, "what it is, in a line"]
    origin: Annotated[str, "the server that it runs on"]
    workloads: Annotated[list[str], "its workloads, with links where it names them"]


class WorkloadListing(TypedDict):
    """A workload."""

    workload: Annotated[str, "its id"]
    about: Annotated[str, "what it is, in a line"]


class CatalogueListing(TypedDict):
    """All that `fetchoff workloads --json` prints."""

    suites: Annotated[list[SuiteListing], "the suites that ship"]
    workloads: Annotated[list[WorkloadListing], "the workloads that ship"]


class BurstsListing(TypedDict):
    """Losses that come together; all are probabilities for one packet."""

    begin: Annotated[float, "that a burst begins"]
    end: Annotated[float, "that it ends"]
    within: Annotated[float, "that a packet in it is lost"]
    outside: Annotated[float, "that a packet outside is lost"]


class DirectionListing(TypedDict):
    """One direction of a link."""

    delay_ms: Annotated[float, "one way"]
    jitter_ms: Annotated[float, "the delay varies by so much, up and down"]
    rate_mbit_s: Annotated[float | None, "10⁶ bits of packets a second, `null` for no limit"]
    queue_bytes: Annotated[int | None, "how much may wait, in bytes"]
    queue_packets: Annotated[int | None, "how much may wait, in packets"]
    loss: Annotated[float, "the probability that a packet is lost by itself"]
    bursts: Annotated[BurstsListing | None, "losses that come together"]
    loss_share: Annotated[float, "the share of all packets that are lost in the long run"]


class LinkListing(TypedDict):
    """A link, one of the list of `fetchoff links --json`."""

    link: Annotated[str, "its id"]
    about: Annotated[str, "what it is, in a line"]
    round_trip_ms: Annotated[float, "the round trip of a small packet"]
    up: Annotated[DirectionListing, "from client to origin"]
    down: Annotated[DirectionListing, "from origin to client"]
    mtu: Annotated[int | None, "the largest packet, `null` for this machine's loopback"]
    congestion: Annotated[str | None, "TCP's congestion control, `null` likewise"]
    source: Annotated[str, "where its figures come from"]


class OriginListing(TypedDict):
    """A server, one of the list of `fetchoff origins --json`; the built-in origin is not in it."""

    origin: Annotated[str, "its id"]
    about: Annotated[str, "what it is, in a line"]
    homepage: Annotated[str, "its page"]
    version: Annotated[str, 'its version, `""` if it is not ready']
    protocols: Annotated[list[str], "`http/1.1`, `h2`, `h2c`"]
    tls: Annotated[bool, "whether it speaks TLS"]
    methods: Annotated[list[str], "the methods for which it serves files"]
    state: Annotated[str, "`ready`, `not set up` or `unavailable`"]
    reason: Annotated[str, 'why it is not ready, `""` if it is']
    hint: Annotated[str, "what to do about that"]


class HealthListing(TypedDict):
    """One thing that matters for measuring."""

    health: Annotated[str, "`good`, `limited` (results say so) or `bad` (nothing can be measured)"]
    text: Annotated[str, "what was found"]
    hint: Annotated[str, "how to improve it"]


class MachineListing(TypedDict):
    """All that `fetchoff doctor --json` prints."""

    findings: Annotated[list[HealthListing], "what matters for measuring"]
    machine: Annotated[dict[str, str], "what the machine is: processor, cores, memory and so on"]
    tools: Annotated[dict[str, str], 'where the programs are that setup may use, `""` for none']


class CaseListing(TypedDict):
    """A case, one of the list of `fetchoff check ADAPTER --json`."""

    client: Annotated[str, "the client's id"]
    case: Annotated[str, "the case's name"]
    verdict: Annotated[str, "`passed`, `failed`, `unsupported` or `known fault`"]
    text: Annotated[str, "what was wrong, why that is known, or which feature is missing"]


OF_COMMANDS: dict[str, object] = {
    "clients": list[ClientListing],
    "versions": list[ReleaseListing],
    "workloads": CatalogueListing,
    "links": list[LinkListing],
    "origins": list[OriginListing],
    "doctor": MachineListing,
    "check": list[CaseListing],
}
"""What each command prints."""
