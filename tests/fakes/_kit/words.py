"""Adapters that say what is not so, or nothing that can be read."""

from __future__ import annotations

import sys
from typing import Any

from honest import FEATURES, Honest
from pace import Batches


class Misspelling(Honest):
    features = (*FEATURES, "conection.reuse", "option.anything")


class Garbage(Batches):
    """Prints something else than JSON in its third batch."""

    def say(self, answer: dict[str, Any]) -> None:
        if self.batch == 3:
            sys.stdout.buffer.write(b"\xff\xfe\x1b[31m} segmentation fault\n")
            sys.stdout.flush()
            return
        super().say(answer)


class Endless(Batches):
    """Prints a line without an end in its third batch."""

    def say(self, answer: dict[str, Any]) -> None:
        while self.batch == 3:
            sys.stdout.write("x" * 65_536)
        super().say(answer)


class Boastful(Honest):
    """Claims to be ready for whatever is required."""

    def prepare(self, message: dict[str, Any]) -> dict[str, Any]:
        return super().prepare({**message, "require": []})


class Miscounting(Honest):
    """Reports one exchange more than it was asked for."""

    def run(self, message: dict[str, Any]) -> dict[str, Any]:
        answer = super().run(message)
        return {**answer, "done": answer["done"] + 1}


class Hasty(Honest):
    """Stops its clock as soon as it has started to parse."""

    def parse(self, content: bytes) -> Any:
        document = super().parse(content)
        self.parse_ns = 0
        return document


class Skipping(Honest):
    """Does half of what it was asked for, and says that it did all."""

    def run(self, message: dict[str, Any]) -> dict[str, Any]:
        n = message["n"]
        done = super().run({**message, "n": (n + 1) // 2})
        size = sum(exchange["expect"]["bytes"] or 0 for exchange in self.exchanges)
        return {**done, "done": n * len(self.exchanges), "bytes": n * size}


class Chatty(Honest):
    """Two lines for every answer to run."""

    def say(self, answer: dict[str, Any]) -> None:
        if "done" in answer:
            sys.stdout.write('{"log":"ran a batch"}\n')
        super().say(answer)


class Failing(Honest):
    """Every exchange fails, and says so in words that are hard to print."""

    def exchange(self, exchange: dict[str, Any]) -> tuple[int, bytes]:
        raise OSError("no route \ud800 to \x1b[31mhost\x00")
