"""pyreqwest: one Client, which tasks share."""

from pathlib import Path

import options
from pyreqwest.client import ClientBuilder
from pyreqwest.multipart import FormBuilder, PartBuilder

from fetchoff_kit import AsyncClient, serve


class AsyncPyreqwest(AsyncClient):
    name = "pyreqwest"
    features = options.FEATURES

    def __init__(self, settings):
        self.read_size = settings.read_size
        self.client = options.build(ClientBuilder(), settings)

    async def request(self, exchange):
        builder = options.request(self.client, exchange)
        if exchange.kind == "multipart":
            builder.multipart(await multipart(exchange))
        return builder

    async def buffer(self, exchange):
        response = await (await self.request(exchange)).build().send()
        return response.status, await response.bytes()

    async def json(self, exchange):
        response = await (await self.request(exchange)).build().send()
        return response.status, await response.bytes(), await response.json()

    async def stream(self, exchange, write):
        async with (await self.request(exchange)).build_streamed() as response:
            reader = response.body_reader
            size = self.read_size
            while True:
                chunk = await (reader.read(size) if size else reader.read_chunk())
                if chunk is None:
                    return response.status
                write(chunk)

    async def close(self):
        await self.client.close()


async def multipart(exchange):
    form = FormBuilder()
    for name, value in exchange.body:
        form.text(name, value)
    for file in exchange.files:
        part = await PartBuilder.from_file(Path(file.path))
        form.part(file.name, part.mime(file.content_type).file_name(file.filename))
    return form


serve(AsyncPyreqwest)
