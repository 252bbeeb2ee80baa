"""Adapter folders to manifests, and manifests to what is built in the cache."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

import pytest
from tests.command import FAKES

from fetchoff.build import setup
from fetchoff.build.build_dir import BuildDir, state
from fetchoff.catalog.manifests import PLACES, Family, discover, read_manifest
from fetchoff.model.client import OWN_JSON, Client, Description, Launch, Manifest, Readiness
from fetchoff.model.errors import AdapterError, InputError

HELLO = Description("1.0", "runtime", "engine", frozenset({"http/1.1"}))


pytestmark = pytest.mark.usefixtures("own_cache")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """An adapter folder of one's own, beside its kit."""
    shutil.copytree(FAKES / "_kit", tmp_path / "adapters" / "_kit")
    return Path(shutil.copytree(FAKES / "honest", tmp_path / "adapters" / "honest"))


def prepared(manifest: Manifest, hello: Description | AdapterError = HELLO) -> Client:
    def say_hello(launch: Launch, folder: Path) -> Description:
        if isinstance(hello, AdapterError):
            raise hello
        return hello

    return next(iter(setup.set_up([manifest], say_hello)))


def add(folder: Path, text: str) -> Manifest:
    path = folder / "adapter.toml"
    path.write_text(path.read_text() + text)
    return read_manifest(folder)


@pytest.mark.parametrize("client", discover())
def test_shipped_adapters_are_whole(client: str) -> None:
    manifest = discover()[client]
    language, library = manifest.folder.parts[-2:]
    assert client.startswith(f"{language}/{library}")
    assert manifest.source_path.is_file()
    assert manifest.about
    assert manifest.homepage.startswith("https://")


PYTHON = [client for client in discover() if client.startswith("python/")]


@pytest.mark.parametrize("client", PYTHON)
def test_who_parses_is_said_of_pythons_clients(client: str) -> None:
    """Their kit calls a client's `json` where there is one."""
    manifest = discover()[client]
    has_own = " def json(" in manifest.source_path.read_text(encoding="utf-8")
    assert manifest.json_parser == (OWN_JSON if has_own else "json")


COMMANDS = [client for client in discover() if client.startswith("command/")]


@pytest.mark.parametrize("client", COMMANDS)
def test_a_command_that_is_started_once_a_batch_takes_no_turns(client: str) -> None:
    manifest = discover()[client]
    is_one_call = ".report = " in manifest.source_path.read_text(encoding="utf-8")
    assert manifest.launch.in_batches == is_one_call


def test_adapter_over_kit(folder: Path) -> None:
    (folder.parent / "_kit" / "kit.toml").write_text(
        'schema = 1\nlanguage = "fake"\n[setup]\napt = ["a"]\nhint = "kit"\ncheck = [["true"]]\n'
        'steps = [["one"]]\n[run]\ncommand = ["{python}"]\nenv = { A = "1", FAKE = "x" }\n'
    )
    manifest = add(folder, '[setup]\napt = ["b"]\ncheck = [["false"]]\n')
    assert manifest.recipe.apt == ("a", "b")
    assert manifest.recipe.check == (("true",), ("false",))
    assert manifest.recipe.steps == (("one",),)
    assert manifest.recipe.hint == "kit"
    assert manifest.launch == Launch(("{python}",), {"A": "1", "FAKE": "honest"})


def test_a_variant_may_be_measured_in_batches(folder: Path) -> None:
    path = folder / "adapter.toml"
    path.write_text(path.read_text() + '[variants.many]\nabout = "many"\nin_batches = true\n')
    manifests = {one.id.variant: one for one in Family.of(folder).listed()}
    assert {name: one.launch.in_batches for name, one in manifests.items()} == {
        "": False,
        "many": True,
    }


def test_set_up_and_found_again(folder: Path) -> None:
    manifest = read_manifest(folder)
    assert state(manifest).readiness is Readiness.NOT_SET_UP
    client = prepared(manifest)
    assert client.readiness is Readiness.READY
    assert client == state(manifest)
    assert client.description == HELLO
    assert client.launch is not None
    assert client.launch.command[0] == sys.executable
    assert Path(client.launch.command[-1]).is_file()


def test_nothing_is_written_into_the_source(folder: Path) -> None:
    before = sorted(folder.parent.rglob("*"))
    prepared(read_manifest(folder))
    assert sorted(folder.parent.rglob("*")) == before


@pytest.mark.parametrize("name", ["honest/adapter.toml", "_kit/honest.py", "honest/new"])
def test_a_changed_file_means_another_build(name: str, folder: Path) -> None:
    prepared(read_manifest(folder))
    with (folder.parent / name).open("a") as file:
        file.write("# changed\n")
    assert state(read_manifest(folder)).readiness is Readiness.NOT_SET_UP


@pytest.mark.parametrize("litter", ["__pycache__", "node_modules", "target", ".ruff_cache"])
def test_litter_means_no_other_build(litter: str, folder: Path) -> None:
    prepared(read_manifest(folder))
    (folder / litter).mkdir()
    (folder / litter / "file").write_text("")
    assert state(read_manifest(folder)).readiness is Readiness.READY


def test_a_homepage_that_is_none_is_refused(folder: Path) -> None:
    path = folder / "adapter.toml"
    path.write_text(path.read_text().replace("about", 'homepage = "javascript:alert(1)"\nabout'))
    with pytest.raises(InputError, match=r"adapter\.toml:3: homepage: must begin with http://"):
        read_manifest(folder)


def test_another_virtual_environment_means_no_other_build(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every clone has one of its own, made of the same interpreter."""
    prepared(read_manifest(folder))
    other = tmp_path / "venv" / "bin" / "python"
    other.parent.mkdir(parents=True)
    other.symlink_to(Path(sys.executable).resolve())
    monkeypatch.setattr(sys, "executable", str(other))
    client = state(read_manifest(folder))
    assert client.readiness is Readiness.READY
    assert client.launch is not None
    assert client.launch.command[0] == str(other)
    monkeypatch.setattr(sys, "version", "4.0")
    assert state(read_manifest(folder)).readiness is Readiness.NOT_SET_UP


def test_another_release_of_what_starts_it_means_another_build(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was compiled for one release may not work with the next."""
    program = tmp_path / "bin" / "starter"
    program.parent.mkdir()
    program.write_text("one")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:{os.environ['PATH']}")
    path = folder / "adapter.toml"
    path.write_text(path.read_text().replace("[run]", '[run]\ncommand = ["starter", "{source}"]'))
    manifest = read_manifest(folder)
    prepared(manifest)
    monkeypatch.setattr(sys, "version", "4.0")  # it has nothing to do with Python
    assert state(manifest).readiness is Readiness.READY
    program.write_text("another one")
    assert state(manifest).readiness is Readiness.NOT_SET_UP


def a_compiler(folder: Path, version: str) -> str:
    """A PATH with a program `compiler` that notes each call, and prints its version."""
    program = folder / "compiler"
    folder.mkdir(exist_ok=True)
    program.write_text(f"#!/bin/sh\necho asked >>{folder}/asked\necho {version}\n")
    program.chmod(0o755)
    return f"{folder}:{os.environ['PATH']}"


def test_another_release_of_a_compiler_means_another_build(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A gate would otherwise compare compilers: base built by the old one, head by the new one."""
    monkeypatch.setenv("PATH", a_compiler(tmp_path / "old", "1.0"))
    tools = '[["false"], ["no-such-command-at-all"], ["compiler"]]'
    manifest = add(folder, f"[setup]\nbuilt_with = {tools}\n")
    prepared(manifest)
    before, shared = BuildDir.of(manifest).sources, BuildDir.of(manifest).shared
    monkeypatch.setenv("PATH", a_compiler(tmp_path / "same", "1.0"))
    assert state(manifest).readiness is Readiness.READY
    monkeypatch.setenv("PATH", a_compiler(tmp_path / "new", "1.1"))
    assert state(manifest).readiness is Readiness.NOT_SET_UP
    assert BuildDir.of(manifest).shared != shared
    assert BuildDir.of(manifest).sources == before


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("CFLAGS", "-O0"),
        ("CC", "cc -O0"),
        ("CGO_CFLAGS", "-O0"),
        ("CFLAGS_x86_64_unknown_linux_gnu", "-O0"),
        ("CARGO_TARGET_X86_64_UNKNOWN_LINUX_GNU_RUSTFLAGS", "-Ctarget-cpu=native"),
        ("CARGO_PROFILE_RELEASE_LTO", "fat"),
        ("GOAMD64", "v3"),
    ],
)
def test_other_options_of_a_compiler_mean_another_build(
    option: str, value: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A gate would otherwise compare them: base built without, head with them."""
    monkeypatch.setenv(option, "")
    manifest = add(folder, '[setup]\nbuilt_with = [["compiler"]]\n')
    prepared(manifest)
    before, shared = BuildDir.of(manifest).sources, BuildDir.of(manifest).shared
    monkeypatch.setenv(option, value)
    assert state(manifest).readiness is Readiness.NOT_SET_UP
    assert BuildDir.of(manifest).shared != shared
    assert BuildDir.of(manifest).sources == before


@pytest.mark.parametrize("variable", ["CARGO_TARGET_DIR", "CARGO_HOME", "GOPROXY", "RUSTDOCFLAGS"])
def test_what_is_no_option_of_a_compiler_means_no_other_build(
    variable: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    manifest = add(folder, '[setup]\nbuilt_with = [["compiler"]]\n')
    prepared(manifest)
    monkeypatch.setenv(variable, "another")
    assert state(manifest).readiness is Readiness.READY


def test_options_matter_only_to_what_is_compiled(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also by a compiler that a runtime names; for a script they mean nothing."""
    monkeypatch.delenv("CFLAGS", raising=False)
    toolchain, script = (discover()[name] for name in ("go/net-http~go-1.22", "perl/lwp"))
    before = [BuildDir.of(manifest).digest for manifest in (toolchain, script)]
    monkeypatch.setenv("CFLAGS", "-O0")
    after = [BuildDir.of(manifest).digest for manifest in (toolchain, script)]
    assert [a == b for a, b in zip(before, after, strict=True)] == [False, True]


def test_a_compiler_is_asked_once_and_found_when_it_is_installed(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:{os.environ['PATH']}")
    manifest = add(folder, '[setup]\nbuilt_with = [["compiler"]]\n')
    without = BuildDir.of(manifest).digest
    a_compiler(tmp_path / "bin", "1.0")
    assert len({BuildDir.of(manifest).digest for _ in range(3)} | {without}) == 2
    assert (tmp_path / "bin" / "asked").read_text() == "asked\n"


def test_it_is_asked_in_no_language_of_the_user(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """GCC translates its licence: a job of cron would find nothing that a terminal has built."""
    manifest = add(folder, '[setup]\nbuilt_with = [["compiler"]]\n')
    digests = set()
    for language in ("de_DE.UTF-8", "C"):
        monkeypatch.setenv("LC_ALL", language)
        monkeypatch.setenv("PATH", a_compiler(tmp_path / language, "1.0 $LC_ALL"))
        digests.add(BuildDir.of(manifest).digest)
    assert len(digests) == 1


@pytest.mark.parametrize("client", discover())
def test_what_is_compiled_depends_on_its_compiler(client: str) -> None:
    """A runtime names its toolchain; a virtual environment runs the interpreter as it is."""
    manifest = discover()[client]
    program = manifest.launch.command[0]
    if program.startswith("{build}/") and not program.startswith("{build}/venv/"):
        assert manifest.recipe.built_with or manifest.runtime


def test_placeholders(folder: Path, own_cache: Path) -> None:
    build_dir = BuildDir.of(read_manifest(folder))
    assert build_dir.fill("{kit}/x {adapter} {other}") == (
        f"{build_dir.folder}/_kit/x {build_dir.folder}/honest {{other}}"
    )
    assert build_dir.folder.is_relative_to(own_cache)


def test_sources_have_the_same_digest_on_every_machine(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The folder's name hasn't: what was built on one machine may not work on another."""
    manifest = read_manifest(folder)
    here = BuildDir.of(manifest)
    sources = here.sources
    monkeypatch.setattr("fetchoff.build.build_dir.of_the_machine", lambda _: iter(["another one"]))
    there = BuildDir.of(manifest)
    assert there.digest != here.digest
    assert there.sources == sources
    (folder / "lock.txt").write_text("library==2.0")
    assert BuildDir.of(manifest).sources != sources


def test_every_placeholder_that_is_known_is_filled(folder: Path) -> None:
    """`runtime` only where there is one."""
    build_dir = BuildDir.of(read_manifest(folder))
    assert {name for name in PLACES if build_dir.fill(f"{{{name}}}") == f"{{{name}}}"} == {
        "runtime"
    }


def test_what_is_nearly_a_placeholder_is_refused(folder: Path) -> None:
    """It would be passed on as it is. Other braces may mean something to a shell."""
    with pytest.raises(InputError, match=r"unknown placeholder '\{kti\}'") as caught:
        add(folder, '[setup]\nsteps = [["sh", "-c", "{kti}/x"]]\n')
    assert caught.value.hint == "did you mean {kit}?"


def test_other_braces_are_left_alone(folder: Path) -> None:
    manifest = add(folder, '[setup]\nsteps = [["sh", "-c", "echo {one,two} ${x} {body}"]]\n')
    assert manifest.recipe.steps[0][-1] == "echo {one,two} ${x} {body}"


def test_the_hint_is_for_what_failed(folder: Path) -> None:
    """What would help against a missing package helps no build that fails."""
    check = add(folder, '[setup]\nhint = "install it"\ncheck = [["false"]]\n')
    assert prepared(check).hint == "install it"


def test_a_build_that_fails_has_its_own_hint(folder: Path) -> None:
    build = add(folder, '[setup]\nhint = "install it"\nsteps = [["false"]]\n')
    assert "install it" not in prepared(build).hint
    assert "setup.log" in prepared(build).hint


def test_an_adapter_that_does_not_start_has_its_own_hint(folder: Path) -> None:
    manifest = add(folder, '[setup]\nhint = "install it"\n')
    client = prepared(manifest, AdapterError("x: ended with exit status 1"))
    assert client.reason == "x: ended with exit status 1"
    assert "install it" not in client.hint


@pytest.mark.parametrize(
    ("recipe", "reason"),
    [
        ('check = [["false"]]', "'false' failed"),
        ('check = [["no-such-command-at-all"]]', "there is no command 'no-such-command-at-all'"),
        ('check = [["sh", "-c", "echo no header >&2; exit 1"]]', "no header"),
        ('steps = [["sh", "-c", "echo broken build; exit 1"]]', "broken build"),
        ('steps = [["no-such-command-at-all"]]', "there is no command 'no-such-command-at-all'"),
    ],
)
def test_what_fails_is_unavailable(recipe: str, reason: str, folder: Path) -> None:
    manifest = add(folder, f'[setup]\nhint = "do this"\n{recipe}\n')
    client = prepared(manifest)
    assert client.readiness is Readiness.UNAVAILABLE
    assert reason in client.reason
    assert client.hint
    assert state(manifest) == client


def test_a_refused_hello_is_unavailable(folder: Path) -> None:
    client = prepared(read_manifest(folder), AdapterError("honest: no answer", "hint"))
    assert client.readiness is Readiness.UNAVAILABLE
    assert client.reason == "no answer"


def test_unavailable_is_tried_again(folder: Path) -> None:
    manifest = read_manifest(folder)
    prepared(manifest, AdapterError("honest: no answer"))
    assert prepared(manifest).readiness is Readiness.READY


def test_one_failure_stops_no_other(folder: Path) -> None:
    broken = Path(shutil.copytree(FAKES / "slow", folder.parent / "slow"))
    manifests = [add(broken, '[setup]\ncheck = [["false"]]\n'), read_manifest(folder)]
    states = {c.id: c.readiness for c in setup.set_up(manifests, lambda launch, path: HELLO)}
    assert states == {
        "fake/slow": Readiness.UNAVAILABLE,
        "fake/honest": Readiness.READY,
    }


def test_a_half_written_state_is_not_believed(folder: Path) -> None:
    manifest = read_manifest(folder)
    prepared(manifest)
    (BuildDir.of(manifest).folder / "ready.json").write_text('{"version": "1')
    assert state(manifest).readiness is Readiness.NOT_SET_UP


def test_no_kit(folder: Path) -> None:
    path = folder / "adapter.toml"
    path.write_text(path.read_text().replace("fake/honest", "cobol/honest"))
    with pytest.raises(InputError, match="there is no kit for 'cobol'"):
        read_manifest(folder)
