"""What `fetchoff explain` says of real clients: `make bench-diagnosis`.

Three parts. *clean*: clients without known faults, again and again; each finding is a false alarm.
*survey*: every library that is ready on workloads that show faults; what is found, predicted and,
where a factor can be toggled, tried. *pairs*: how much of the difference of two clients stays
unexplained.
Rows go to a file as they are found, and what is in it already is not done again. With `--keep`,
recordings are kept too, and `--ask-again` asks the rules of today about them.

Exit status 1: something failed, or wasn't begun because `--seconds` were over.
"""

from __future__ import annotations

import argparse
import json
import pickle
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from benches.diagnosis.tables import of_clean, of_pairs, of_survey
from rich.console import Console

from fetchoff.app.choose import chosen, states
from fetchoff.app.contrasts import Contrast
from fetchoff.app.courses import courses
from fetchoff.app.experiments import pair
from fetchoff.app.explain import Asked, explain, say_nothing
from fetchoff.app.measure import launches, measure, new_run
from fetchoff.app.setup import set_up
from fetchoff.app.trials import trial_of
from fetchoff.diagnosis.diagnose import diagnose
from fetchoff.model.cause import Diagnosis
from fetchoff.model.client import Client, Readiness
from fetchoff.model.course import Course
from fetchoff.model.errors import FetchoffError, InputError
from fetchoff.run.os.scratch import scratch
from fetchoff.run.schedule.events import Nobody

Row = dict[str, Any]

CLEAN = (
    "c/libcurl,go/net-http,go/fasthttp,java/okhttp,javascript/node-http,php/curl,python/pycurl,"
    "python/aiohttp,ruby/curb,rust/reqwest"
)
SURVEY = "small-get,small-post,multipart-post,json-get,handshake-full,download-h2@transatlantic"
PAIRS = (
    "python/requests:python/urllib3,python/requests:python/http-client:json-get,"
    "python/aiohttp:python/httpx,c/libcurl:python/pycurl:small-post,c/libcurl:go/net-http,"
    "go/net-http:go/fasthttp,ruby/net-http:ruby/httparty,ruby/curb:ruby/net-http:small-post,"
    "perl/lwp:perl/http-tiny,perl/furl:perl/lwp:small-post,perl/furl:perl/http-tiny:small-post,"
    "perl/furl:perl/lwp:handshake-full,javascript/node-http:javascript/axios,"
    "javascript/got:javascript/ky,php/curl:php/guzzle,rust/reqwest:rust/ureq,"
    "java/okhttp:java/jdk-httpclient:handshake-full,command/curl:command/wget,"
    "go/net-http:rust/reqwest:download-h2@transatlantic,"
    "go/net-http:javascript/undici:download-h2@transatlantic"
)


def main() -> int:
    arguments = _arguments()
    known = _read(arguments.out)
    if arguments.ask_again:
        known = [_asked_again(row, arguments.keep) for row in known]
        arguments.out.write_text("".join(json.dumps(row) + "\n" for row in known), "utf-8")
    wanted = _left(arguments, known)
    rows: list[Row] = []
    for row in _rows(arguments, wanted):
        rows.append(row)
        with arguments.out.open("a", encoding="utf-8") as file:
            file.write(json.dumps(row, ensure_ascii=False) + "\n")
    show([*known, *rows])
    if left := len(wanted) - len(rows):
        print(f"not begun: {left}")
    return 1 if left or any("failed" in row for row in rows) else 0


def show(rows: Sequence[Row]) -> None:
    """The tables of all parts that there are rows of."""
    console = Console()
    for part, table in (("clean", of_clean), ("survey", of_survey), ("pairs", of_pairs)):
        mine = [row for row in rows if row["part"] == part]
        if mine:
            console.print(table(mine))


def _left(arguments: argparse.Namespace, known: Sequence[Row]) -> list[Row]:
    """What is wanted and not yet known."""
    done = {_key(row) for row in known}
    wanted = (row for part in arguments.parts.split(",") for row in _wanted(part, arguments))
    return [row for row in wanted if _key(row) not in done]


def _rows(arguments: argparse.Namespace, asked: Sequence[Row]) -> Iterator[Row]:
    ends_at = time.monotonic() + arguments.seconds
    for wanted in asked:
        if time.monotonic() > ends_at:
            return
        began = time.monotonic()
        try:
            found = _done(wanted, arguments)
        except InputError as error:
            found = {"unsupported": error.message}
        except FetchoffError as error:
            found = {"failed": error.message}
        yield {**wanted, **found, "seconds": round(time.monotonic() - began, 1)}


def _key(row: Row) -> tuple[str, ...]:
    return tuple(str(row.get(name)) for name in ("part", "client", "other", "course", "seed"))


def _wanted(part: str, arguments: argparse.Namespace) -> Iterator[Row]:
    match part:
        case "clean":
            for seed in range(1, arguments.repeats + 1):
                for course in arguments.clean_on.split(","):
                    for client in arguments.clean.split(","):
                        yield {"part": part, "client": client, "course": course, "seed": seed}
        case "survey":
            for client in _surveyed(arguments.clients):
                for course in arguments.survey.split(","):
                    yield {"part": part, "client": client.id, "course": course, "seed": 1}
        case "pairs":
            for pair_ in arguments.pairs.split(","):
                a, b, *course = pair_.split(":")
                on = course[0] if course else "small-get"
                yield {"part": part, "client": a, "other": b, "course": on, "seed": 1}
        case _:
            raise SystemExit(f"no part '{part}': clean, survey or pairs")


def _done(wanted: Row, arguments: argparse.Namespace) -> Row:
    client, course = _client(wanted["client"]), _course(wanted["course"])
    if wanted["part"] == "pairs":
        return _contrasted(client, _client(wanted["other"]), course, arguments.budget)
    asked = Asked(seed=wanted["seed"], trace=arguments.trace)
    explained = explain(client, course, asked, say_nothing)
    diagnosis = explained.diagnosis
    if arguments.keep:
        arguments.keep.mkdir(exist_ok=True)
        (arguments.keep / _name(wanted)).write_bytes(pickle.dumps(explained.evidence))
    if wanted["part"] == "survey" and arguments.budget:
        diagnosis = _tried(client, course, diagnosis, arguments.budget)
    return {"diagnosis": _plain(diagnosis)}


def _asked_again(row: Row, folder: Path) -> Row:
    """A row by the rules of today; trials stay with their causes."""
    path = folder / _name(row)
    if "diagnosis" not in row or not path.exists():
        return row
    tried = {cause["fault"]: cause["tried"] for cause in row["diagnosis"]["causes"]}
    found = _plain(diagnose(pickle.loads(path.read_bytes())))
    for cause in found["causes"]:
        cause["tried"] = tried.get(cause["fault"])
    return {**row, "diagnosis": found}


def _name(row: Row) -> str:
    return "-".join(_key(row)).replace("/", "_") + ".pickle"


def _tried(client: Client, course: Course, diagnosis: Diagnosis, budget_s: float) -> Diagnosis:
    with scratch() as folder:
        trial = trial_of(client, course, diagnosis, budget_s=budget_s, out=folder / "run", seed=1)
        if trial is None:
            return diagnosis
        measure(trial.folder, launches(list(trial.clients)), Nobody(), waits=True)
        return trial.judged()


def _contrasted(a: Client, b: Client, course: Course, budget_s: float) -> Row:
    of_a, of_b = (
        explain(each, course, Asked(trace=False), say_nothing).diagnosis for each in (a, b)
    )
    with scratch() as folder:
        experiment = pair(a, b, [course], budget_s=budget_s, seed=1)
        run = new_run(experiment, [a, b], "pair", folder / "run")
        measure(run, launches([a, b]), Nobody(), waits=True)
        found = Contrast(run, course, of_a, of_b).breakdown()
    parts = [{**asdict(part), "kind": str(part.kind)} for part in found.parts]
    return {
        "a_us": found.a_us,
        "b_us": found.b_us,
        "ratio": [found.ratio.point, found.ratio.low, found.ratio.high],
        "unexplained": found.unexplained,
        "parts": parts,
    }


def _plain(diagnosis: Diagnosis) -> Row:
    plain: Row = json.loads(json.dumps(asdict(diagnosis)))
    for cause in plain["causes"]:
        del cause["places"]
    return plain


def _client(name: str) -> Client:
    return _ready(name)[0]


def _surveyed(names: str) -> list[Client]:
    """Those clients, or every library that is ready, without variants, versions and runtimes."""
    if names:
        return _ready(names)
    parts = ((client, client.manifest.id) for client in _ready("*"))
    return [client for client, i in parts if not (i.variant or i.version or i.runtime)]


def _ready(names: str) -> list[Client]:
    manifests = chosen(names.split(","))
    ready = [c for c in states(manifests) if c.readiness is Readiness.READY]
    found = ready or [c for c in set_up(manifests) if c.readiness is Readiness.READY]
    if not found:
        raise InputError(f"not ready: {names}", "set it up: fetchoff setup")
    return found


def _course(name: str) -> Course:
    workload, _, link = name.partition("@")
    return courses([workload], [link] if link else ())[0]


def _read(path: Path) -> list[Row]:
    if not path.exists():
        return []
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--parts", default="clean,survey,pairs")
    parser.add_argument(
        "--clients", default="", help="of the survey: ids and globs; each library once if not given"
    )
    parser.add_argument("--survey", default=SURVEY, help="courses: WORKLOAD or WORKLOAD@LINK")
    parser.add_argument("--clean", default=CLEAN, help="ids of clients without known faults")
    parser.add_argument("--clean-on", default="small-get,small-post,download-to-memory")
    parser.add_argument("--repeats", type=int, default=5, help="runs of each clean client")
    parser.add_argument("--pairs", default=PAIRS, help="A:B or A:B:COURSE")
    parser.add_argument("--budget", type=float, default=10.0, help="seconds of a trial; 0: none")
    parser.add_argument("--trace", action=argparse.BooleanOptionalAction, default=True)
    parser.add_argument("--seconds", type=float, default=3600.0, help="begin nothing after them")
    parser.add_argument("--keep", type=Path, help="a folder for recordings")
    parser.add_argument("--ask-again", action="store_true", help="ask about kept recordings")
    parser.add_argument("--out", type=Path, default=Path("diagnosis.jsonl"))
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
