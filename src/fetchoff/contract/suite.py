"""Test an adapter against the contract."""

from __future__ import annotations

import contextlib
import difflib
import time
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType

from fetchoff.contract.case import Case, CaseEvidence, CaseVerdict, Result
from fetchoff.contract.cases import all_cases, plain_get
from fetchoff.contract.elsewhere import address
from fetchoff.model.client import Description, Fault, Launch
from fetchoff.model.errors import AdapterError, InputError
from fetchoff.model.workload import Workload, required_features
from fetchoff.protocol.adapter import Done, Spool, fill, prepare, with_nonsense
from fetchoff.protocol.origin import gained
from fetchoff.run.adapters.adapter import Adapter
from fetchoff.run.origins.built_in import BuiltInLedger, BuiltInOrigin
from fetchoff.run.origins.reference import Reference, fetch
from fetchoff.run.os import procfs
from fetchoff.run.os.scratch import scratch
from fetchoff.run.recording.unkept import nothing_is_kept

CASE_TIMEOUT_S = 30.0
BUSY_TRIES = 3  # a spin that another process cuts short costs less CPU time than it lasts
REPEATS = 30  # calls of prepare before open connections are counted
MOST_BROKEN = 5  # successive cases that break the protocol, before the suite gives up
NOT_TRIED = "the other cases"
ANY_OPTION = "option."
HELLO = "hello"
DECLARED, NONSENSE, GARBLED = "declared-features", "made-up-feature", "garbled-message"
AGAIN, END = "prepared-again", "end-of-input"


def case_names() -> list[str]:
    """The names of all cases, in the order in which they are tested."""
    return [HELLO, DECLARED, NONSENSE, GARBLED, AGAIN, *(case.name for case in all_cases()), END]


def _needed(case: Case) -> tuple[str, ...]:
    """The features that a case requires."""
    return (*required_features(case.workload), *case.features)


class ContractSuite:
    """Tests one adapter against one origin; starts a new process whenever one is lost."""

    def __init__(
        self, name: str, launch: Launch, folder: Path, faults: Mapping[str, Fault]
    ) -> None:
        self._name = name
        self._faults = faults
        self._launch = launch
        self._folder = folder
        self._spool = Spool(folder)
        self._origin = BuiltInOrigin(folder)
        self._adapter: Adapter | None = None
        self._features: frozenset[str] = frozenset()
        self._broken = 0  # successive cases that broke the protocol

    def end(self) -> None:
        """End all processes."""
        if self._adapter is not None:
            self._adapter.end()
        self._origin.end()

    def results(self, only: str = "") -> Iterator[Result]:
        """The results of all cases, or of those whose name contains `only`."""
        return map(self._with_known_fault, self._all(only))

    def _with_known_fault(self, result: Result) -> Result:
        """A failure that the manifest declares is known; if the case passes, that is a failure.

        Whoever ends or hangs fails, unless the manifest says that it does so.
        """
        fault = self._faults.get(result.case)
        if fault is None or result.verdict is CaseVerdict.UNSUPPORTED:
            return result
        if result.verdict is CaseVerdict.FAILED:
            if result.broke and not fault.breaks:
                text = f"{result.text} (adapter.toml declares another fault: {fault.why})"
                return replace(result, text=text)
            text = f"{fault.why} (seen: {result.text})"
            return replace(result, verdict=CaseVerdict.KNOWN_FAULT, text=text)
        if fault.sometimes:
            return result
        text = f"passes, but adapter.toml declares a fault: {fault.why}"
        return Result(result.case, CaseVerdict.FAILED, text)

    def _all(self, only: str) -> Iterator[Result]:
        try:
            self._features = self._running()[1].features
        except AdapterError as error:
            yield Result(HELLO, CaseVerdict.FAILED, error.message)
            return
        yield Result(HELLO, CaseVerdict.PASSED)
        conduct = (
            (DECLARED, self._declares_known_features),
            (NONSENSE, self._refuses_nonsense),
            (GARBLED, self._answers_garbage_with_errors),
            (AGAIN, self._drops_connections),
        )
        for name, judge in conduct:
            if only in name:
                yield self._judged(name, judge)
        for case in all_cases():
            if only in case.name:
                yield self._try(case)
                if self._broken >= MOST_BROKEN:
                    cases = f"{self._broken} cases one after the other"
                    text = f"not tested: the adapter broke the protocol in {cases}"
                    yield Result(NOT_TRIED, CaseVerdict.FAILED, text)
                    return
        if only in END:
            yield self._judged(END, self._ends_with_input)

    def _declares_known_features(self) -> str:
        """Report unknown features: a misspelt one would silently skip its cases."""
        known = {feature for case in all_cases() for feature in _needed(case)}
        for feature in sorted(self._features - known):
            if not feature.startswith(ANY_OPTION):
                near = difflib.get_close_matches(feature, known, n=1)
                meant = f": did you mean {near[0]}?" if near else ""
                return f"declares '{feature}', which is not a feature of docs/protocol.md{meant}"
        return ""

    def _running(self) -> tuple[Adapter, Description]:
        if self._adapter is not None and self._adapter.is_alive:
            return self._adapter, Description("", "", "", self._features)
        adapter = Adapter(self._name, self._launch, self._folder, self._folder / "stderr")
        self._adapter = adapter
        adapter.say_hello()
        return adapter, adapter.description()

    def _judged(self, name: str, judge) -> Result:  # type: ignore[no-untyped-def]
        try:
            fault = judge()
        except AdapterError as error:
            self._lose()
            return Result(name, CaseVerdict.FAILED, error.message, broke=True)
        return Result(name, CaseVerdict.FAILED if fault else CaseVerdict.PASSED, fault)

    def _lose(self) -> None:
        if self._adapter is not None:
            self._adapter.kill()
            self._adapter = None

    def _try(self, case: Case) -> Result:
        missing = [feature for feature in _needed(case) if feature not in self._features]
        if missing:
            return Result(case.name, CaseVerdict.UNSUPPORTED, missing[0])
        ledger = self._origin.open(case.workload.settings)
        try:
            faults = [self._run(case, ledger)]
            while faults[-1] and len(faults) < (BUSY_TRIES if case.busy_ns else 1):
                faults.append(self._run(case, ledger))
            if faults[-1] and case.otherwise is not None:
                faults.append(self._run(case.otherwise, ledger))
        except _Unsupported as unsupported:
            return Result(case.name, CaseVerdict.UNSUPPORTED, str(unsupported))
        except AdapterError as error:
            self._lose()
            self._broken += 1
            return Result(case.name, CaseVerdict.FAILED, error.message, broke=True)
        except InputError as error:
            faults = [error.message]
        finally:
            ledger.close()
        self._broken = 0
        verdict = CaseVerdict.FAILED if faults[-1] else CaseVerdict.PASSED
        return Result(case.name, verdict, next(filter(None, reversed(faults)), ""))

    def _run(self, case: Case, ledger: BuiltInLedger) -> str:
        fill(self._spool, case.workload)
        reference = self._reference(case)
        with address(case.elsewhere, ledger.base_url) as base_url:
            adapter, _ = self._running()
            message = prepare(
                reference.workload,
                base_url,
                self._spool,
                case.features,
                tls_ca=ledger.tls_ca if case.trusts else None,
            )
            answer = adapter.prepare(message)
            if answer.unsupported in self._features:
                raise _Unsupported(answer.unsupported)
            if not answer.is_ready:
                why = answer.unsupported or answer.error
                return f"is not ready, although it declares the features: {why}"
            if case.first:
                adapter.run(1, CASE_TIMEOUT_S)
            before = ledger.read()
            procfs.reset_peak(adapter.pid)
            peak_before = procfs.read(adapter.pid).peak_kb
            waited_ns = procfs.waited_ns(adapter.pid)
            began = time.monotonic()
            if case.digest:
                done = _with_digests(adapter, case)
                cpu_ns = 0
            else:
                timed = adapter.run_timed(
                    case.iterations, CASE_TIMEOUT_S, self._origin.cpu_clock, busy_ns=case.busy_ns
                )
                done, cpu_ns = timed.answer, timed.cpu_ns
            wall_s = time.monotonic() - began
            after = ledger.read()
            waited_ns = procfs.waited_ns(adapter.pid) - waited_ns
            growth_kb = procfs.read(adapter.pid).peak_kb - peak_before
        return case.judge(
            CaseEvidence(
                answer=done,
                seen=gained(before.seen, after.seen),
                counters=after,
                right_sha256=reference.sha256,
                wall_s=wall_s,
                cpu_ns=cpu_ns,
                peak_growth_kb=max(growth_kb, adapter.children_peak_kb),
                waited_ns=max(0, waited_ns),  # an ended thread's time is gone
            )
        )

    def _reference(self, case: Case) -> Reference:
        """The right answers, fetched over plain HTTP/1.1 whatever protocol the case requires."""
        if case.fails:
            return Reference(case.workload, ())
        ledger = self._origin.open()
        try:
            return fetch(case.workload, ledger.base_url)
        finally:
            ledger.close()

    def _refuses_nonsense(self) -> str:
        workload = plain_get(self._features)
        ledger = self._origin.open(workload.settings)
        adapter, _ = self._running()
        asked = with_nonsense(prepare(workload, ledger.base_url, self._spool))
        refused = adapter.prepare(asked).unsupported
        ledger.close()
        return "" if refused else "says that it is ready for a feature with a random name"

    def _answers_garbage_with_errors(self) -> str:
        adapter, _ = self._running()
        for line in (b"this is not JSON\n", b'{"op":"dance"}\n'):
            answer = adapter.ask_raw(line)
            if "error" not in answer:
                return f"answers {line!r} with {sorted(answer)} instead of an error"
        return ""

    def _drops_connections(self) -> str:
        workload = plain_get(self._features)
        with contextlib.closing(self._origin.open(workload.settings)) as ledger:
            for _ in range(REPEATS):
                if fault := self._gets(workload, ledger.base_url):
                    return fault
            left = _settled_open(ledger)
        return "" if left <= 2 else f"after {REPEATS} prepares {left} connections are still open"

    def _gets(self, workload: Workload, base_url: str) -> str:
        """Prepare a GET and do it once; the fault if that didn't succeed."""
        adapter, _ = self._running()
        answer = adapter.prepare(prepare(workload, base_url, self._spool))
        over = workload.settings.protocol
        if not answer.is_ready:
            return f"is not ready for a GET over {over}: {answer.unsupported or answer.error}"
        done = adapter.run(1, CASE_TIMEOUT_S)
        return "" if done.done == 1 else f"a GET over {over} fails: {done.error}"

    def _ends_with_input(self) -> str:
        workload = plain_get(self._features)
        with contextlib.closing(self._origin.open(workload.settings)) as ledger:
            if fault := self._gets(workload, ledger.base_url):
                return fault
        adapter, _ = self._running()
        ended = adapter.ends_with_its_input()
        leaves_others = ended and adapter.has_left_others()
        self._lose()
        if not ended:
            return "keeps running after the end of its input"
        return "leaves processes behind when it ends" if leaves_others else ""


class _Unsupported(Exception):
    """The client has a feature, but can't combine it with the others of a case."""


def _settled_open(ledger: BuiltInLedger) -> int:
    """The number of open connections, after waiting for pending closes to arrive."""
    left = ledger.read().open
    for _ in range(20):
        if left <= 2:
            break
        time.sleep(0.05)
        left = ledger.read().open
    return left


def _with_digests(adapter: Adapter, case: Case) -> Done:
    """The answer of the iteration with digests; of all three, their counts and the first error."""
    around = (False, True, False) if case.thrice else (True,)
    answers = [adapter.run(1, CASE_TIMEOUT_S, digest=digest) for digest in around]
    return replace(
        answers[around.index(True)],
        done=sum(answer.done for answer in answers),
        failed=sum(answer.failed for answer in answers),
        bytes=sum(answer.bytes for answer in answers),
        error=next((answer.error for answer in answers if answer.error), ""),
    )


@contextlib.contextmanager
def opened(
    name: str, launch: Launch, faults: Mapping[str, Fault] = MappingProxyType({})
) -> Iterator[ContractSuite]:
    """A suite in a temporary folder; both are removed at the end. `faults`: known ones by case."""
    with scratch() as folder, nothing_is_kept():
        suite = ContractSuite(name, launch, folder, faults)
        try:
            yield suite
        finally:
            suite.end()
