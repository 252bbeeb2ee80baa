"""Link files to the model; the links that ship."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from fetchoff.catalog import files, links
from fetchoff.catalog.paths import shipped
from fetchoff.model.errors import InputError, UnknownName
from fetchoff.model.link import LOOPBACK, Bursts, Link, Profile
from fetchoff.model.names import Address, Names
from fetchoff.report.wording.links import loss, rate, round_trip

HEAD = 'schema = 1\nabout = "x"\n'
CITIES = ("seattle", "dallas", "chicago", "washington", "london")
EVERYTHING = """\
schema = 1
about = "every key there is"
source = "made up"
mtu = 1400
congestion = "bbr"

[up]
delay_ms = 10.5
jitter_ms = 2
rate_mbit_s = 5
queue_bytes = 9000
loss = 0.25

[down]
delay_ms = 20
rate_mbit_s = 50
queue_packets = 70
bursts = { begin = 0.1, end = 0.2, within = 0.9, outside = 0.3 }

[names]
addresses = ["dead-ipv6", "origin"]
delay_ms = 200
"""


def written(text: str, folder: Path, name: str = "mine") -> str:
    path = folder / f"{name}.toml"
    path.write_text(text)
    return str(path)


def test_every_key_arrives(tmp_path: Path) -> None:
    assert links.link(written(EVERYTHING, tmp_path)) == Link(
        id="mine",
        about="every key there is",
        up=Profile(10.5, 2, 5, queue_bytes=9000, loss=0.25),
        down=Profile(20, rate_mbit_s=50, queue_packets=70, bursts=Bursts(0.1, 0.2, 0.9, 0.3)),
        mtu=1400,
        congestion="bbr",
        source="made up",
        names=Names((Address.DEAD_IPV6, Address.ORIGIN), 200),
    )


@pytest.mark.parametrize(
    ("text", "up", "down"),
    [
        ("", Profile(), Profile()),
        ("[both]\ndelay_ms = 5\n", Profile(5), Profile(5)),
        ("[up]\ndelay_ms = 5\n", Profile(5), Profile()),
        ("[down]\nloss = 0.1\n", Profile(), Profile(loss=0.1)),
        ("[up.bursts]\nbegin = 0.5\nend = 1\n", Profile(bursts=Bursts(0.5, 1, 1, 0)), Profile()),
    ],
)
def test_what_is_left_out_is_not_emulated(
    text: str, up: Profile, down: Profile, tmp_path: Path
) -> None:
    link = links.link(written(HEAD + text, tmp_path))
    assert (link.up, link.down) == (up, down)
    assert (link.mtu, link.congestion, link.source) == (1500, "cubic", "")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[both]\ndelay_ms = 2\njitter_ms = 3\n", ":3: both: jitter_ms is more than delay_ms"),
        (
            "[up]\nloss = 0.1\nbursts = { begin = 0.1, end = 0.1 }\n",
            ":3: up: has both loss and bursts",
        ),
        (
            "[down]\nrate_mbit_s = 1\nqueue_bytes = 1\nqueue_packets = 1\n",
            ":3: down: a queue is limited in bytes or in packets",
        ),
        ("[both]\nqueue_bytes = 5000\n", ":3: both: a queue needs a rate_mbit_s"),
        ("[both]\nqueue_packets = 5\n", ":3: both: a queue needs a rate_mbit_s"),
        ("[both]\n[up]\n", "mine.toml: has [both] and also [up] or [down]; use one or the other"),
        (
            "[both]\n[down]\ndelay_ms = 1\n",
            "mine.toml: has [both] and also [up] or [down]; use one or the other",
        ),
        ("[both]\ndelay = 45\n", ":4: both.delay: unknown key"),
        ("[both]\ndelay_ms = -1\n", ":4: both.delay_ms:"),
        ("[both]\nrate_mbit_s = 0\n", ":4: both.rate_mbit_s:"),
        ("[both]\nloss = 1\n", ":4: both.loss:"),
        ("[both]\nbursts = { begin = 0, end = 0.5 }\n", ":4: both.bursts.begin:"),
        ("[both]\nbursts = { begin = 0.5, end = 0 }\n", ":4: both.bursts.end:"),
        ("mtu = 576\n", ":3: mtu:"),
        ('congestion = "cubic; reboot"\n', ":3: congestion:"),
        ('[names]\naddresses = ["dead-ipv6"]\n', ":3: names: no address is the origin's"),
        ('[names]\naddresses = ["origin", "origin"]\n', ":3: names: an address is named twice"),
        ('[names]\naddresses = ["::1"]\n', ":4: names.addresses"),
        ("[names]\ndelay_ms = -1\n", ":4: names.delay_ms:"),
    ],
)
def test_links_that_cannot_be(text: str, said: str, tmp_path: Path) -> None:
    with pytest.raises(InputError) as refused:
        links.link(written(HEAD + text, tmp_path))
    assert said in refused.value.message


def test_links_that_are_not_there(tmp_path: Path) -> None:
    with pytest.raises(UnknownName, match="unknown link 'londn'") as unknown:
        links.link("londn")
    assert "london" in unknown.value.hint
    with pytest.raises(InputError, match=r"nowhere\.toml: no such file"):
        links.link(str(tmp_path / "nowhere.toml"))


def test_loopback_is_built_in(tmp_path: Path) -> None:
    assert links.link("loopback") is LOOPBACK
    assert LOOPBACK.id not in files.names("links")
    with pytest.raises(InputError, match="'loopback' is the id of the link that is not emulated"):
        links.link(written(HEAD, tmp_path, "loopback"))


@pytest.mark.parametrize("name", files.names("links"))
def test_shipped_links_say_what_they_are(name: str) -> None:
    """Their line names the round trip and each rate; their figures have a source."""
    link = links.link(name)
    assert link.id == name
    assert link.source
    assert f"{link.round_trip_ms:g} ms there and back" in link.about
    for rate_mbit_s in (link.up.rate_mbit_s, link.down.rate_mbit_s):
        shown = (
            [f"{rate_mbit_s:g}", f"{rate_mbit_s:.2f}"] if rate_mbit_s else ["no limit to the rate"]
        )
        assert any(re.search(rf"\b{words}\b", link.about) for words in shown)
    if link.up.jitter_ms or link.down.jitter_ms:
        assert f"±{link.up.jitter_ms + link.down.jitter_ms:g}" in link.about
    if link.up.loss_share:
        assert f"{link.up.loss_share:.0%}".replace("%", " %") in link.about


def test_the_cities_of_the_article() -> None:
    """Servers of one year: the same rate; the further, the longer."""
    there = {name: links.link(name) for name in CITIES}
    assert {link.up.rate_mbit_s for link in there.values()} == {100}
    assert sorted(CITIES, key=lambda name: there[name].round_trip_ms) == [
        "dallas",
        "chicago",
        "washington",
        "seattle",
        "london",
    ]


@pytest.mark.parametrize("name", files.names("links"))
def test_the_page_has_a_row_for_each(name: str) -> None:
    link = links.link(name)
    cells = (f"`{name}`", round_trip(link), rate(link.up), rate(link.down), loss(link))
    assert f"\n| {' | '.join(cells)} | " in (shipped("docs") / "links.md").read_text()
