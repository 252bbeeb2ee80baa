"""http.client: one HTTPConnection, kept open by reading every response to its end."""

from http.client import HTTPConnection
from shutil import COPY_BUFSIZE

from fetchoff_kit import Client, python_version, serve


class HttpClient(Client):
    name = "http-client"
    version = python_version()
    features = """
        http/1.1 method.get method.head method.post method.put body.form body.json body.raw headers
        connection.reuse connection.fresh read-size timeout.read
    """

    def __init__(self, settings):
        self.fresh = settings.reuse is False
        self.read_size = settings.read_size or COPY_BUFSIZE
        self.timeout = settings.timeouts(read="timeout")
        self.connections = {}

    def arguments(self, exchange):
        address = exchange.host, exchange.port
        if address not in self.connections:
            self.connections[address] = HTTPConnection(*address, **self.timeout)
        return self.connections[address], dict(exchange.typed_headers())

    def answer(self, exchange, read):
        connection, headers = exchange.arguments
        try:
            connection.request(exchange.method, exchange.target, exchange.encode(), headers)
            response = connection.getresponse()
            content = read(response)
        except Exception:
            connection.close()  # or it would refuse the next request
            raise
        if self.fresh:
            connection.close()
        return response.status, content

    def buffer(self, exchange):
        return self.answer(exchange, lambda response: response.read())

    def stream(self, exchange, write):
        def copy(response):
            while True:
                chunk = response.read(self.read_size)
                if not chunk:
                    break
                write(chunk)

        status, _ = self.answer(exchange, copy)
        return status

    def close(self):
        for connection in self.connections.values():
            connection.close()


serve(HttpClient)
