"""aiohttp: one ClientSession, which tasks share."""

import aiohttp

from fetchoff_kit import AsyncClient, serve

VERSION = tuple(map(int, aiohttp.__version__.split(".")[:2]))
SINCE = {(3, 11): "body.multipart", (3, 13): "coding.zstd"}  # forms without files were urlencoded


class Aiohttp(AsyncClient):
    name = "aiohttp"
    features = f"""
        http/1.1 method.get method.head method.post method.put
        body.form body.json body.raw headers connection.reuse connection.fresh
        tls proxy coding.deflate coding.br
        {" ".join(feature for since, feature in SINCE.items() if since <= VERSION)}
        read-size cookies decompression redirects timeout.connect timeout.read timeout.total
    """

    def __init__(self, settings):
        options = {}
        if not settings.decompress:
            options["headers"] = {"Accept-Encoding": "identity"}
        # unsafe: also of hosts that are addresses
        jar = aiohttp.CookieJar(unsafe=True) if settings.cookies else aiohttp.DummyCookieJar()
        timeouts = settings.timeouts(connect="sock_connect", read="sock_read", total="total")
        if timeouts:
            options["timeout"] = aiohttp.ClientTimeout(**timeouts)
        connector = aiohttp.TCPConnector(
            limit=max(100, settings.concurrency),
            force_close=settings.reuse is False,
            ssl=settings.tls_context() if settings.tls_ca else True,
        )
        self.session = aiohttp.ClientSession(connector=connector, cookie_jar=jar, **options)
        # it counts the answers that redirect, and wants less of them than this
        self.options = {
            "proxy": settings.proxy,
            "allow_redirects": settings.redirects > 0,
            "max_redirects": settings.redirects + 1,
        }
        self.read_size = settings.read_size

    def arguments(self, exchange):
        body = exchange.body_as(form="data", json="json", raw="data")
        return {"headers": exchange.headers, **body, **self.options}

    def request(self, exchange):
        body = {"data": multipart(exchange)} if exchange.kind == "multipart" else {}
        return self.session.request(exchange.method, exchange.url, **exchange.arguments, **body)

    async def buffer(self, exchange):
        async with self.request(exchange) as response:
            return response.status, await response.read()

    async def json(self, exchange):
        async with self.request(exchange) as response:
            return response.status, await response.read(), await response.json()

    async def stream(self, exchange, write):
        async with self.request(exchange) as response:
            content = response.content
            size = self.read_size
            async for chunk in content.iter_chunked(size) if size else content.iter_any():
                write(chunk)
            return response.status

    async def close(self):
        await self.session.close()


def multipart(exchange):
    form = aiohttp.FormData(exchange.body, default_to_multipart=True)
    for upload in exchange.files:
        form.add_field(
            upload.name, upload.open(), filename=upload.filename, content_type=upload.content_type
        )
    return form


serve(Aiohttp)
