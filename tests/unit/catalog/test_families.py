"""One adapter folder, several clients: variants, versions, runtimes."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from tests.command import FAKES

from fetchoff.build import setup
from fetchoff.build.build_dir import BuildDir
from fetchoff.build.runtimes import runtime_folder
from fetchoff.catalog.manifests import Family, discover, named
from fetchoff.diagnosis.rules.registry import all_rules
from fetchoff.model.client import Client, Cure, Description, Launch, Manifest, Readiness
from fetchoff.model.errors import InputError

KIT = """\
schema = 1
language = "fake"
json_parser = "quick"
set.shell = ["sh"]
[setup]
apt = ["usual-shell"]
check = [["{shell}", "-c", "true"]]
steps = [["cp", "lock-{version}", "{build}/lock"]]
[run]
command = ["{shell}", "{source}"]
env = { FROM = "kit" }
warm_up_exchanges = 5
[runtimes.other]
about = "another shell"
apt = ["other-shell"]
check = [["true"]]
steps = [["cp", "{kit}/shell", "{runtime}/shell"]]
set.shell = ["sh", "{runtime}/shell"]
env = { FROM = "runtime" }
warm_up_exchanges = 7
[runtimes.broken]
about = "one that cannot be built"
steps = [["sh", "-c", "echo no such release >&2; exit 1"]]
"""

ADAPTER = """\
schema = 1
client = "fake/family"
about = "the client itself"
source = "adapter.sh"
versions = ["2.0", "1.0"]
runtimes = ["other"]
[variants.loud]
about = "its loud variant"
source = "loud.sh"
env = { LOUD = "yes" }
[variants.quiet]
about = "its quiet variant"
cures = { noise = "be quiet" }
[cures]
hurry = "wait"
"""


pytestmark = pytest.mark.usefixtures("own_cache")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A folder of adapters with one family in it."""
    root = tmp_path / "adapters"
    shutil.copytree(FAKES / "_kit", root / "fake" / "_kit")
    (root / "fake" / "_kit" / "kit.toml").write_text(KIT)
    (root / "fake" / "_kit" / "shell").write_text('exec "$@"')
    folder = root / "fake" / "family"
    folder.mkdir()
    (folder / "adapter.toml").write_text(ADAPTER)
    for name in ("adapter.sh", "loud.sh", "lock-2.0", "lock-1.0"):
        (folder / name).write_text(name)
    return root


def member(root: Path, text: str) -> Manifest:
    manifest = named(text, root)
    assert manifest is not None
    return manifest


def prepared(manifest: Manifest) -> Client:
    def say_hello(launch: Launch, folder: Path) -> Description:
        return Description("1", "r", "", frozenset({"http/1.1"}))

    return next(iter(setup.set_up([manifest], say_hello)))


def test_what_is_listed(root: Path) -> None:
    assert list(discover(root)) == [
        "fake/family",
        "fake/family@1.0",
        "fake/family+loud",
        "fake/family+loud@1.0",
        "fake/family+quiet",
        "fake/family+quiet@1.0",
        "fake/family~other",
    ]


def test_a_variant_has_what_it_changes(root: Path) -> None:
    loud, quiet = member(root, "fake/family+loud"), member(root, "fake/family+quiet")
    assert (loud.about, loud.source) == ("its loud variant", "loud.sh")
    assert loud.launch.env == {"FROM": "kit", "LOUD": "yes"}
    assert (quiet.about, quiet.source) == ("its quiet variant", "adapter.sh")
    assert quiet.launch.env == {"FROM": "kit"}


def test_a_version_is_built_from_its_own_lock(root: Path) -> None:
    for text, lock in (("fake/family", "lock-2.0"), ("fake/family@1.0", "lock-1.0")):
        manifest = member(root, text)
        assert prepared(manifest).readiness is Readiness.READY
        assert (BuildDir.of(manifest).folder / "build" / "lock").read_text() == lock


def test_a_language_shares_a_folder_that_outlives_builds(root: Path, tmp_path: Path) -> None:
    kit = root / "fake" / "_kit" / "kit.toml"
    kit.write_text(KIT.replace('"{build}/lock"', '"{shared}/lock"'))
    shared = tmp_path / "cache" / "shared" / "fake"
    for text, lock in (("fake/family", "lock-2.0"), ("fake/family@1.0", "lock-1.0")):
        assert prepared(member(root, text)).readiness is Readiness.READY
        assert (shared / "lock").read_text() == lock
    (shared / "kept").touch()
    assert prepared(member(root, "fake/family+loud")).readiness is Readiness.READY
    assert (shared / "kept").exists()


def test_the_first_version_is_what_the_bare_name_means(root: Path) -> None:
    bare, named_so = member(root, "fake/family"), member(root, "fake/family@2.0")
    assert (str(bare.id), str(named_so.id)) == ("fake/family", "fake/family@2.0")
    assert BuildDir.of(bare).folder == BuildDir.of(named_so).folder
    assert prepared(bare).readiness is Readiness.READY
    assert prepared(named_so).readiness is Readiness.READY


def test_a_runtime_is_built_and_replaces_the_usual_one(root: Path) -> None:
    manifest = member(root, "fake/family+loud@1.0~other")
    assert manifest.recipe.apt == ("other-shell",)
    assert manifest.recipe.check == (("true",),)
    client = prepared(manifest)
    assert client.readiness is Readiness.READY
    assert manifest.runtime is not None
    shell = runtime_folder(manifest.runtime) / "shell"
    assert shell.read_text() == 'exec "$@"'
    assert client.launch is not None
    loud = BuildDir.of(manifest).adapter / "loud.sh"
    assert client.launch.command == ("sh", str(shell), str(loud))
    assert client.launch.env == {"FROM": "runtime", "LOUD": "yes"}
    assert client.launch.warm_up_exchanges == 7


def test_a_runtime_that_is_there_is_not_built_again(root: Path) -> None:
    manifest = member(root, "fake/family~other")
    prepared(manifest)
    assert manifest.runtime is not None
    shell = runtime_folder(manifest.runtime) / "shell"
    shell.write_text("as it was left")
    prepared(member(root, "fake/family@1.0~other"))
    assert shell.read_text() == "as it was left"


def test_a_runtime_that_cannot_be_built_is_told(root: Path) -> None:
    client = prepared(member(root, "fake/family~broken"))
    assert client.readiness is Readiness.UNAVAILABLE
    assert client.reason == "its runtime: 'sh' failed while building: no such release"


@pytest.mark.parametrize(
    ("text", "message", "hint"),
    [
        (
            "fake/family@3.0",
            "there is no client 'fake/family@3.0'",
            "fake/family has versions 2.0, 1.0",
        ),
        (
            "fake/family~jvm",
            "there is no client 'fake/family~jvm'",
            "the kit of fake has runtimes other, broken",
        ),
    ],
)
def test_what_a_family_does_not_have(root: Path, text: str, message: str, hint: str) -> None:
    with pytest.raises(InputError) as caught:
        named(text, root)
    assert (caught.value.message, caught.value.hint) == (message, hint)


@pytest.mark.parametrize("text", ["fake/stranger", "fake/family+other", "no id"])
def test_what_is_no_member_of_any_family(root: Path, text: str) -> None:
    assert named(text, root) is None


def test_a_variant_whose_source_is_missing(root: Path) -> None:
    (root / "fake" / "family" / "loud.sh").unlink()
    with pytest.raises(InputError, match=r"there is no file 'loud\.sh'"):
        list(Family.of(root / "fake" / "family").listed())


def test_a_library_has_the_cures_of_its_variants_and_a_variant_those_it_lacks(root: Path) -> None:
    both = {"hurry": Cure("wait"), "noise": Cure("be quiet", "fake/family+quiet@1.0")}
    assert member(root, "fake/family@1.0").cures == both
    assert member(root, "fake/family+quiet").cures == {"hurry": Cure("wait")}
    assert member(root, "fake/family+loud").cures == {"hurry": Cure("wait")}


def test_cures_are_of_faults_that_a_rule_finds() -> None:
    known = {rule.id for rule in all_rules()}
    assert {fault for manifest in discover().values() for fault in manifest.cures} <= known
