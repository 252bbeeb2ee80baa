"""http.client: one connection, kept open by reading every response to its end."""

from http.client import HTTPConnection, HTTPResponse, HTTPSConnection
from shutil import COPY_BUFSIZE

from fetchoff_kit import Client, python_version, serve


class HttpClient(Client):
    name = "http-client"
    version = python_version()
    features = """
        http/1.1 method.get method.head method.post method.put body.form body.json body.raw headers
        connection.reuse connection.fresh tls read-size timeout.read
    """

    def __init__(self, settings):
        self.settings = settings
        self.fresh = settings.reuse is False
        self.read_size = settings.read_size or COPY_BUFSIZE
        self.timeout = settings.timeouts(read="timeout")
        self.connections = {}

    def arguments(self, exchange):
        origin = exchange.scheme, exchange.host, exchange.port
        if origin not in self.connections:
            self.connections[origin] = self.connection(*origin)
        return self.connections[origin], dict(exchange.typed_headers())

    def connection(self, scheme, host, port):
        if scheme == "https":
            context = self.settings.tls_context()
            return HTTPSConnection(host, port, context=context, **self.timeout)
        return HTTPConnection(host, port, **self.timeout)

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
        return self.answer(exchange, HTTPResponse.read)

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
