"""aiohttp without a session of one's own: aiohttp.request, which makes one for each request."""

import aiohttp

from fetchoff_kit import AsyncClient, serve


class FreshAiohttp(AsyncClient):
    name = "aiohttp"
    features = """
        http/1.1 method.get method.head method.post method.put body.json body.raw
        headers connection.fresh read-size
    """

    def __init__(self, settings):
        self.read_size = settings.read_size

    def arguments(self, exchange):
        headers = {"Accept-Encoding": "identity", **dict(exchange.headers)}
        body = exchange.body_as(json="json", raw="data")
        return {"headers": headers, "allow_redirects": False, **body}

    def request(self, exchange):
        return aiohttp.request(exchange.method, exchange.url, **exchange.arguments)

    async def buffer(self, exchange):
        async with self.request(exchange) as response:
            return response.status, await response.read()

    async def json(self, exchange):
        async with self.request(exchange) as response:
            return response.status, await response.read(), await response.json()

    async def stream(self, exchange, write):
        async with self.request(exchange) as response:
            size, content = self.read_size, response.content
            async for chunk in content.iter_chunked(size) if size else content.iter_any():
                write(chunk)
            return response.status


serve(FreshAiohttp)
