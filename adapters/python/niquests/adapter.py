"""niquests: one Session for all exchanges."""

import niquests
import options
import urllib3

from fetchoff_kit import Client, Unsupported, serve


class Niquests(Client):
    name = "niquests"
    engine = f"urllib3-future {urllib3.__version__}"
    features = options.FEATURES

    def __init__(self, settings):
        if settings.protocol != "http/1.1" and settings.concurrency > 1:
            raise Unsupported("concurrency")  # of threads each has a connection of its own
        self.settings = settings
        self.session = options.open_session(niquests.Session, settings)
        self.stream_options = options.of_stream(settings)

    def arguments(self, exchange):
        return options.of_request(self.settings, exchange)

    def send(self, exchange, **options):
        with exchange.open_parts() as files:
            return self.session.request(
                exchange.method, exchange.url, files=files, **exchange.arguments, **options
            )

    def buffer(self, exchange):
        response = self.send(exchange)
        return response.status_code, response.content

    def json(self, exchange):
        response = self.send(exchange)
        return response.status_code, response.content, response.json()

    def stream(self, exchange, write):
        with self.send(exchange, stream=True) as response:
            for chunk in response.iter_content(**self.stream_options):
                write(chunk)
            return response.status_code

    def close(self):
        self.session.close()


serve(Niquests)
