"""A page for each published comparison: its claims, and what every run of it found."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from fetchoff.model.homepage import must_be_of_the_web
from fetchoff.model.results_file import StoredArticle, StoredClaim
from fetchoff.report.site import addresses
from fetchoff.report.site.collection import Collection, Judged
from fetchoff.report.site.entries import Run
from fetchoff.report.site.page import Entry, Page, listing
from fetchoff.report.wording import site as wording

LEAD = "What articles, trackers and release notes say of HTTP clients, measured again."
WITHHELD = "withheld: a self-check of the run failed"


@dataclass(frozen=True)
class Verdict:
    """What a run says of a claim. `remark`: what else must be known of the run, or ""."""

    run: Run
    verdict: str
    measured: str
    reason: str
    remark: str


@dataclass(frozen=True)
class Claim:
    """A claim, and its verdicts, those of the newest run first."""

    anchor: str
    text: str
    published: str
    measure: str
    verdicts: tuple[Verdict, ...]


def pages(whole: Collection) -> Iterator[Page]:
    """The listing, and a page for each source; nothing if no run measured one again."""
    if not whole.sources:
        return
    yield listing(
        addresses.listing("claims"),
        "Published claims",
        LEAD,
        [_entry(name, whole.sources[name]) for name in sorted(whole.sources)],
        "newest verdicts",
        "runs",
    )
    for name in sorted(whole.sources):
        yield _page(name, whole.sources[name])


def _newest(judged: list[Judged]) -> StoredArticle:
    """As the user's own newest run has it, or else somebody's."""
    return next((one for one in judged if not one.run.by), judged[0]).article


def _entry(name: str, judged: list[Judged]) -> Entry:
    article = _newest(judged)
    verdicts = Counter(claim.verdict.value for claim in article.claims)
    told = ", ".join(f"{many} × {verdict}" for verdict, many in sorted(verdicts.items()))
    year = f" ({article.year})" if article.year else ""
    return Entry(
        addresses.page("claims", name), f"{article.title}{year}", name, (told, str(len(judged)))
    )


def _page(name: str, judged: list[Judged]) -> Page:
    article = _newest(judged)
    return Page(
        addresses.page("claims", name),
        article.title,
        "claims.html.j2",
        {
            "id": name,
            "year": article.year,
            "facts": _facts(article),
            "source": _source(article),
            "claims": [_claim(place, claim, judged) for place, claim in enumerate(article.claims)],
        },
        kind="published claim",
        words=" ".join((name, *(claim.text for claim in article.claims))),
    )


def _claim(place: int, claim: StoredClaim, judged: list[Judged]) -> Claim:
    """Claims have no ids of their own within an article: a place and a text tell which it is."""
    verdicts = [
        _verdict(one.run, other)
        for one in judged
        for at, other in enumerate(one.article.claims)
        if at == place and other.text == claim.text
    ]
    return Claim(
        f"claim-{place + 1}",
        claim.text,
        _plain(claim.published),
        claim.measure,
        tuple(verdicts),
    )


def _verdict(run: Run, claim: StoredClaim) -> Verdict:
    if run.by and run.is_doubtful:
        return Verdict(run, WITHHELD, "", "", "")
    remark = "a self-check of the run failed" if run.is_doubtful else ""
    measured = wording.measured(claim)
    return Verdict(run, claim.verdict.value, measured, _plain(claim.reason), remark)


def _source(article: StoredArticle) -> str:
    """The address of a report, if it's one of the web."""
    try:
        return must_be_of_the_web(article.report.source) if article.report else ""
    except ValueError:
        return ""


def _facts(article: StoredArticle) -> tuple[tuple[str, str], ...]:
    report = article.report
    if report is None:
        return ()
    told = (
        ("source", report.source),
        ("stated", report.stated),
        ("versions", report.versions),
        ("not stated", report.unstated),
        ("different here", report.here),
    )
    return tuple((name, text) for name, text in told if text)


def _plain(text: str) -> str:
    """Without the backticks that stand around names."""
    return text.replace("`", "")
