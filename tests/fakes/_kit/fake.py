"""Adapters that misbehave, each in its own way. $FAKE names the misbehaviour.

While setup says hello, the working directory is the adapter's own folder: some behave well there,
and badly only once they are measured.
"""

from __future__ import annotations

import http.client
import os
import random
import signal
import ssl
import subprocess
import sys
import time
import urllib.parse
from pathlib import Path
from typing import Any

from honest import FEATURES, Honest

MILLISECOND = 1_000_000
FOREVER_S = 3600
IS_SETUP = Path("adapter.toml").exists()


def sleep_forever() -> None:
    while True:
        time.sleep(FOREVER_S)


class Slow(Honest):
    """Spins for a millisecond in every exchange."""

    def exchange(self, exchange: dict[str, Any]) -> tuple[int, bytes]:
        self.spin(MILLISECOND)
        return super().exchange(exchange)


class Wavering(Honest):
    """Spins for a third of a millisecond, or for three, as this process has drawn."""

    ns = round(MILLISECOND * 3 ** random.uniform(-1, 1))

    def exchange(self, exchange: dict[str, Any]) -> tuple[int, bytes]:
        self.spin(self.ns)
        return super().exchange(exchange)


class Aging(Honest):
    """Spins for the nanoseconds that the file $SPIN holds, in every exchange."""

    def exchange(self, exchange: dict[str, Any]) -> tuple[int, bytes]:
        self.spin(int(Path(os.environ["SPIN"]).read_text()))
        return super().exchange(exchange)


class Misspelling(Honest):
    features = (*FEATURES, "conection.reuse", "option.anything")


class SlowStart(Honest):
    def hello(self) -> dict[str, Any]:
        time.sleep(1.5)
        return super().hello()


class Silent(Honest):
    """Never answers hello."""

    def hello(self) -> dict[str, Any]:
        sleep_forever()
        return {}


class FallsSilent(Silent):
    """Never answers hello once it has been set up."""

    def hello(self) -> dict[str, Any]:
        return Honest.hello(self) if IS_SETUP else super().hello()


class Batches(Honest):
    """Knows which of its batches it is in; those of verification ask for digests."""

    batch = 0

    def run(self, message: dict[str, Any]) -> dict[str, Any]:
        self.batch += "digest" not in message
        return super().run(message)


class Hanging(Batches):
    """Hangs in its fifth batch."""

    def exchange(self, exchange: dict[str, Any]) -> tuple[int, bytes]:
        if self.batch == 5:
            sleep_forever()
        return super().exchange(exchange)


class Crashing(Honest):
    """Ends late in a loop that is many times as long as any before: one in which turns are taken.

    How long that is depends on the machine; stretches of a warm-up grow fourfold at most.
    """

    longest = 1
    last = 0
    many = 6

    def run(self, message: dict[str, Any]) -> dict[str, Any]:
        n = message["n"]
        self.last = round(0.7 * n) if n > self.many * self.longest else n + 1
        self.longest = max(self.longest, n)
        return super().run(message)

    def exchange(self, exchange: dict[str, Any]) -> tuple[int, bytes]:
        self.last -= 1
        if self.last < 0:
            print("out of cheese", file=sys.stderr)
            sys.stderr.flush()
            os._exit(3)
        return super().exchange(exchange)


class Fainting(Honest):
    """Ends whenever it is to prepare anything."""

    def prepare(self, message: dict[str, Any]) -> dict[str, Any]:
        os._exit(3)


class ShortLived(Crashing):
    """Ends in the middle of any loop that is not short."""

    long = 30


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


class ShortBody(Honest):
    """Loses the last byte of every content, and does not notice."""

    def checked(self, exchange: dict[str, Any]) -> bytes:
        return super().checked(exchange)[:-1]


class Careless(Honest):
    """Makes the content up: the length is right."""

    def checked(self, exchange: dict[str, Any]) -> bytes:
        return b"?" * len(super().checked(exchange))


class Tiring(Honest):
    """Makes the content up after three batches of a workload: the length is right."""

    runs = 0

    def prepare(self, message: dict[str, Any]) -> dict[str, Any]:
        self.runs = 0
        return super().prepare(message)

    def run(self, message: dict[str, Any]) -> dict[str, Any]:
        self.runs += 1
        return super().run(message)

    def checked(self, exchange: dict[str, Any]) -> bytes:
        content = super().checked(exchange)
        return content if self.runs <= 3 else b"?" * len(content)


class Caching(Honest):
    """Sends each request once, and answers from memory after that."""

    def prepare(self, message: dict[str, Any]) -> dict[str, Any]:
        self.kept: dict[str, tuple[int, bytes]] = {}
        return super().prepare(message)

    def exchange(self, exchange: dict[str, Any]) -> tuple[int, bytes]:
        url = exchange["url"]
        if url not in self.kept:
            self.kept[url] = super().exchange(exchange)
        return self.kept[url]


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


class Leaking(Honest):
    """Starts processes and forgets them."""

    def prepare(self, message: dict[str, Any]) -> dict[str, Any]:
        subprocess.Popen(["sleep", str(FOREVER_S)])
        return super().prepare(message)


class Deaf(Honest):
    """Lives on when its input ends, whatever signal it is sent."""

    def serve(self) -> None:
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            signal.signal(number, signal.SIG_IGN)
        super().serve()
        sleep_forever()


class Idle(Honest):
    """Reports to have spun, and has not."""

    def run(self, message: dict[str, Any]) -> dict[str, Any]:
        busy_ns = message.pop("busy_ns", 0)
        answer = super().run(message)
        return {**answer, "busy_ns": busy_ns * answer["done"]}


class Unhurried(Honest):
    """Takes a millisecond an iteration, but as long for one as for eight."""

    def run(self, message: dict[str, Any]) -> dict[str, Any]:
        began = time.perf_counter_ns()
        answer = super().run(message)
        eights = -(-message["n"] // 8)
        self.spin(max(0, 8 * eights * MILLISECOND - (time.perf_counter_ns() - began)))
        return answer


class Trusting(Honest):
    """Takes any certificate."""

    def tls(self) -> ssl.SSLContext:
        context = super().tls()
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
        return context


class Unproxied(Honest):
    """Knows a shorter way."""

    def exchange(self, exchange: dict[str, Any]) -> tuple[int, bytes]:
        self.settings["proxy"] = None
        return super().exchange(exchange)


class Uncoded(Honest):
    """Says that it decodes, and asks for nothing that would have to be."""

    def exchange(self, exchange: dict[str, Any]) -> tuple[int, bytes]:
        self.settings["decompress"] = False
        return super().exchange(exchange)


class Forgetful(Honest):
    """Shakes hands anew for every exchange."""

    def exchange(self, exchange: dict[str, Any]) -> tuple[int, bytes]:
        if exchange["url"].startswith("https:"):
            self.settings["reuse"] = False
        return super().exchange(exchange)


class Headstrong(Honest):
    """Closes the connection after HEAD."""

    def exchange(self, exchange: dict[str, Any]) -> tuple[int, bytes]:
        if exchange["method"] == "HEAD":
            self.settings["reuse"] = False
        return super().exchange(exchange)


class Lenient(Honest):
    """Is content with what has arrived when a connection ends."""

    def exchange(self, exchange: dict[str, Any]) -> tuple[int, bytes]:
        try:
            return super().exchange(exchange)
        except http.client.IncompleteRead as broken:
            return 200, broken.partial


class Hoarding(Honest):
    """Keeps the whole content, whatever it is to do with it."""

    features = (*FEATURES, "sink.discard", "read-size")


class Roomy(Hoarding):
    """Discards content piece by piece, with 200 MB of memory of its own, as PyPy's nursery has."""

    piece = 1 << 20
    own = 200 << 20

    def run(self, message: dict[str, Any]) -> dict[str, Any]:
        if self.settings["sink"] != "discard" or message.get("digest"):
            return super().run(message)
        room = bytearray(self.own)
        room[::4096] = b"?" * len(room[::4096])  # memory counts once it was touched
        began = time.perf_counter_ns()
        length = sum(self.discarded(e["url"]) for e in message["n"] * self.exchanges)
        return {
            "done": message["n"] * len(self.exchanges),
            "failed": 0,
            "bytes": length,
            "wall_ns": time.perf_counter_ns() - began,
        }

    def discarded(self, url: str) -> int:
        hop = urllib.parse.urlsplit(url)
        connection = self.connect(hop)
        connection.request("GET", hop.path)
        response = connection.getresponse()
        length = sum(map(len, iter(lambda: response.read(self.piece), b"")))
        connection.close()
        return length


class TwoFaced(Honest):
    """Is slower where it is the twin of the self-check; the harness's file for its words tells."""

    def exchange(self, exchange: dict[str, Any]) -> tuple[int, bytes]:
        if "#twin" in str(Path("/proc/self/fd/2").readlink()):
            self.spin(MILLISECOND // 2)
        return super().exchange(exchange)


FAKES: dict[str, type[Honest]] = {
    "honest": Honest,
    "slow": Slow,
    "slow-start": SlowStart,
    "wavering": Wavering,
    "silent": Silent,
    "falls-silent": FallsSilent,
    "hanging": Hanging,
    "crashing": Crashing,
    "fainting": Fainting,
    "short-lived": ShortLived,
    "garbage": Garbage,
    "endless": Endless,
    "boastful": Boastful,
    "miscounting": Miscounting,
    "hasty": Hasty,
    "skipping": Skipping,
    "short-body": ShortBody,
    "careless": Careless,
    "tiring": Tiring,
    "caching": Caching,
    "chatty": Chatty,
    "failing": Failing,
    "leaking": Leaking,
    "deaf": Deaf,
    "idle": Idle,
    "unhurried": Unhurried,
    "two-faced": TwoFaced,
    "misspelling": Misspelling,
    "trusting": Trusting,
    "unproxied": Unproxied,
    "uncoded": Uncoded,
    "forgetful": Forgetful,
    "headstrong": Headstrong,
    "hoarding": Hoarding,
    "roomy": Roomy,
    "lenient": Lenient,
    "aging": Aging,
}

if __name__ == "__main__":
    FAKES[os.environ["FAKE"]]().serve()
