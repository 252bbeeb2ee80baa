"""httpx2: one Client, which threads share."""

import httpcore2
import httpx2
import options

from fetchoff_kit import Client, Unsupported, serve


class Httpx2(Client):
    name = "httpx2"
    shared = True
    engine = f"httpcore2 {httpcore2.__version__}"
    features = options.FEATURES

    def __init__(self, settings):
        if settings.concurrency > 1 and settings.protocol != "http/1.1":
            # Threads on one HTTP/2 connection lose exchanges now and then: ReadError, disconnected.
            raise Unsupported("concurrency")
        self.read_size = settings.read_size
        self.client = httpx2.Client(**options.of_client(settings))

    def arguments(self, exchange):
        return options.of_request(exchange)

    def request(self, exchange):
        with exchange.open_parts() as files:
            return self.client.request(
                exchange.method, exchange.url, files=files, **exchange.arguments
            )

    def buffer(self, exchange):
        response = self.request(exchange)
        return response.status_code, response.content

    def json(self, exchange):
        response = self.request(exchange)
        return response.status_code, response.content, response.json()

    def stream(self, exchange, write):
        with (
            exchange.open_parts() as files,
            self.client.stream(
                exchange.method, exchange.url, files=files, **exchange.arguments
            ) as response,
        ):
            for chunk in response.iter_bytes(self.read_size):
                write(chunk)
            return response.status_code

    def close(self):
        self.client.close()


serve(Httpx2)
