"""urllib3: one PoolManager, which threads share."""

import io
import os
from socket import IPPROTO_TCP, TCP_NODELAY

import urllib3

from fetchoff_kit import Client, serve

UPLOADS_FILES = os.environ.get("URLLIB3_UPLOADS") == "file"
BLOCK_BYTES = int(os.environ.get("URLLIB3_BLOCK_BYTES", "0"))  # an option of urllib3 2


class Urllib3(Client):
    name = "urllib3"
    shared = True
    features = """
        http/1.1 method.get method.head method.post method.put
        body.form body.json body.multipart body.raw headers connection.reuse connection.fresh
        tls proxy coding.deflate coding.br coding.zstd
        read-size decompression redirects timeout.connect timeout.read option.tcp_nodelay
    """

    def __init__(self, settings):
        self.headers = urllib3.make_headers(accept_encoding=settings.decompress or None)
        if settings.reuse is False:
            self.headers["Connection"] = "close"
        # What a pool is told takes part in each look-up of it: nothing that nobody asked for.
        options = {"maxsize": settings.concurrency}
        if settings.tls_ca:
            options["ca_certs"] = settings.tls_ca
        if "tcp_nodelay" in settings.options:
            nodelay = int(settings.options["tcp_nodelay"])
            options["socket_options"] = [(IPPROTO_TCP, TCP_NODELAY, nodelay)]
        if BLOCK_BYTES:
            options["blocksize"] = BLOCK_BYTES
        if timeouts := settings.timeouts(connect="connect", read="read"):
            options["timeout"] = urllib3.Timeout(**timeouts)
        if settings.proxy:
            self.pool = urllib3.ProxyManager(settings.proxy, **options)
        else:
            self.pool = urllib3.PoolManager(**options)
        self.options = {"redirect": False}
        if settings.redirects:
            retries = urllib3.Retry(max(3, settings.redirects), redirect=settings.redirects)
            self.options = {"retries": retries}
        self.stream_options = {"amt": settings.read_size} if settings.read_size else {}

    def arguments(self, exchange):
        headers = {**self.headers, **dict(exchange.headers)}
        body = exchange.body_as(form="fields", json="json", raw="body")
        if exchange.kind == "form":
            body["encode_multipart"] = False
        return {"headers": headers, **body, **self.options}

    def send(self, exchange, **options):
        arguments = exchange.arguments
        if exchange.kind == "multipart":
            options["fields"] = [*exchange.body, *map(part, exchange.files)]
        if exchange.kind == "raw" and UPLOADS_FILES:
            arguments = {**arguments, **as_file(arguments)}
        return self.pool.request(exchange.method, exchange.url, **arguments, **options)

    def buffer(self, exchange):
        response = self.send(exchange)
        return response.status, response.data

    def json(self, exchange):
        response = self.send(exchange)
        return response.status, response.data, response.json()

    def stream(self, exchange, write):
        response = self.send(exchange, preload_content=False)
        for chunk in response.stream(**self.stream_options):
            write(chunk)
        response.release_conn()
        return response.status

    def close(self):
        self.pool.clear()


def as_file(arguments):
    content = arguments["body"]
    headers = {**arguments["headers"], "Content-Length": str(len(content))}
    return {"headers": headers, "body": io.BytesIO(content)}


def part(upload):
    with upload.open() as file:
        return upload.name, (upload.filename, file.read(), upload.content_type)


serve(Urllib3)
