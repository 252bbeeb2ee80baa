"""curl-cffi: one Session for all exchanges."""

from contextlib import closing

import curl_cffi
from curl_cffi import CurlHttpVersion, CurlMime, CurlOpt

from fetchoff_kit import Client, Unsupported, serve

PROTOCOLS = {
    "http/1.1": CurlHttpVersion.V1_1,
    "h2": CurlHttpVersion.V2TLS,
    "h2c": CurlHttpVersion.V2_PRIOR_KNOWLEDGE,
}


class CurlCffi(Client):
    name = "curl-cffi"
    engine = curl_cffi.__curl_version__.split()[0].replace("/", " ")
    features = """
        http/1.1 h2 h2c method.get method.head method.post method.put
        body.form body.json body.multipart body.raw headers connection.reuse connection.fresh
        tls proxy coding.deflate coding.br cookies decompression redirects
        timeout.total option.tcp_nodelay
    """

    def __init__(self, settings):
        if settings.protocol != "http/1.1" and settings.concurrency > 1:
            raise Unsupported("concurrency")  # of threads each has a connection of its own
        options = {CurlOpt.FORBID_REUSE: int(settings.reuse is False)}
        if "tcp_nodelay" in settings.options:
            options[CurlOpt.TCP_NODELAY] = int(settings.options["tcp_nodelay"])
        self.session = curl_cffi.Session(
            http_version=PROTOCOLS[settings.protocol],
            verify=settings.tls_ca or True,
            proxy=settings.proxy,
            allow_redirects=settings.redirects > 0,
            max_redirects=settings.redirects,
            discard_cookies=not settings.cookies,
            curl_options=options,
            **settings.timeouts(total="timeout"),
        )
        self.coding = {} if settings.decompress else {"accept_encoding": None}

    def arguments(self, exchange):
        body = exchange.body_as(form="data", json="json", raw="data")
        return {"headers": dict(exchange.headers), **body, **self.coding}

    def send(self, exchange, **options):
        if exchange.kind != "multipart":
            return self.session.request(
                exchange.method, exchange.url, **exchange.arguments, **options
            )
        with closing(multipart(exchange)) as parts:
            return self.session.request(
                exchange.method, exchange.url, multipart=parts, **exchange.arguments, **options
            )

    def buffer(self, exchange):
        response = self.send(exchange)
        return response.status_code, response.content

    def json(self, exchange):
        response = self.send(exchange)
        return response.status_code, response.content, response.json()

    def stream(self, exchange, write):
        response = self.send(exchange, content_callback=write)
        return response.status_code

    def close(self):
        self.session.close()


def multipart(exchange):
    parts = CurlMime()
    for name, value in exchange.body:
        parts.addpart(name, data=value.encode())
    for file in exchange.files:
        parts.addpart(
            file.name,
            content_type=file.content_type,
            filename=file.filename,
            local_path=file.path,
        )
    return parts


serve(CurlCffi)
