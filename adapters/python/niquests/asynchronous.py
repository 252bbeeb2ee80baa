"""niquests: one AsyncSession, which tasks share."""

import niquests
import options
import urllib3

from fetchoff_kit import AsyncClient, Unsupported, serve


class AsyncNiquests(AsyncClient):
    name = "niquests"
    engine = f"urllib3-future {urllib3.__version__}"
    features = options.FEATURES

    def __init__(self, settings):
        self.settings = settings
        if settings.protocol != "http/1.1" and settings.concurrency > 1:
            raise Unsupported("concurrency")  # each task takes a connection of its own
        self.session = options.open_session(niquests.AsyncSession, settings)
        self.stream_options = options.of_stream(settings)

    def arguments(self, exchange):
        return options.of_request(self.settings, exchange)

    async def send(self, exchange, **options):
        with exchange.open_parts() as files:
            return await self.session.request(
                exchange.method, exchange.url, files=files, **exchange.arguments, **options
            )

    async def buffer(self, exchange):
        response = await self.send(exchange)
        return response.status_code, response.content

    async def json(self, exchange):
        response = await self.send(exchange)
        return response.status_code, response.content, response.json()

    async def stream(self, exchange, write):
        response = await self.send(exchange, stream=True)
        try:  # 3.15's responses fail in `async with`
            async for chunk in await response.iter_content(**self.stream_options):
                write(chunk)
            return response.status_code
        finally:
            await response.close()

    async def close(self):
        await self.session.close()


serve(AsyncNiquests)
