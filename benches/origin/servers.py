"""The servers to compare. Each is pinned to one core and reports how many requests it answered."""

from __future__ import annotations

import json
import os
import re
import shutil
import socket
import subprocess
import time
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from types import MappingProxyType
from typing import Protocol

from benches.origin.measuring import MeasurementError, pinned

ROOT = Path(__file__).resolve().parents[2]
HERE = Path(__file__).resolve().parent
PATIENCE = 10.0
PLAIN: Mapping[str, object] = MappingProxyType({"keep_alive": True, "digest": False})


class Server(Protocol):
    """A running server that answers one target."""

    name: str
    url: str

    def processes(self) -> list[int]:
        """The processes whose CPU time is the server's."""

    def stop(self) -> None:
        """Ends it."""


class CountingServer(Server, Protocol):
    """A server that counts."""

    def answered(self) -> int:
        """The number of requests that it has answered."""


class LineServer:
    """A server that is queried by lines on its standard input and ends when that is closed."""

    def __init__(self, name: str, command: list[str], core: int) -> None:
        self.name = name
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            preexec_fn=pinned(core),
        )

    def read_line(self) -> str:
        assert self._process.stdout
        line = self._process.stdout.readline()
        if not line:
            raise MeasurementError(f"{self.name} ended with status {self._process.wait()}")
        return line

    def ask(self, line: str) -> str:
        assert self._process.stdin
        self._process.stdin.write(line + "\n")
        self._process.stdin.flush()
        return self.read_line()

    def processes(self) -> list[int]:
        return [self._process.pid]

    def stop(self) -> None:
        assert self._process.stdin and self._process.stdout
        self._process.stdin.close()
        ended(self._process)
        self._process.stdout.close()


class Origin(LineServer):
    """The built-in origin with its ledger on. `terms`: the settings of its listener."""

    def __init__(self, target: str, core: int, terms: Mapping[str, object] = PLAIN) -> None:
        super().__init__("origin", [str(origin_binary()), "--control"], core)
        self.read_line()
        opened = json.loads(self.ask(json.dumps({"op": "open", **terms})))
        self._ledger = opened["ledger"]
        scheme = "https" if "authority" in opened else "http"
        self.url = f"{scheme}://127.0.0.1:{opened['port']}{target}"

    def answered(self) -> int:
        return int(json.loads(self.ask(f'{{"op":"read","ledger":{self._ledger}}}'))["requests"])


class BareLoop(LineServer):
    """An epoll loop that always sends the same answer."""

    def __init__(self, target: str, core: int, binary: Path) -> None:
        size = target.rpartition("/")[2]
        super().__init__("bare loop", [str(binary), size], core)
        self.url = f"http://127.0.0.1:{int(self.read_line())}{target}"

    def answered(self) -> int:
        return int(self.ask(""))


NGINX_CONF = """
daemon off;
worker_processes 1;
pid {folder}/nginx.pid;
error_log stderr crit;
events {{ worker_connections 1024; }}
http {{
    access_log off;
    sendfile on;
    tcp_nodelay on;
    keepalive_requests 1000000000;
    default_type application/octet-stream;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    server {{
        listen 127.0.0.1:{port};
        root {folder}/files;
        location = /stub_status {{ stub_status; }}
    }}
}}
"""


class Nginx:
    """nginx with one worker and a static file of the same content."""

    name = "nginx"

    def __init__(self, target: str, content: bytes, core: int, folder: Path) -> None:
        keep_file(folder, target, content)
        port = free_port()
        (folder / "nginx.conf").write_text(NGINX_CONF.format(folder=folder, port=port))
        self._base = f"http://127.0.0.1:{port}"
        self.url = self._base + target
        command = [nginx_binary(), "-e", "stderr", "-p", str(folder), "-c", "nginx.conf"]
        self._process = subprocess.Popen(command, preexec_fn=pinned(core))
        try:
            self._wait_until_up()
        except BaseException:
            self.stop()
            raise

    def _wait_until_up(self) -> None:
        until = time.monotonic() + PATIENCE
        while time.monotonic() < until and self._process.poll() is None:
            try:
                self.answered()
            except OSError:
                time.sleep(0.02)
            else:
                return
        raise MeasurementError(f"nginx did not start (status {self._process.poll()})")

    def processes(self) -> list[int]:
        return with_children(self._process.pid)

    def answered(self) -> int:
        status = fetch(self._base + "/stub_status").decode()
        counts = re.search(r"^ *\d+ +\d+ +(\d+) *$", status, re.MULTILINE)
        if counts is None:
            raise MeasurementError(f"nginx's stub_status cannot be read: {status!r}")
        return int(counts[1])

    def stop(self) -> None:
        self._process.terminate()
        ended(self._process)


def with_children(master: int) -> list[int]:
    """A process and those that it has started."""
    children = Path(f"/proc/{master}/task/{master}/children").read_text().split()
    return [master, *map(int, children)]


def keep_file(folder: Path, target: str, content: bytes) -> None:
    """Content under `files`, where a server that has given up its privileges can read it."""
    file = folder / "files" / target.lstrip("/")
    file.parent.mkdir(parents=True)
    file.write_bytes(content)
    for readable in (folder, *(path for path in folder.rglob("*") if path.is_dir())):
        readable.chmod(0o755)


@contextmanager
def running(
    target: str, core: int, folder: Path, bare_loop: Path
) -> Iterator[list[CountingServer]]:
    """All servers for one target, on one core, each known to send content of the same length."""
    with ExitStack() as stack:
        origin = Origin(target, core)
        stack.callback(origin.stop)
        content = fetch(origin.url)
        nginx = Nginx(target, content, core, folder)
        stack.callback(nginx.stop)
        bare = BareLoop(target, core, bare_loop)
        stack.callback(bare.stop)
        servers: list[CountingServer] = [origin, nginx, bare]
        for server in servers:
            check_length(server, len(content))
        yield servers


def check_length(server: CountingServer, expected: int) -> None:
    got = len(fetch(server.url))
    if got != expected:
        raise MeasurementError(f"{server.name} sends {got} bytes, not {expected}")


def ended(process: subprocess.Popen[str] | subprocess.Popen[bytes]) -> None:
    """Wait for a process that was told to end; kill it if it does not."""
    try:
        process.wait(PATIENCE)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def fetch(url: str) -> bytes:
    with urllib.request.urlopen(url, timeout=PATIENCE) as answer:
        content: bytes = answer.read()
        return content


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def tool(name: str, hint: str) -> str:
    path = shutil.which(name, path=os.environ.get("PATH", "") + ":/usr/sbin:/sbin")
    if path is None:
        raise MeasurementError(f"{name} is not installed\nhint: {hint}")
    return path


def nginx_binary() -> str:
    return tool("nginx", "apt install nginx-light")


def wrk_binary() -> str:
    return tool("wrk", "apt install wrk")


def origin_binary() -> Path:
    return ROOT / "target" / "release" / "fetchoff-origin"


def build_origin() -> None:
    cargo = tool("cargo", "https://rustup.rs")
    command = [cargo, "build", "--release", "--quiet", "--locked", "-p", "fetchoff-origin"]
    if subprocess.run(command, cwd=ROOT).returncode != 0:
        raise MeasurementError("the origin could not be built; cargo says why above")


def build_bare_loop(folder: Path) -> Path:
    binary = folder / "bare_loop"
    command = [tool("cc", "apt install gcc libc6-dev"), "-O2", "-Wall", "-Wextra", "-Werror"]
    if subprocess.run([*command, "-o", str(binary), str(HERE / "bare_loop.c")]).returncode != 0:
        raise MeasurementError("bare_loop.c could not be built; cc says why above")
    return binary
