"""What the two clients of httpx are built and called with."""

from http.cookiejar import CookieJar, DefaultCookiePolicy

import httpx

FEATURES = """
    http/1.1 h2 h2c method.get method.head method.post method.put
    body.form body.json body.multipart body.raw headers connection.reuse connection.fresh
    tls proxy coding.deflate coding.br coding.zstd
    read-size cookies decompression redirects timeout.connect timeout.read
"""
VERSION = tuple(map(int, httpx.__version__.split(".")[:2]))
PROXY = "proxy" if VERSION >= (0, 26) else "proxies"
# What httpx.request takes: neither a protocol, nor limits of connections, nor a client's headers.
FEATURES_OF_FUNCTIONS = """
    http/1.1 method.get method.head method.post method.put
    body.form body.json body.multipart body.raw headers connection.fresh tls proxy
    coding.deflate coding.br coding.zstd read-size decompression timeout.connect timeout.read
"""
NO_COOKIES = DefaultCookiePolicy(allowed_domains=())


def of_client(settings):
    connections = settings.concurrency
    http1 = settings.protocol == "http/1.1"
    return {
        "http1": http1,
        "http2": not http1,
        "verify": settings.tls_context() if settings.tls_ca else True,
        PROXY: settings.proxy,
        "cookies": None if settings.cookies else CookieJar(NO_COOKIES),
        "headers": None if settings.decompress else {"Accept-Encoding": "identity"},
        "follow_redirects": settings.redirects > 0,
        "max_redirects": settings.redirects,
        "limits": httpx.Limits(
            max_connections=connections,
            max_keepalive_connections=0 if settings.reuse is False else connections,
        ),
        "timeout": httpx.Timeout(5.0, **settings.timeouts(connect="connect", read="read")),
    }


def of_function(settings):
    return {
        "verify": settings.tls_context() if settings.tls_ca else True,
        PROXY: settings.proxy,
        "timeout": httpx.Timeout(5.0, **settings.timeouts(connect="connect", read="read")),
    }


def of_request(exchange):
    body = exchange.body_as(json="json", raw="content")
    if exchange.kind == "form":
        body["data"] = exchange.fields_by_name()
    return {"headers": exchange.headers, **body}
