"""Errors in TOML files name the file, the line and the key."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fetchoff.catalog.toml import Document, read
from fetchoff.catalog.workloads import read_workload
from fetchoff.model.errors import InputError


class Leaf(Document):
    size: int = 0


class Branch(Document):
    leaf: Leaf = Leaf()
    leaves: tuple[Leaf, ...] = ()


class Tree(Document):
    branches: tuple[Branch, ...] = ()
    name: str
    leaf: Leaf = Leaf()
    leaves: tuple[Leaf, ...] = ()


@pytest.mark.parametrize(
    ("text", "where", "what"),
    [
        ('name = "x"\ncolour = 1\n', ":2: colour:", "unknown key"),
        ('name = "x"\n[leaf]\nsize = "big"\n', ":3: leaf.size:", "integer"),
        ('name = "x"\nleaf = { size = "big" }\n', ":2: leaf.size:", "integer"),
        ('name = "x"\n[leaf]\nsiez = 1\n', ":3: leaf.siez:", "unknown key"),
        ('name = "x"\n[[leaves]]\nsize = 1\n\n[[leaves]]\n"siez" = 1\n', ":6: leaves.1.siez:", ""),
        ('name = "x"\n[stem]\nlong = 1\n', ":2: stem:", "unknown key"),
        ('leaf.size = "big"\nname = "x"\n', ":1: leaf.size:", "integer"),
        ("# name = 1\n", ": name:", "is missing"),
        ('# colour = 1\nname = "x"\ncolour = 2\n', ":3: colour:", "unknown key"),
        (
            'name = "x"\n[[branches]]\n[branches.leaf]\nsize = 1\n'
            "[[branches]]\n[[branches.leaves]]\n[[branches.leaves]]\nsiez = 1\n",
            ":8: branches.1.leaves.1.siez:",
            "unknown key",
        ),
        (
            'name = "x"\n[[branches]]\n[branches.leaf]\nsiez = 1\n',
            ":4: branches.0.leaf.siez:",
            "",
        ),
        ('name = "x"\nleaves = 3\n', ":2: leaves:", "must be a list"),
        ('name = "x"\n[[leaves]]\nsize = 1\n[[leaves]]\nsize = ""\n', ":5: leaves.1.size:", ""),
        ('name = "x"\nleaves = [\n { size = 1 },\n { siez = 1 }]\n', ":2: leaves.1.siez:", ""),
        ('name = "x"\n[ "leaf" ]\nsize = 1\n\'siez\' = 2\n', ":4: leaf.siez:", "unknown key"),
    ],
)
def test_line_and_key(text: str, where: str, what: str, tmp_path: Path) -> None:
    path = tmp_path / "tree.toml"
    path.write_text(text)
    with pytest.raises(InputError) as caught:
        read(path, Tree)
    assert f"{path}{where}" in caught.value.message
    assert what in caught.value.message


def test_syntax_error_names_the_line(tmp_path: Path) -> None:
    path = tmp_path / "tree.toml"
    path.write_text('name = "x"\nleaf = {\n}\n')
    with pytest.raises(InputError, match=r"tree\.toml.*line 2"):
        read(path, Tree)


def test_nesting_without_end(tmp_path: Path) -> None:
    path = tmp_path / "tree.toml"
    path.write_text("name = " + "[" * 10_000)
    with pytest.raises(InputError, match="nested too deeply"):
        read(path, Tree)


def test_an_integer_of_too_many_digits_names_the_line(tmp_path: Path) -> None:
    path = tmp_path / "tree.toml"
    path.write_text(f'name = "x"\nleaf.size = {"1" * 5_000}\n')
    with pytest.raises(InputError, match=r"tree\.toml:2: an integer has too many digits"):
        read(path, Tree)


def test_missing_file(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such file"):
        read(tmp_path / "nowhere.toml", Tree)


def test_folder(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read"):
        read(tmp_path, Tree)


@given(data=st.binary() | st.text().map(str.encode))
def test_any_content_is_a_workload_or_refused(
    data: bytes, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.getbasetemp() / "any.toml"
    path.write_bytes(data)
    with pytest.raises(InputError, match=r"any\.toml"):
        read_workload(path)
