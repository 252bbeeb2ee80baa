"""What an emulated network takes from its emulator, and what it does not."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.unit.run.fakes.link_program import GREETING, install, say

from fetchoff.model.course import Course
from fetchoff.model.errors import KEPT, LinkError
from fetchoff.model.link import Link, Profile
from fetchoff.model.names import Address, Names
from fetchoff.model.workload import Exchange, Workload
from fetchoff.run.host.machine import usable_cores
from fetchoff.run.network.emulator import EmulatedNetwork, laid
from fetchoff.run.network.link_program import ANOTHER, NEEDS, OWN_NAMESPACE
from fetchoff.run.os import procfs

COURSE = Course(Workload("w", "", (Exchange("GET", "/"),)), Link("far", ""))
DIRECTION = {
    "packets": 0,
    "lost": 0,
    "queue_dropped": 0,
    "overruns": 0,
    "overflowed": 0,
    "refused": 0,
    "lateness": {"histogram_us": []},
}
READ = {"link": 1, "elapsed_ns": 0, "cpu_ns": 0, "up": DIRECTION, "down": DIRECTION}


def opened(namespace: str = OWN_NAMESPACE, ipv6: str | None = "2001:2:0:1::2") -> str:
    """A link whose two ends are in that namespace."""
    end = {"namespace": namespace, "ipv4": "127.0.0.1", "ipv6": ipv6, "congestion": "cubic"}
    return json.dumps({"link": 1, "backend": "none", "near": end, "far": end})


def pretend(folder: Path, monkeypatch: pytest.MonkeyPatch, namespace: str = OWN_NAMESPACE) -> None:
    """An emulator whose two ends are in that namespace. It keeps what it is asked in `asked`."""
    counts = f"while read -r asked; do echo \"$asked\" >> asked; echo '{json.dumps(READ)}'; done\n"
    install(folder, monkeypatch, f"echo '{GREETING}'\n{say(opened(namespace))}{counts}")


def test_what_runs_beside_this_process_is_nobodys_to_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    emptied: list[tuple[int, int]] = []

    def inside(namespace: tuple[int, int]) -> list[int]:
        emptied.append(namespace)
        return []

    monkeypatch.setattr(procfs, "inside", inside)
    pretend(tmp_path, monkeypatch)
    with laid(COURSE, tmp_path) as network:
        assert network.used() is not None
    assert emptied == []


def test_a_namespace_that_is_not_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pretend(tmp_path, monkeypatch, "/proc/nowhere")
    with (
        pytest.raises(LinkError, match=r"ends of the link cannot be reached: .*/proc/nowhere"),
        laid(COURSE, tmp_path),
    ):
        pass


@pytest.mark.parametrize(
    ("script", "said", "hint"),
    [
        ("echo 'error: no user namespaces' >&2; exit 1", "last words: no user namespaces", NEEDS),
        ("echo Hello", "prints garbage", NEEDS),
        (f"echo '{{}}'\n{say(opened())}", "answers with garbage: 'protocol'", ANOTHER),
        (f"echo '{GREETING}'\n{say('{}')}", "answers with garbage: 'link'", ANOTHER),
        (f"echo '{GREETING}'\n{say(json.dumps({'error': 'no TUN'}))}", "made: no TUN", NEEDS),
        (f"echo '{GREETING}'\n{say(opened())}exit 4\n", "ended with exit status 4", KEPT),
        (
            f"echo '{GREETING}'\n{say(opened(), json.dumps({'error': 'the link broke: EIO'}))}read",
            "^the link emulator says: the link broke: EIO",
            KEPT,
        ),
        (f"echo '{GREETING}'\n{say(opened(), '{}')}read", "counters are garbled: a direction", ""),
    ],
    ids=[
        "cannot",
        "talks",
        "does not greet",
        "opens nothing",
        "refuses",
        "ends",
        "breaks",
        "counts not",
    ],
)
def test_an_emulator_that_makes_no_link(
    script: str, said: str, hint: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(tmp_path, monkeypatch, script)
    with pytest.raises(LinkError, match=said) as error, laid(COURSE, tmp_path):
        pass
    assert error.value.hint == hint


def test_what_it_is_asked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Wide open it has neither delay nor loss; a shape has both directions and its seed."""
    pretend(tmp_path, monkeypatch)
    link = Link("far", "", Profile(delay_ms=2), Profile(delay_ms=3, loss=0.1))
    with laid(Course(COURSE.workload, link), tmp_path) as network:
        network.open_wide()
        network.shape(link, 7)
    lines = (tmp_path / "asked").read_text().splitlines()
    wide, shaped = (line for line in map(json.loads, lines) if line["op"] == "set")
    assert [wide[way]["delay_ms"] for way in ("up", "down")] == [0, 0]
    assert [shaped[way]["delay_ms"] for way in ("up", "down")] == [2, 3]
    assert (shaped["up"].get("loss"), shaped["down"]["loss"]) == (None, {"independent": 0.1})
    assert {shaped["down"]["seed"]} == {7}


def test_names_are_easy_until_the_link_is_as_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a warm-up dead addresses say that they are; their order never changes."""
    pretend(tmp_path, monkeypatch)
    names = Names((Address.DEAD_IPV6, Address.ORIGIN, Address.ORIGIN_IPV6), 200)
    link = Link("far", "", names=names)
    with laid(Course(COURSE.workload, link), tmp_path) as network:
        network.open_wide()
        network.shape(link, 7)
        assert (network.origin_name, network.listens_at) == ("origin.test", "[::]")
        assert network.at_client[-2:] == ("--names", "--")
        assert "--names" not in network.at_origin
    lines = (tmp_path / "asked").read_text().splitlines()
    told = [line for line in map(json.loads, lines) if line["op"] == "names"]
    assert {(line["name"], *line["addresses"]) for line in told} == {
        ("origin.test", "2001:2:0:1::dead", "127.0.0.1", "2001:2:0:1::2")
    }
    assert [(line["delay_ms"], line["unreachable"]) for line in told] == [
        (0, ["2001:2:0:1::dead"]),
        (0, ["2001:2:0:1::dead"]),
        (200, []),
    ]


def test_a_name_needs_what_its_addresses_need(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(
        tmp_path, monkeypatch, f"echo '{GREETING}'\n{say(opened(ipv6=None), json.dumps(READ))}read"
    )
    link = Link("far", "", names=Names((Address.DEAD_IPV6, Address.ORIGIN)))
    with (
        pytest.raises(LinkError, match="the kernel has no IPv6"),
        laid(Course(COURSE.workload, link), tmp_path),
    ):
        pass


def test_a_link_that_does_nothing_is_found_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between its ends is loopback, which is faster than anything that was asked for."""
    pretend(tmp_path, monkeypatch)
    link = Link("far", "", Profile(delay_ms=20), Profile(delay_ms=20))
    with laid(Course(COURSE.workload, link), tmp_path) as network:
        found = network.calibrate(link, 1, usable_cores()[-1])
    assert found is not None
    assert (found.link, found.backend, found.congestion) == ("far", "none", "cubic")
    assert found.round_trips > 0
    assert found.round_trip_p50_ms < 20
    assert any(fault.endswith("ms instead of 40.00") for fault in found.faults)


def test_ends_that_cannot_be_spoken_at(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Such as where an address is not there any more."""
    pretend(tmp_path, monkeypatch)
    with laid(COURSE, tmp_path) as network:
        assert isinstance(network, EmulatedNetwork)
        network.client_address = "192.0.2.1"
        with pytest.raises(LinkError, match=r"can be sent over the link: .*assign"):
            network.calibrate(COURSE.link, 1, usable_cores()[-1])


def test_what_happened_is_told_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    later = READ | {"elapsed_ns": 9, "cpu_ns": 4, "up": DIRECTION | {"packets": 3, "lost": 1}}
    lines = say(opened(), *(json.dumps(one) for one in (READ, later, later)))
    install(tmp_path, monkeypatch, f"echo '{GREETING}'\n{lines}read asked\n")
    with laid(COURSE, tmp_path) as network:
        first, second = network.used(), network.used()
    assert first is not None and second is not None
    assert (first.packets, first.lost) == (3, 1)
    assert (second.packets, second.lost) == (0, 0)


def test_one_that_went_away_meanwhile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = say(opened(), json.dumps(READ))
    install(tmp_path, monkeypatch, f"echo '{GREETING}'\n{lines}read asked\nkill -9 $$\n")
    with laid(COURSE, tmp_path) as network:
        network.must_be_there()
        with pytest.raises(LinkError, match="link emulator ended with signal SIGKILL") as error:
            network.used()
        assert error.value.hint == KEPT
        with pytest.raises(LinkError, match="link emulator ended with signal SIGKILL"):
            network.must_be_there()
