"""What the sessions of niquests, blocking and asynchronous, are built and called with."""

from http.cookiejar import DefaultCookiePolicy
from inspect import signature

import niquests

FEATURES = """
    http/1.1 h2 h2c method.get method.head method.post method.put
    body.form body.json body.multipart body.raw headers connection.reuse connection.fresh
    tls proxy coding.deflate coding.br coding.zstd
    read-size cookies decompression redirects timeout.connect timeout.read
"""
PARAMETERS = signature(niquests.Session.__init__).parameters
# Older versions keep all cookies, unless their jar's policy is changed.
CAN_REFUSE = "allow_incoming_cookies" in PARAMETERS
CAN_SIZE = "pool_maxsize" in PARAMETERS
POOL_SIZE = 10  # its default


def open_session(session_class, settings):
    http2 = settings.protocol != "http/1.1"
    cookies = {"allow_incoming_cookies": settings.cookies} if CAN_REFUSE else {}
    # An AsyncSession opens no more connections to a host than its pool holds.
    pool = {"pool_maxsize": max(POOL_SIZE, settings.concurrency)} if CAN_SIZE else {}
    session = session_class(
        **cookies,
        **pool,
        disable_http1=http2,
        disable_http2=not http2,
        disable_http3=True,
    )
    if not settings.cookies and not CAN_REFUSE:
        session.cookies.set_policy(DefaultCookiePolicy(allowed_domains=()))
    if settings.proxy:
        session.proxies = {"http": settings.proxy, "https": settings.proxy}
    if settings.redirects:
        session.max_redirects = settings.redirects
    if settings.reuse is False:
        session.headers["Connection"] = "close"
    if not settings.decompress:
        session.headers["Accept-Encoding"] = "identity"
    return session


def of_request(settings, exchange):
    timeouts = settings.timeouts(connect="connect", read="read")
    return {
        "headers": dict(exchange.headers),
        "allow_redirects": settings.redirects > 0,
        "verify": settings.tls_ca,
        "timeout": (timeouts.get("connect"), timeouts.get("read")),
        **exchange.body_as(form="data", json="json", raw="data"),
    }


def of_stream(settings):
    return {"chunk_size": settings.read_size} if settings.read_size else {}
