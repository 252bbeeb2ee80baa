"""The right answers: fetched once with the standard library, independently of every client.

Content is read piece by piece: some of it is larger than memory should have to hold.
"""

from __future__ import annotations

import hashlib
import http.client
import http.cookiejar
import io
import json
import sys
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO

from fetchoff.model.errors import InputError
from fetchoff.model.workload import (
    Body,
    Exchange,
    FormBody,
    JsonBody,
    MultipartBody,
    RawBody,
    Workload,
)
from fetchoff.protocol.content import content
from fetchoff.run.network.seam import LOOPBACK, Handler, Network
from fetchoff.run.origins.other_names import must_be_the_origin

TIMEOUT_S = 70.0
PIECE_BYTES = 1 << 20
SUCCESSFUL = 2  # the class of status codes, RFC 9110, 15.3
_OF_URLS = ":/?#[]@!$&'()*+,;=%"  # RFC 3986, section 2.2, and what is encoded already
_BOUNDARY = "fetchoff-reference-boundary"


@dataclass(frozen=True)
class _Answer:
    """What was answered. `cut`: why it ends before its content does, "" if it does not."""

    status: int
    size: int
    sha256: str
    cut: str


@dataclass(frozen=True)
class Reference:
    """The SHA-256 of each exchange's content, in order; the workload with its lengths filled in."""

    workload: Workload
    sha256: tuple[str, ...]


FetchReference = Callable[[Workload, str, Network], Reference]  # the origin's base URL


def fetch(workload: Workload, base_url: str, network: Network = LOOPBACK) -> Reference:
    """Do one iteration. Raises InputError if an answer is not what the workload expects."""
    must_be_the_origin(workload, network)
    opener = _opener(workload, network)
    exchanges, digests = [], []
    for exchange in workload.exchanges:
        kept = io.BytesIO() if exchange.expect.json else None
        answer = _answer(opener, exchange, base_url, kept)
        if answer.status != exchange.expect.status:
            raise InputError(
                f"workload '{workload.id}' expects status {exchange.expect.status} of "
                f"{exchange.method} {exchange.target}, the origin answers {answer.status}",
                "mend the workload's 'expect', or its target",
            )
        if exchange.expect.bytes not in (None, answer.size):
            raise InputError(
                f"workload '{workload.id}' expects {exchange.expect.bytes} bytes of "
                f"{exchange.method} {exchange.target}, the origin answers {answer.size}",
                "mend the workload's 'expect', or its target",
            )
        if kept is not None:
            _must_have_member(workload, exchange, kept.getvalue())
        has_length = not (exchange.expect.varies or exchange.expect.cut)
        known = answer.size if has_length else None
        exchanges.append(replace(exchange, expect=replace(exchange.expect, bytes=known)))
        digests.append(answer.sha256)
    return Reference(replace(workload, exchanges=tuple(exchanges)), tuple(digests))


def _must_have_member(workload: Workload, exchange: Exchange, content: bytes) -> None:
    assert exchange.expect.json is not None
    name, value = exchange.expect.json
    try:
        document = json.loads(content)
    except ValueError:
        document = None
    found = document.get(name) if isinstance(document, dict) else None
    if found != value:
        said = f"is {json.dumps(found)}" if found is not None else "is not there"
        raise InputError(
            f"workload '{workload.id}' expects the member {json.dumps(name)} of the JSON that "
            f"{exchange.method} {exchange.target} is answered with to be the text "
            f"{json.dumps(value)}: it {said}",
            "mend the workload's 'expect', or its target",
        )


def do_before(workload: Workload, base_url: str, network: Network = LOOPBACK) -> None:
    """Do the workload's `before` exchanges. Raises InputError if one fails."""
    opener = _opener(workload, network)
    for exchange in workload.before:
        status = _answer(opener, exchange, base_url).status
        if status // 100 != SUCCESSFUL:
            raise InputError(
                f"workload '{workload.id}' begins with {exchange.method} {exchange.target}, "
                f"which the origin answers with status {status}",
                "mend the workload's 'before', or choose another origin",
            )


def save(exchange: Exchange, base_url: str, path: Path) -> None:
    """Write the content of an answer to a file; InputError if it is not what is expected."""
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}), _Stay())
    with path.open("wb") as file:
        # A file holds what a GET is answered, also where only the head is asked for.
        method = "GET" if exchange.method == "HEAD" else exchange.method
        status = _answer(opener, replace(exchange, method=method), base_url, file).status
    if status != exchange.expect.status:
        raise InputError(f"{exchange.method} {exchange.target} is answered with status {status}")


class _TooManyRedirects(Exception):
    """An answer leads on, after as many redirects as a workload follows."""


class _Follow(urllib.request.HTTPRedirectHandler):
    """Follows so many redirects of an exchange; _TooManyRedirects where there is one more."""

    max_redirections = max_repeats = sys.maxsize  # instead of urllib's own limits, 10 and 4

    def __init__(self, most: int) -> None:
        self._most = most

    def redirect_request(
        self,
        req: urllib.request.Request,
        fp: IO[bytes],
        code: int,
        msg: str,
        headers: http.client.HTTPMessage,
        newurl: str,
    ) -> urllib.request.Request | None:
        followed: dict[str, int] = getattr(req, "redirect_dict", {})  # how often which URL
        if sum(followed.values()) >= self._most:
            raise _TooManyRedirects
        return super().redirect_request(req, fp, code, msg, headers, newurl)


class _Stay(urllib.request.HTTPRedirectHandler):
    """Redirects are answers like any other."""

    def redirect_request(self, *_: object, **__: object) -> None:
        return None


def _opener(workload: Workload, network: Network) -> urllib.request.OpenerDirector:
    handlers: list[urllib.request.BaseHandler] = [
        urllib.request.ProxyHandler({}),
        Handler(network),
    ]
    if workload.settings.cookies:
        handlers.append(urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar()))
    most = workload.settings.redirects
    handlers.append(_Follow(most) if most else _Stay())
    return urllib.request.build_opener(*handlers)


def _answer(
    opener: urllib.request.OpenerDirector,
    exchange: Exchange,
    base_url: str,
    copy: IO[bytes] | None = None,
) -> _Answer:
    """An answer; its content is written to `copy` as well. InputError if it is cut off, and where
    it should be and is not."""
    data, content_type = _encoded(exchange.body)
    headers = dict(exchange.headers)
    if content_type:
        headers["Content-Type"] = content_type
    url = base_url + exchange.target
    if not url.isascii():  # RFC 3986, section 2; a workload's target always is
        raise InputError(
            f"{base_url} has other characters than those of a URL",
            f"write it as {urllib.parse.quote(base_url, safe=_OF_URLS)}",
        )
    request = urllib.request.Request(url, data=data, headers=headers, method=exchange.method)
    named = f"{exchange.method} {url}"
    try:
        answer = _exchanged(opener, request, copy)
    except _TooManyRedirects as error:
        raise InputError(
            f"{named} is redirected more often than the workload's settings let clients follow",
            "raise 'redirects' in the workload's settings, or mend its target",
        ) from error
    except (OSError, http.client.HTTPException) as error:  # the latter where it is no HTTP
        raise _failed(named, str(error)) from error
    if answer.cut and not exchange.expect.cut:
        raise _failed(named, answer.cut)
    if exchange.expect.cut and not answer.cut:
        raise InputError(
            f"the answer to {named} should be cut off, and comes to its end",
            "remove 'cut' from the workload's 'expect', or mend its target",
        )
    return answer


def _failed(named: str, why: str) -> InputError:
    return InputError(
        f"{named} fails: {why}", "the workload must work before clients can be measured on it"
    )


def _exchanged(
    opener: urllib.request.OpenerDirector, request: urllib.request.Request, copy: IO[bytes] | None
) -> _Answer:
    try:
        with opener.open(request, timeout=TIMEOUT_S) as response:
            return _read(response, response.status, copy)
    except urllib.error.HTTPError as error:
        with error:
            return _read(error, error.code, copy)


def _read(response: IO[bytes], status: int, copy: IO[bytes] | None) -> _Answer:
    size, digest, cut = 0, hashlib.sha256(), ""
    try:
        while piece := response.read(PIECE_BYTES):
            size += len(piece)
            digest.update(piece)
            if copy is not None:
                copy.write(piece)
    except http.client.IncompleteRead as error:
        cut = str(error)
    if missing := getattr(response, "length", None):  # http.client tells of it in chunks alone
        cut = f"the connection ends {missing:,} bytes before the content does"
    return _Answer(status, size, digest.hexdigest(), cut)


def _encoded(body: Body | None) -> tuple[bytes | None, str]:
    match body:
        case None:
            return None, ""
        case FormBody(fields):
            encoded = urllib.parse.urlencode(fields).encode()
            return encoded, "application/x-www-form-urlencoded"
        case JsonBody(text):
            return text.encode(), "application/json"
        case RawBody(content_type, size):
            return content(size), content_type
        case MultipartBody():
            return _multipart(body), f"multipart/form-data; boundary={_BOUNDARY}"


def _multipart(body: MultipartBody) -> bytes:
    """RFC 7578."""
    parts = [(f'form-data; name="{name}"', None, value.encode()) for name, value in body.fields] + [
        (
            f'form-data; name="{part.name}"; filename="{part.filename}"',
            part.content_type,
            content(part.size),
        )
        for part in body.files
    ]
    lines = []
    for disposition, content_type, value in parts:
        lines += [f"--{_BOUNDARY}\r\nContent-Disposition: {disposition}\r\n".encode()]
        if content_type:
            lines += [f"Content-Type: {content_type}\r\n".encode()]
        lines += [b"\r\n", value, b"\r\n"]
    return b"".join([*lines, f"--{_BOUNDARY}--\r\n".encode()])
