"""report.html: one file that needs no network, with charts, tables and every sample program."""

from __future__ import annotations

import functools
import json
import re
from dataclasses import asdict

import vl_convert
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from fetchoff.model.analysis import Analysis
from fetchoff.report.metrics.at_scale import A_DAY, DAYS_A_YEAR, days_a_day
from fetchoff.report.page.answer.packing import deflated
from fetchoff.report.page.answer.view import Document
from fetchoff.report.page.bundle import bundle, digest_of
from fetchoff.report.page.explanations import EXPLANATIONS, LIMITS
from fetchoff.report.page.source_code import coloured
from fetchoff.report.page.vega import SANS, Spec
from fetchoff.report.page.view import page_of
from fetchoff.report.wording.figures import significant, three_digits

_CODE = re.compile(r"`([^`]+)`")
_FACTOR = re.compile(r"[\d.]+ ×(?: \([\d.]+–[\d.]+\))?")


def text(analysis: Analysis) -> str:
    """The whole page."""
    return rendered(
        "report.html.j2",
        "main",
        page=page_of(analysis),
        explanations=EXPLANATIONS,
        limits=LIMITS,
        per_day=A_DAY,
    )


def rendered(name: str, entry: str, **values: object) -> str:
    """A page from one of the templates, with what all pages need: the font, the charts, and the
    scripts that begin at the module `entry`, which alone its policy permits."""
    template = _environment().get_template(name)
    script = bundle(entry)
    return template.render(
        sans=Markup(SANS),
        policy=_policy(script, _vega()),
        script=Markup(script),
        vega=Markup(_packed_vega()),
        **values,
    )


def without_scripts(name: str, **values: object) -> str:
    """A page from one of the templates that runs nothing."""
    return _environment().get_template(name).render(sans=Markup(SANS), **values)


def _policy(*scripts: str) -> str:
    """Nothing is loaded from anywhere, and no script runs but these."""
    permitted = " ".join(map(digest_of, scripts))
    return (
        f"default-src 'none'; script-src {permitted}; style-src 'unsafe-inline'; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )


@functools.cache
def _environment() -> Environment:
    """Cached, because it keeps the templates as programs: a fleet has a page for each host."""
    environment = Environment(
        loader=PackageLoader("fetchoff.report.page", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["prose"] = _prose
    environment.filters["coloured"] = lambda card: coloured(card.source_name, card.source)
    environment.filters["spec"] = _embedded
    environment.filters["document"] = _document
    environment.filters["folded"] = _folded
    environment.filters["a_day"] = _a_day
    environment.filters["a_year"] = _a_year
    environment.filters["significant"] = significant
    return environment


def _prose(sentence: str) -> Markup:
    """A sentence with its backticks as code, and its factors kept on one line."""
    marked = _CODE.sub(r"<code>\1</code>", str(escape(sentence)))
    return Markup(_FACTOR.sub(r'<span class="unbroken">\g<0></span>', marked))


def _a_day(microseconds: float) -> str:
    """What so many microseconds an exchange come to; the page's script does the same sum."""
    return three_digits(days_a_day(microseconds, A_DAY))


def _a_year(microseconds: float) -> str:
    return three_digits(days_a_day(microseconds, A_DAY) * DAYS_A_YEAR)


def _embedded(spec: Spec) -> Markup:
    """A chart as JSON that cannot end the script element it stands in."""
    plain = json.dumps(spec, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return Markup(plain.replace("<", "\\u003c"))


def _document(document: Document, *, is_long: bool) -> Markup:
    """The data of the first screen in its script element, packed if the page is long."""
    plain = _embedded(asdict(document))
    if is_long:
        packed = deflated(plain.encode())
        return Markup('<script type="text/plain" id="answer-data">{}</script>').format(packed)
    return Markup('<script type="application/json" id="answer-data">{}</script>').format(plain)


def _folded(part: str, *, is_long: bool) -> Markup:
    """A folded part of the page as it is, or packed if the page is long."""
    if not is_long:
        return Markup(part)
    packed = deflated(part.encode())
    return Markup('<script type="text/plain" class="packed">{}</script>').format(packed)


@functools.cache
def _vega() -> str:
    """Vega, Vega-Lite and Vega-Embed as one script."""
    bundled: str = vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;")
    return bundled


@functools.cache
def _packed_vega() -> str:
    return deflated(_vega().encode())
