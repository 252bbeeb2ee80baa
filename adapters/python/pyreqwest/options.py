"""How the two clients of pyreqwest are built, and their requests."""

from datetime import timedelta
from pathlib import Path

from pyreqwest.proxy import ProxyBuilder

FEATURES = """
    http/1.1 h2 h2c method.get method.head method.post method.put
    body.form body.json body.multipart body.raw headers connection.reuse connection.fresh
    tls proxy coding.deflate coding.br coding.zstd read-size cookies decompression redirects
    timeout.connect timeout.read timeout.total option.tcp_nodelay
"""


def build(builder, settings):
    for coding in (builder.gzip, builder.deflate, builder.brotli, builder.zstd):
        coding(settings.decompress)
    builder.default_cookie_store(settings.cookies)
    builder.follow_redirects(settings.redirects > 0)
    builder.max_redirects(settings.redirects)
    if settings.protocol == "http/1.1":
        builder.http1_only()
    elif settings.protocol == "h2c":
        builder.http2_prior_knowledge()
    else:
        builder.http2(True)
    if settings.tls_ca:
        builder.add_root_certificate_pem(Path(settings.tls_ca).read_bytes())
    if settings.proxy:
        builder.proxy(ProxyBuilder.all(settings.proxy))
    if settings.reuse is False:
        builder.pool_max_idle_per_host(0)
    if "tcp_nodelay" in settings.options:
        builder.tcp_nodelay(settings.options["tcp_nodelay"])
    timeouts = settings.timeouts(connect="connect_timeout", read="read_timeout", total="timeout")
    for name, seconds in timeouts.items():
        getattr(builder, name)(timedelta(seconds=seconds))
    return builder.build()


def request(client, exchange):
    """The request, but for a multipart body: its files are opened in two ways."""
    builder = client.request(exchange.method, exchange.url).headers(exchange.headers)
    if exchange.kind == "form":
        builder.form(exchange.body)
    elif exchange.kind == "json":
        builder.body_json(exchange.body)
    elif exchange.kind == "raw":
        builder.body_bytes(exchange.body)
    return builder
