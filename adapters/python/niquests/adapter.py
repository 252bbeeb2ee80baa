"""niquests: one Session for all exchanges."""

import niquests
import urllib3

from fetchoff_kit import Client, Unsupported, serve


class Niquests(Client):
    name = "niquests"
    engine = f"urllib3-future {urllib3.__version__}"
    features = """
        http/1.1 h2 h2c method.get method.head method.post method.put
        body.form body.json body.multipart body.raw headers connection.reuse connection.fresh
        tls proxy coding.deflate coding.br coding.zstd
        read-size cookies decompression redirects timeout.connect timeout.read
    """

    def __init__(self, settings):
        http2 = settings.protocol != "http/1.1"
        if http2 and settings.concurrency > 1:
            raise Unsupported("concurrency")  # of threads each has a connection of its own
        self.session = niquests.Session(
            allow_incoming_cookies=settings.cookies,
            disable_http1=http2,
            disable_http2=not http2,
            disable_http3=True,
        )
        if settings.proxy:
            self.session.proxies = {"http": settings.proxy, "https": settings.proxy}
        if settings.redirects:
            self.session.max_redirects = settings.redirects
        if settings.reuse is False:
            self.session.headers["Connection"] = "close"
        if not settings.decompress:
            self.session.headers["Accept-Encoding"] = "identity"
        self.read_size = {"chunk_size": settings.read_size} if settings.read_size else {}
        timeouts = settings.timeouts(connect="connect", read="read")
        self.options = {
            "allow_redirects": settings.redirects > 0,
            "verify": settings.tls_ca,
            "timeout": (timeouts.get("connect"), timeouts.get("read")),
        }

    def arguments(self, exchange):
        body = exchange.body_as(form="data", json="json", raw="data")
        return {"headers": dict(exchange.headers), **body, **self.options}

    def send(self, exchange, **options):
        with exchange.open_parts() as files:
            return self.session.request(
                exchange.method, exchange.url, files=files, **exchange.arguments, **options
            )

    def buffer(self, exchange):
        response = self.send(exchange)
        return response.status_code, response.content

    def json(self, exchange):
        response = self.send(exchange)
        return response.status_code, response.content, response.json()

    def stream(self, exchange, write):
        with self.send(exchange, stream=True) as response:
            for chunk in response.iter_content(**self.read_size):
                write(chunk)
            return response.status_code

    def close(self):
        self.session.close()


serve(Niquests)
