"""httpx: a new AsyncClient for each request."""

import httpcore
import httpx
import options

from fetchoff_kit import AsyncClient, serve


class FreshAsyncHttpx(AsyncClient):
    name = "httpx"
    engine = f"httpcore {httpcore.__version__}"
    # a jar lasts as long as its client
    features = options.FEATURES.replace("connection.reuse", "").replace("cookies", "")

    def __init__(self, settings):
        self.options = options.of_client(settings)
        self.read_size = settings.read_size

    def arguments(self, exchange):
        return options.of_request(exchange)

    async def request(self, exchange):
        with exchange.open_parts() as files:
            async with httpx.AsyncClient(**self.options) as client:
                return await client.request(
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
            async with (
                httpx.AsyncClient(**self.options) as client,
                client.stream(
                    exchange.method, exchange.url, files=files, **exchange.arguments
                ) as response,
            ):
                async for chunk in response.aiter_bytes(self.read_size):
                    write(chunk)
                return response.status_code


serve(FreshAsyncHttpx)
