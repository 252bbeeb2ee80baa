"""Clusters of Dask that Fetchoff starts or joins: where they listen, and what becomes of workers
and schedulers that end, hang, or cannot do what they are asked."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import psutil
import pytest

pytest.importorskip("distributed", reason="the extra 'fleet' is not installed")

from distributed import Client, Worker

from fetchoff.catalog.hosts import RemoteHost
from fetchoff.fleet.dask import asked, clusters, joined, over_ssh
from fetchoff.fleet.dask.clusters import of_this_machine, there_is
from fetchoff.fleet.dask.joined import JoinedCluster
from fetchoff.fleet.dask.required import environment
from fetchoff.fleet.seam.cluster import ClusterGone, Here, HostAway, Job
from fetchoff.model.errors import HostError, InputError
from fetchoff.run.host.machine import usable_cores

ROOT = Path(__file__).parents[2]
LOOPBACK = "127.0.0.1"
LONGEST_S = 60.0
ALL_CORES = os.sched_getaffinity(0)
HARNESS = usable_cores()[0]


@pytest.fixture(autouse=True)
def _is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    places = [str(ROOT), str(ROOT / "src"), os.environ.get("PYTHONPATH", "")]
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(filter(None, places)))


def where(_request: object, _here: Here) -> set[int]:
    """A job: the cores that it begins on."""
    return os.sched_getaffinity(0)


def waits(request: tuple[Path, Path], _here: Here) -> None:
    """A job that tells that it has begun, and ends when it may."""
    begun, may_end = request
    begun.touch()
    within(may_end.exists)


@contextlib.contextmanager
def started(*arguments: str, **env: str) -> Iterator[psutil.Process]:
    """A process of Dask; it is killed at the end, also if it is stopped."""
    process = subprocess.Popen(
        [sys.executable, *arguments],
        env={**os.environ, **environment(), **env},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        yield psutil.Process(process.pid)
    finally:
        process.kill()
        process.wait()


@contextlib.contextmanager
def scheduler(folder: Path) -> Iterator[tuple[psutil.Process, str]]:
    file = folder / "scheduler.json"
    arguments = ("--host", LOOPBACK, "--port", "0", "--no-dashboard", "--scheduler-file", str(file))
    with started("-m", "distributed.cli.dask_scheduler", *arguments) as process:
        within(lambda: file.exists() and file.read_text().endswith("}"))
        yield process, json.loads(file.read_text())["address"]


def worker_of_the_user(
    address: str, name: str, folder: Path, **env: str
) -> contextlib.AbstractContextManager[psutil.Process]:
    """As a user starts one, with Dask's sampling profiler and without the resource of a host."""
    return started(
        *("-m", "distributed.cli.dask_worker", address, "--name", name, "--host", LOOPBACK),
        *("--no-nanny", "--nthreads", "1", "--no-dashboard", "--local-directory", str(folder)),
        **{"DASK_DISTRIBUTED__WORKER__PROFILE__ENABLED": "True", **env},
    )


def within(condition: Callable[[], object], longest_s: float = LONGEST_S) -> None:
    """Wait until something is so."""
    deadline = time.monotonic() + longest_s
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def is_there(client: Client, name: str) -> bool:
    return name in asked.listing(client).addresses


def listened_on(process: psutil.Process) -> set[str]:
    """The addresses that a process listens on."""
    sockets = process.net_connections("tcp")
    return {one.laddr.ip for one in sockets if one.status == psutil.CONN_LISTEN}


def result_on(cluster: JoinedCluster, host: str, job: Job) -> object:
    task = cluster.start(host, job, LONGEST_S)
    within(lambda: task.is_done)
    return task.result()


def test_a_worker_for_ssh_listens_where_it_reaches_its_scheduler(tmp_path: Path) -> None:
    """With the options that SSH starts it with; and Dask's own listens everywhere."""
    with scheduler(tmp_path) as (_, address), there_is(address, None) as client:
        for name, cls in (("own", over_ssh.WORKER), ("dasks", "distributed.Worker")):
            spec = {"cls": cls, "opts": over_ssh.worker_options(name)}
            arguments = (address, "--spec", json.dumps(spec))
            with started("-m", "distributed.cli.dask_spec", *arguments) as process:
                within(partial(is_there, client, name))
                found = listened_on(process)
            assert (found == {LOOPBACK}) is (name == "own"), found


def test_tls_without_certificates_is_an_error_that_says_what_to_add() -> None:
    with pytest.raises(InputError) as raised, there_is("tls://127.0.0.1:1", None):
        pass
    assert raised.value.message == "tls://127.0.0.1:1 is reached by TLS, which needs certificates"
    assert raised.value.hint.startswith("add --security")


def test_nothing_of_a_cluster_of_this_machine_listens_beyond_loopback() -> None:
    before = {child.pid for child in psutil.Process().children(recursive=True)}
    with of_this_machine(2, None):
        found = [c for c in psutil.Process().children(recursive=True) if c.pid not in before]
        listening = [addresses for child in found if (addresses := listened_on(child))]
    assert len(listening) == 3
    assert set.union(*listening) == {LOOPBACK}


def test_workers_that_are_busy_end_at_once_and_not_one_after_the_other(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """All of them are told before anybody is waited for."""
    done: list[str] = []

    class Busy:
        def terminate(self) -> None:
            done.append("told")

        def wait(self, timeout: float | None = None) -> int:
            if timeout is None:
                done.append("ended")
                return 0
            if timeout > 0:
                time.sleep(timeout)
            raise subprocess.TimeoutExpired("worker", timeout)

        def kill(self) -> None:
            done.append("killed")

    monkeypatch.setattr(clusters, "END_S", 0.01)
    clusters._end([Busy(), Busy(), Busy()])  # type: ignore[list-item]
    assert done == ["told"] * 3 + ["killed", "ended"] * 3


def test_a_cluster_whose_workers_are_busy_leaves_nothing_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(clusters, "END_S", 0.5)
    with of_this_machine(3, None) as client:
        cluster = JoinedCluster(client)
        hosts = sorted(cluster.present())
        for host in hosts:
            cluster.start(host, Job(waits, (tmp_path / host, tmp_path / "never")), LONGEST_S)
        within(lambda: all((tmp_path / host).exists() for host in hosts))
        workers = list(client.run(os.getpid).values())
    assert not any(map(psutil.pid_exists, workers))


def test_a_scheduler_that_hangs_is_gone_after_a_while(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its connection stays: nothing but time tells."""
    monkeypatch.setattr(joined, "PATIENCE_S", 2.0)
    monkeypatch.setattr(asked.listing, "__defaults__", (1.0,))
    with (
        scheduler(tmp_path) as (process, address),
        worker_of_the_user(address, "anna", tmp_path),
        there_is(address, None) as client,
    ):
        within(lambda: "anna" in asked.listing(client, LONGEST_S).addresses)
        cluster = JoinedCluster(client)
        within(lambda: cluster.present() == {"anna"})
        process.suspend()
        began = time.monotonic()
        with pytest.raises(ClusterGone, match="the scheduler is gone"):
            while time.monotonic() < began + LONGEST_S:
                cluster.present()
                cluster.pause()
        cluster.let_go()  # this neither


def test_a_worker_that_hangs_keeps_nobody_waiting(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(asked, "READY_S", 2.0)
    monkeypatch.setattr(joined, "READY_S", 2.0)
    with (
        scheduler(tmp_path) as (_, address),
        worker_of_the_user(address, "anna", tmp_path / "a"),
        worker_of_the_user(address, "berta", tmp_path / "b") as berta,
        there_is(address, None) as client,
    ):
        within(lambda: asked.listing(client).addresses.keys() == {"anna", "berta"})
        berta.suspend()
        cluster = JoinedCluster(client)
        within(lambda: cluster.present() == {"anna"})
        assert cluster.unfit == {"berta": "it does not answer"}
        assert result_on(cluster, "anna", Job(where, None)) == {HARNESS}
        assert cluster.unfit == {"berta": "it does not answer"}  # asked again meanwhile
        berta.resume()
        within(lambda: cluster.present() == {"anna", "berta"})
        assert cluster.unfit == {}


def test_a_worker_that_lacks_fetchoff_is_named_and_stops_nobody(tmp_path: Path) -> None:
    with (
        scheduler(tmp_path) as (_, address),
        worker_of_the_user(address, "anna", tmp_path / "a"),
        worker_of_the_user(address, "bare", tmp_path / "b", PYTHONPATH=_without_fetchoff(tmp_path)),
        there_is(address, None) as client,
    ):
        within(lambda: asked.listing(client).addresses.keys() == {"anna", "bare"})
        cluster = JoinedCluster(client)
        within(lambda: cluster.present() == {"anna"})
        assert cluster.unfit.keys() == {"bare"}
        assert "no Fetchoff here" in cluster.unfit["bare"]
        with pytest.raises(HostAway):
            cluster.start("bare", Job(where, None), LONGEST_S)


def _without_fetchoff(folder: Path) -> str:
    """A place for modules where fetchoff cannot be imported."""
    place = folder / "modules" / "fetchoff"
    place.mkdir(parents=True)
    (place / "__init__.py").write_text("raise ImportError('no Fetchoff here')")
    return str(place.parent)


@contextlib.contextmanager
def anna_of_the_user(folder: Path) -> Iterator[tuple[psutil.Process, Client]]:
    """A worker that the user started, on a cluster that has no other, and who asks it."""
    with (
        scheduler(folder) as (_, address),
        worker_of_the_user(address, "anna", folder) as anna,
        there_is(address, None) as client,
    ):
        within(lambda: "anna" in asked.listing(client).addresses)
        yield anna, client


def test_a_cluster_of_the_user_is_left_as_it_was(tmp_path: Path) -> None:
    with anna_of_the_user(tmp_path) as (anna, client):
        before = samples(client)
        assert before == {"profile": True, "profile-cycle": True}
        cluster = JoinedCluster(client)
        within(lambda: cluster.present() == {"anna"})
        assert cores_of(anna) == {HARNESS}
        assert not any(samples(client).values())
        cluster.let_go()
        assert cores_of(anna) == ALL_CORES
        assert samples(client) == before
        assert result_on(cluster, "anna", Job(where, None)) == {HARNESS}


def test_a_worker_is_let_go_of_when_its_last_job_has_ended(tmp_path: Path) -> None:
    """Its round counts when the run is resumed: nothing may disturb what is measured."""
    begun, may_end = tmp_path / "begun", tmp_path / "may end"
    with anna_of_the_user(tmp_path) as (anna, client):
        before = samples(client)
        cluster = JoinedCluster(client)
        within(lambda: cluster.present() == {"anna"})
        task = cluster.start("anna", Job(waits, (begun, may_end)), LONGEST_S)
        within(begun.exists)
        task.drop()  # as by Ctrl-C
        cluster.let_go()
        assert cores_of(anna) == {HARNESS}
        assert not any(samples(client).values())
        may_end.touch()
        within(lambda: cores_of(anna) == ALL_CORES)
        within(lambda: samples(client) == before)
        assert cluster.unfit == {}


def test_a_worker_is_let_go_of_after_a_job_that_began_late(tmp_path: Path) -> None:
    """The first that a worker is given imports much before it begins: Ctrl-C may come meanwhile."""
    with anna_of_the_user(tmp_path) as (anna, client):
        before = samples(client)
        cluster = JoinedCluster(client)
        cluster.let_go()
        assert cores_of(anna) == ALL_CORES
        assert result_on(cluster, "anna", Job(where, None)) == {HARNESS}
        within(lambda: cores_of(anna) == ALL_CORES)
        within(lambda: samples(client) == before)


def samples(client: Client) -> dict[str, bool]:
    """Whether a worker's callbacks of its profiler run."""

    def running(dask_worker: Worker) -> dict[str, bool]:
        callbacks = dask_worker.periodic_callbacks
        return {kind: callbacks[kind].is_running() for kind in ("profile", "profile-cycle")}

    (found,) = client.run(running).values()
    return dict(found)


def cores_of(process: psutil.Process) -> set[int]:
    """Those that any of its threads may use."""
    return set().union(*(os.sched_getaffinity(thread.id) for thread in process.threads()))


def test_a_wave_of_jobs_asks_once_who_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    """And once more for a host that is asked again."""
    monkeypatch.setattr(joined, "FRESH_S", LONGEST_S)
    with of_this_machine(3, None) as client:
        cluster = JoinedCluster(client)
        calls: list[float] = []

        def counted(one: Client) -> asked.Listing:
            calls.append(time.monotonic())
            return asked.listing(one)

        monkeypatch.setattr(joined, "listing", counted)
        hosts = sorted(cluster.present())
        tasks = [cluster.start(host, Job(where, None), LONGEST_S) for host in hosts]
        assert len(tasks) == 3
        assert calls == []
        cluster.start(hosts[0], Job(where, None), LONGEST_S)
        assert len(calls) == 1


def test_a_host_that_moved_is_not_waited_for_where_it_was(tmp_path: Path) -> None:
    """It was away for so short a time that nobody saw it."""
    with (
        scheduler(tmp_path) as (_, address),
        there_is(address, None) as client,
        contextlib.ExitStack() as first,
    ):
        anna = first.enter_context(worker_of_the_user(address, "anna", tmp_path / "a"))
        within(lambda: "anna" in asked.listing(client).addresses)
        cluster = JoinedCluster(client)
        within(lambda: cluster.present() == {"anna"})
        anna.suspend()  # so that the job never begins
        task = cluster.start("anna", Job(where, None), LONGEST_S)
        anna.kill()
        with worker_of_the_user(address, "anna", tmp_path / "b"):
            within(lambda: cluster.present() and task.is_done)
            with pytest.raises(HostAway):
                task.result()
            assert result_on(cluster, "anna", Job(where, None)) == {HARNESS}


@pytest.fixture
def ssh(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    """The port of a server that this user knows."""
    pytest.importorskip("asyncssh", reason="the extra 'fleet' is not installed")
    from tests.integration.ssh import serving

    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    with serving(tmp_path / "home") as port:
        yield port


def test_ssh_goes_on_without_a_host_that_has_nothing_and_starts_one_that_ends_again(
    ssh: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import dask

    monkeypatch.setattr(over_ssh, "AGAIN_S", 0.5)
    hosts = [
        RemoteHost("here", LOOPBACK, "", ssh, sys.executable),
        RemoteHost("bare", LOOPBACK, "", ssh, str(tmp_path / "none" / "python")),
    ]
    told: list[tuple[str, HostError]] = []
    with (
        dask.config.set({"distributed.deploy.lost-worker-timeout": "1s"}),
        over_ssh.over_ssh(hosts, LOOPBACK, None, lambda *one: told.append(one)) as client,
    ):
        assert len(told) == 1
        name, error = told[0]
        assert (name, error.message) == ("bare", "it cannot be started by SSH")
        assert "none/python" in error.hint
        assert os.sched_getaffinity(0) == {HARNESS}
        cluster = JoinedCluster(client)
        within(lambda: cluster.present() == {"here"})
        (pid,) = client.run(os.getpid).values()
        assert listened_on(psutil.Process(pid)) == {LOOPBACK}
        os.kill(pid, signal.SIGKILL)
        within(lambda: cluster.present() == frozenset())
        within(lambda: cluster.present() == {"here"})
        (again,) = client.run(os.getpid).values()
        assert again != pid
        assert result_on(cluster, "here", Job(where, None)) == {HARNESS}
    within(lambda: not psutil.pid_exists(again))
    assert os.sched_getaffinity(0) == ALL_CORES
    assert len(told) == 1


def test_without_any_host_ssh_is_an_error(ssh: int, tmp_path: Path) -> None:
    hosts = [RemoteHost("bare", LOOPBACK, "", ssh, str(tmp_path / "python"))]
    told: list[str] = []
    with (
        pytest.raises(HostError, match="no host can be started by SSH"),
        over_ssh.over_ssh(hosts, LOOPBACK, None, lambda name, _: told.append(name)),
    ):
        pass
    assert told[0] == "bare"


def test_a_host_that_cannot_reach_the_scheduler_is_named_with_a_hint(
    ssh: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its worker starts, and finds nobody."""
    monkeypatch.setattr(clusters, "START_S", 0.0)
    hosts = [RemoteHost("pi", LOOPBACK, "", ssh, sys.executable)]
    with pytest.raises(HostError) as raised, over_ssh.over_ssh(hosts, LOOPBACK, None, print):
        pass
    assert raised.value.message == "no host came to the scheduler: pi did not come within 60 s"
    assert raised.value.hint.startswith("'listen' must be an address of this machine")


def test_the_dashboard_is_on_loopback_wherever_hosts_reach_the_scheduler() -> None:
    with over_ssh._cluster([], "127.0.0.2", None, lambda *_: None) as cluster:
        assert cluster.scheduler_address.startswith("tcp://127.0.0.2:")
        assert cluster.dashboard_link.startswith(f"http://{LOOPBACK}:")
        port = int(cluster.dashboard_link.split(":")[2].partition("/")[0])
        with socket.create_connection((LOOPBACK, port), LONGEST_S):
            pass


def test_a_scheduler_that_cannot_listen_there_is_told() -> None:
    hosts = [RemoteHost("pi", LOOPBACK, "", 1, sys.executable)]
    with (
        pytest.raises(HostError, match=r"cannot listen at 192\.0\.2\.1") as raised,
        over_ssh.over_ssh(hosts, "192.0.2.1", None, print),
    ):
        pass
    assert "must be an address of this machine" in raised.value.hint
