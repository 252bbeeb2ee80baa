"""Documents of real servers, taken from the built-in origin."""

from __future__ import annotations

from pathlib import Path

import pytest

from fetchoff.model.errors import InputError
from fetchoff.model.origin import Serves
from fetchoff.model.workload import Exchange, FormBody, Workload
from fetchoff.protocol.content import content
from fetchoff.run.origins.site import fill_site

FILES = Serves(files=True, methods=frozenset({"GET", "HEAD", "POST"}), own=("/own",))
FORM = FormBody((("a", "1"),))


def workload(*exchanges: Exchange) -> Workload:
    return Workload("w", "", exchanges)


def test_files_have_the_content_of_the_built_in_origin(tmp_path: Path) -> None:
    asked = workload(
        Exchange("GET", "/bytes/100000"),
        Exchange("HEAD", "/bytes/7"),
        Exchange("GET", "/bytes/3?keep-alive=off"),
        Exchange("GET", "/"),
        Exchange("POST", "/form", FORM),
        Exchange("PUT", "/own"),
    )
    fill_site(tmp_path / "site", [asked], FILES)
    files = {str(p.relative_to(tmp_path / "site")): p for p in tmp_path.glob("site/**/*")}
    assert sorted(name for name, path in files.items() if path.is_file()) == [
        "bytes/100000",
        "bytes/3",
        "bytes/7",
        "form",
        "index.html",
    ]
    assert files["bytes/100000"].read_bytes() == content(100_000)
    assert files["bytes/7"].read_bytes() == content(7)
    assert files["index.html"].read_text() == "Hi"
    assert files["form"].stat().st_size > 0


def test_what_is_there_is_not_fetched_again(tmp_path: Path) -> None:
    (tmp_path / "site" / "bytes").mkdir(parents=True)
    (tmp_path / "site" / "bytes" / "5").write_text("hello")
    fill_site(tmp_path / "site", [workload(Exchange("GET", "/bytes/5"))], FILES)
    assert (tmp_path / "site" / "bytes" / "5").read_text() == "hello"


@pytest.mark.parametrize(
    "other", [Exchange("POST", "/", FORM), Exchange("POST", "/", FormBody((("b", "2"),)))]
)
def test_one_file_cannot_be_two_answers(tmp_path: Path, other: Exchange) -> None:
    with pytest.raises(InputError, match="have different answers"):
        fill_site(tmp_path, [workload(Exchange("GET", "/")), workload(other)], FILES)


@pytest.mark.parametrize("order", [1, -1])
def test_a_file_cannot_be_a_folder_too(tmp_path: Path, order: int) -> None:
    asked = [workload(Exchange("GET", "/json/17")), workload(Exchange("POST", "/json", FORM))]
    with pytest.raises(InputError, match="/json/17 lies below /json") as refused:
        fill_site(tmp_path, asked[::order], FILES)
    assert "two runs" in refused.value.hint
