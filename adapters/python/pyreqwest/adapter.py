"""pyreqwest: one SyncClient, which threads share."""

from pathlib import Path

import options
from pyreqwest.client import SyncClientBuilder
from pyreqwest.multipart import FormBuilder, PartBuilder

from fetchoff_kit import Client, serve


class Pyreqwest(Client):
    name = "pyreqwest"
    shared = True
    features = options.FEATURES

    def __init__(self, settings):
        self.read_size = settings.read_size
        self.client = options.build(SyncClientBuilder(), settings)

    def request(self, exchange):
        builder = options.request(self.client, exchange)
        return builder.multipart(multipart(exchange)) if exchange.kind == "multipart" else builder

    def buffer(self, exchange):
        response = self.request(exchange).build().send()
        return response.status, response.bytes()

    def json(self, exchange):
        response = self.request(exchange).build().send()
        return response.status, response.bytes(), response.json()

    def stream(self, exchange, write):
        with self.request(exchange).build_streamed() as response:
            reader = response.body_reader
            while True:
                chunk = reader.read(self.read_size) if self.read_size else reader.read_chunk()
                if chunk is None:
                    return response.status
                write(chunk)

    def close(self):
        self.client.close()


def multipart(exchange):
    form = FormBuilder()
    for name, value in exchange.body:
        form.text(name, value)
    for file in exchange.files:
        part = PartBuilder.from_sync_file(Path(file.path))
        form.part(file.name, part.mime(file.content_type).file_name(file.filename))
    return form


serve(Pyreqwest)
