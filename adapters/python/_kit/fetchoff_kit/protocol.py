"""The conversation with the harness: one JSON object a line, answered by exactly one line."""

from __future__ import annotations

import gc
import io
import json
import os
import sys
from time import perf_counter_ns

from .client import AsyncClient, Client, Unsupported, runtime
from .loop import describe, spinner
from .workload import Exchange, Settings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .blocking import Blocking
    from .loop import Tally
    from .tasks import Tasks

    Workload = Blocking | Tasks

PROTOCOL = 1


def serve(client_class: type[Client] | type[AsyncClient]) -> None:
    """Answer the harness until it finishes, or closes the adapter's standard input."""
    requests, answers = _take_streams()
    _forget_proxies()
    adapter = Adapter(client_class)
    try:
        for line in iter(requests.readline, b""):
            answers.write(adapter.answer(line))
            if adapter.finished:
                break
    except (KeyboardInterrupt, BrokenPipeError):  # the harness is gone, or about to be
        sys.exit(1)
    finally:
        adapter.drop()


def _take_streams() -> tuple[Any, Any]:
    """The protocol's two streams. What anybody prints from now on goes to standard error."""
    answers = io.FileIO(os.dup(1), "wb")
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    return sys.stdin.buffer, answers


def _forget_proxies() -> None:
    """What the environment says of proxies, where libraries look: `settings.proxy` alone counts."""
    for name in list(os.environ):
        if name.lower().endswith("_proxy"):
            del os.environ[name]


class Refused(Exception):
    """A message that cannot be served, with the text for the harness."""


class Adapter:
    """What has been prepared, and the answers."""

    def __init__(self, client_class: type[Client] | type[AsyncClient]) -> None:
        self.finished = False
        self._client_class = client_class
        self._features = client_class.declared()
        self._workload: Workload | None = None
        self._exchanges = 0
        self._operations = {
            "hello": self._hello,
            "prepare": self._prepare,
            "run": self._run,
            "finish": self._finish,
        }

    def answer(self, line: bytes) -> bytes:
        try:
            message = json.loads(line)
            if not isinstance(message, dict):
                raise Refused("a message is a JSON object")
            operation = self._operations.get(message.get("op", ""))
            if operation is None:
                raise Refused(f"unknown op {message.get('op')!r}")
            answer = operation(message)
        except Refused as refusal:
            answer = {"error": str(refusal)}
        except ValueError as error:
            answer = {"error": f"the message cannot be read: {error}"}
        except Exception as error:
            answer = {"error": describe(error)}
        return json.dumps(answer).encode() + b"\n"

    def drop(self) -> None:
        workload, self._workload = self._workload, None
        if workload is not None:
            workload.close()

    def _hello(self, message: dict[str, Any]) -> dict[str, Any]:
        if message.get("protocol") != PROTOCOL:
            raise Refused(f"only protocol {PROTOCOL} is spoken here")
        return {
            "protocol": PROTOCOL,
            "client": self._client_class.name,
            "version": self._client_class.installed_version(),
            "runtime": runtime(),
            "engine": self._client_class.engine,
            "features": self._features,
        }

    def _prepare(self, message: dict[str, Any]) -> dict[str, Any]:
        if self._workload is not None:
            self.drop()
            gc.collect()  # urllib3 leaves connections to finalizers, which errors keep from running
        required = _member(message, "require", list)
        for feature in required:
            if feature not in self._features:
                return {"unsupported": feature}
        if "inject.busy" in required:
            spinner.calibrate()
        try:
            settings = Settings(_member(message, "settings", dict))
            exchanges = [Exchange(exchange) for exchange in _member(message, "exchanges", list)]
            self._workload = self._build(settings, exchanges)
        except Unsupported as feature:
            return {"unsupported": str(feature)}
        except KeyError as missing:
            raise Refused(f"prepare lacks {missing}") from missing
        self._exchanges = len(exchanges)
        return {"ready": True}

    def _build(self, settings: Settings, exchanges: list[Exchange]) -> Workload:
        if issubclass(self._client_class, AsyncClient):
            from .tasks import Tasks  # asyncio takes long to import, and most adapters do without

            return Tasks(self._client_class, settings, exchanges)
        from .blocking import Blocking

        return Blocking(self._client_class, settings, exchanges)

    def _run(self, message: dict[str, Any]) -> dict[str, Any]:
        workload = self._workload
        if workload is None:
            raise Refused("nothing has been prepared")
        n = _whole(message, "n")
        busy_ns = _whole(message, "busy_ns") if "busy_ns" in message else 0
        digests = None
        if message.get("digest"):
            if n != 1:
                raise Refused("digests are for a single iteration")
            started = perf_counter_ns()
            tally, digests = workload.digest(busy_ns)
        else:
            started = perf_counter_ns()
            tally = workload.run(n, busy_ns)
        wall_ns = perf_counter_ns() - started
        answer = _done(n * self._exchanges, tally, wall_ns, digests, busy_ns)
        parse_ns = workload.parse_ns()
        return answer if parse_ns is None else {**answer, "parse_ns": parse_ns}

    def _finish(self, message: dict[str, Any]) -> dict[str, Any]:
        self.drop()
        self.finished = True
        return {"finished": True}


def _done(
    exchanges: int, tally: Tally, wall_ns: int, digests: list[str] | None, busy_ns: int
) -> dict[str, Any]:
    answer: dict[str, Any] = {
        "done": exchanges - tally.failed,
        "failed": tally.failed,
        "bytes": tally.bytes,
        "wall_ns": wall_ns,
    }
    if busy_ns:
        answer["busy_ns"] = tally.busy_ns
    if digests is not None:
        answer["sha256"] = digests
    if tally.error:
        answer["error"] = tally.error
    return answer


def _member(message: dict[str, Any], name: str, kind: type) -> Any:
    value = message.get(name)
    if not isinstance(value, kind):
        raise Refused(f"{message['op']} lacks {name!r}, a {kind.__name__}")
    return value


def _whole(message: dict[str, Any], name: str) -> int:
    value = message.get(name)
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise Refused(f"{message['op']} lacks {name!r}, a whole number")
    return value
