"""httpx: one AsyncClient, which tasks share."""

from http.cookiejar import CookieJar, DefaultCookiePolicy

import httpcore
import httpx

from fetchoff_kit import AsyncClient, serve

NO_COOKIES = DefaultCookiePolicy(allowed_domains=())


class AsyncHttpx(AsyncClient):
    name = "httpx"
    engine = f"httpcore {httpcore.__version__}"
    features = """
        http/1.1 method.get method.head method.post method.put
        body.form body.json body.multipart body.raw headers connection.reuse connection.fresh
        read-size cookies decompression redirects timeout.connect timeout.read
    """

    def __init__(self, settings):
        connections = settings.concurrency
        self.read_size = settings.read_size
        self.client = httpx.AsyncClient(
            cookies=None if settings.cookies else CookieJar(NO_COOKIES),
            headers=None if settings.decompress else {"Accept-Encoding": "identity"},
            follow_redirects=settings.redirects > 0,
            max_redirects=settings.redirects,
            limits=httpx.Limits(
                max_connections=connections,
                max_keepalive_connections=0 if settings.reuse is False else connections,
            ),
            timeout=httpx.Timeout(5.0, **settings.timeouts(connect="connect", read="read")),
        )

    def arguments(self, exchange):
        body = exchange.body_as(json="json", raw="content")
        if exchange.kind == "form":
            body["data"] = exchange.fields_by_name()
        return {"headers": exchange.headers, **body}

    async def request(self, exchange):
        with exchange.open_parts() as files:
            return await self.client.request(
                exchange.method, exchange.url, files=files, **exchange.arguments
            )

    async def buffer(self, exchange):
        response = await self.request(exchange)
        return response.status_code, response.content

    async def json(self, exchange):
        response = await self.request(exchange)
        return response.status_code, response.content, response.json()

    async def stream(self, exchange, write):
        with exchange.open_parts() as files:
            async with self.client.stream(
                exchange.method, exchange.url, files=files, **exchange.arguments
            ) as response:
                async for chunk in response.aiter_bytes(self.read_size):
                    write(chunk)
                return response.status_code

    async def close(self):
        await self.client.aclose()


serve(AsyncHttpx)
