"""httpx without a client of one's own: httpx.request, which makes one for each request."""

import httpcore
import httpx
import options

from fetchoff_kit import Client, serve


class FreshHttpx(Client):
    name = "httpx"
    engine = f"httpcore {httpcore.__version__}"
    features = options.FEATURES_OF_FUNCTIONS

    def __init__(self, settings):
        self.options = options.of_function(settings)
        self.headers = [] if settings.decompress else [("Accept-Encoding", "identity")]
        self.read_size = settings.read_size

    def arguments(self, exchange):
        request = options.of_request(exchange)
        return {**request, **self.options, "headers": [*self.headers, *request["headers"]]}

    def request(self, exchange):
        with exchange.open_parts() as files:
            return httpx.request(exchange.method, exchange.url, files=files, **exchange.arguments)

    def buffer(self, exchange):
        response = self.request(exchange)
        return response.status_code, response.content

    def json(self, exchange):
        response = self.request(exchange)
        return response.status_code, response.content, response.json()

    def stream(self, exchange, write):
        with (
            exchange.open_parts() as files,
            httpx.stream(
                exchange.method, exchange.url, files=files, **exchange.arguments
            ) as response,
        ):
            for chunk in response.iter_bytes(self.read_size):
                write(chunk)
            return response.status_code


serve(FreshHttpx)
