"""httpx2: one AsyncClient, which tasks share."""

import httpcore2
import httpx2
import options

from fetchoff_kit import AsyncClient, serve


class AsyncHttpx2(AsyncClient):
    name = "httpx2"
    engine = f"httpcore2 {httpcore2.__version__}"
    features = options.FEATURES

    def __init__(self, settings):
        self.read_size = settings.read_size
        self.client = httpx2.AsyncClient(**options.of_client(settings))

    def arguments(self, exchange):
        return options.of_request(exchange)

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


serve(AsyncHttpx2)
