"""Which clients a command means."""

from __future__ import annotations

import errno
import os
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from fetchoff.app.choose import chosen, recorded, told_apart
from fetchoff.app.measure import adapter_of, client_record
from fetchoff.catalog.paths import shipped
from fetchoff.model.client import Client, Description, Manifest, Package, Readiness
from fetchoff.model.errors import InputError, UnknownName
from fetchoff.model.experiment import Experiment
from fetchoff.store.run_folder import Header

SHIPPED = "python/http-client"


def names(*patterns: str, without: tuple[str, ...] = ()) -> list[str]:
    return [str(manifest.id) for manifest in chosen(patterns, without)]


@pytest.mark.parametrize("name", ["a" * 300, f"python/{'a' * 300}"])
def test_a_name_that_is_too_long_for_a_folder_is_unknown(name: str) -> None:
    with pytest.raises(UnknownName):
        chosen([name])


@pytest.mark.parametrize("raised", [errno.EACCES, errno.ENAMETOOLONG])
def test_a_folder_that_cannot_be_looked_into_is_told(
    raised: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Root may look into any."""

    is_file = Path.is_file

    def fails(path: Path) -> bool:
        if path.parent == Path("/secret/it"):
            raise OSError(raised, os.strerror(raised))
        return is_file(path)

    monkeypatch.setattr(Path, "is_file", fails)
    with pytest.raises(InputError, match=f"/secret/it cannot be read: {os.strerror(raised)}"):
        chosen(["/secret/it"])


def test_ids_and_globs_pick_each_client_once() -> None:
    picked = names("c/libcurl", "c/*", "c/libcurl")
    assert picked[0] == "c/libcurl"
    assert len(picked) == len(set(picked)) > 1


def test_what_is_excepted_is_not_picked_by_a_glob() -> None:
    assert "c/libcurl" in names("c/*")
    assert "c/libcurl" not in names("c/*", without=("*/libcurl",))


def test_what_is_named_in_full_is_picked_all_the_same() -> None:
    assert names("c/libcurl", without=("c/*",)) == ["c/libcurl"]


def test_a_runtime_that_is_not_listed_can_be_asked_for() -> None:
    assert names("javascript/axios~node-18") == ["javascript/axios~node-18"]


def test_a_runtime_that_a_kit_does_not_have() -> None:
    with pytest.raises(InputError, match="there is no client 'javascript/axios~node-1'") as caught:
        names("javascript/axios~node-1")
    assert "node-22" in caught.value.hint


def test_a_client_that_nobody_knows() -> None:
    with pytest.raises(UnknownName, match="unknown client 'c/libcurk'"):
        names("c/libcurk")


def checkout(folder: Path) -> str:
    shutil.copytree(shipped("adapters") / SHIPPED, folder)
    return str(folder)


def test_a_variant_or_a_version_of_a_folder(tmp_path: Path) -> None:
    folder = Path(shutil.copytree(shipped("adapters") / "ruby/curb", tmp_path / "my-curb"))
    assert [m.folder for m in chosen([f"{folder}+multi"])] == [folder]
    assert names(f"{folder}+multi") == ["ruby/curb+multi"]
    with pytest.raises(InputError, match=r"there is no client '.*my-curb\+many'") as caught:
        names(f"{folder}+many")
    assert f"{folder}+multi" in caught.value.hint
    with pytest.raises(InputError, match="there is no client 'ruby/curb@9'"):
        names(f"{folder}@9")


LOCKED = (Package("requests", "2.30.0", "sha256:0"),)


def found_again(*manifests: Manifest) -> list[Manifest]:
    """The clients of a run that is gone on with."""
    about = Description("1", "CPython", "", frozenset())
    records = tuple(
        client_record(Client(m, Readiness.READY, about, packages=LOCKED if m.is_resolved else ()))
        for m in manifests
    )
    experiment = Experiment((), (), baseline="", seed=0)
    return recorded(Header("", "", "", "", experiment, records, environment={}))


def test_two_checkouts_of_a_shipped_client_are_named_after_their_folders(tmp_path: Path) -> None:
    both = told_apart(*(chosen([checkout(tmp_path / name)])[0] for name in ("main", "feature")))
    assert [str(manifest.id) for manifest in both] == [f"{SHIPPED}@main", f"{SHIPPED}@feature"]
    assert found_again(*both) == list(both)


def test_a_shipped_client_beside_a_checkout_of_it(tmp_path: Path) -> None:
    feature = chosen([checkout(tmp_path / "feature")])[0]
    both = told_apart(chosen([SHIPPED])[0], feature)
    assert str(both[1].id) == f"{SHIPPED}@feature"
    assert found_again(*both) == list(both)


def test_a_version_of_the_registry_is_found_again(tmp_path: Path) -> None:
    """Of a folder too, where another version could be the name of a branch."""
    folder = shutil.copytree(shipped("adapters") / "python/requests", tmp_path / "mine")
    versions = [*chosen(["python/requests@2.30.0"]), *chosen([f"{folder}@2.30.0"])]
    assert all(manifest.is_resolved for manifest in versions)
    assert found_again(*versions) == versions


def test_a_version_of_the_folder_that_was_resolved_is_found_again_as_such() -> None:
    """As a history does it."""
    listed = chosen(["python/requests@2.31.0"])
    assert not any(manifest.is_resolved for manifest in listed)
    resolved = [replace(manifest, is_resolved=True) for manifest in listed]
    assert found_again(*listed, *resolved) == [*listed, *resolved]


@pytest.mark.parametrize(
    ("client", "version"), [("rust/curl", "7.86.0"), ("python/requests", "2.30.0")]
)
def test_two_checkouts_at_another_version_than_the_first(
    client: str, version: str, tmp_path: Path
) -> None:
    """Of the folder or of the registry: the id has the name of a branch instead."""
    places = [
        shutil.copytree(shipped("adapters") / client, tmp_path / branch / client)
        for branch in ("main", "feature")
    ]
    both = told_apart(*(chosen([f"{place}@{version}"])[0] for place in places))
    assert [manifest.id.version for manifest in both] == ["main", "feature"]
    assert found_again(*both) == list(both)


@pytest.mark.parametrize("name", ["my+curb", "curb@feature", "curb~new"])
@pytest.mark.parametrize("marks", ["", "+multi", "~jruby-9.4", "+multi~jruby-9.4"])
def test_a_folder_whose_name_looks_as_if_it_had_marks(
    name: str, marks: str, tmp_path: Path
) -> None:
    folder = shutil.copytree(shipped("adapters") / "ruby/curb", tmp_path / name)
    (manifest,) = chosen([f"{folder}{marks}"])
    assert (manifest.folder, str(manifest.id)) == (folder, f"ruby/curb{marks}")
    assert found_again(manifest) == [manifest]


def test_a_shipped_client_is_recorded_by_its_name() -> None:
    versions = chosen(["rust/curl", "rust/curl@7.86.0"])
    assert found_again(*versions) == versions
    assert not any(Path(adapter_of(manifest)).is_absolute() for manifest in versions)
