"""httplib2: one Http object for all exchanges; it gives content whole, or not at all."""

import httplib2

from fetchoff_kit import Client, Unsupported, python_version, serve


class Httplib2(Client):
    name = "httplib2"
    engine = f"http.client {python_version()}"
    features = """
        http/1.1 method.get method.head method.post method.put
        body.form body.json body.raw headers connection.reuse connection.fresh
        tls coding.deflate decompression redirects timeout.read
    """

    def __init__(self, settings):
        self.http = httplib2.Http(ca_certs=settings.tls_ca, **settings.timeouts(read="timeout"))
        self.reuse = settings.reuse
        self.http.follow_redirects = settings.redirects > 0
        self.redirections = settings.redirects
        self.headers = {} if settings.decompress else {"Accept-Encoding": "identity"}
        if settings.reuse is False:
            self.headers["Connection"] = "close"

    def arguments(self, exchange):
        if exchange.method == "HEAD" and self.reuse:
            raise Unsupported("connection.reuse")  # it closes the connection after HEAD
        return {**self.headers, **dict(exchange.typed_headers())}

    def buffer(self, exchange):
        response, content = self.http.request(
            exchange.url,
            exchange.method,
            exchange.encode(),
            dict(exchange.arguments),  # it adds its own to them
            self.redirections,
        )
        return response.status, content

    def close(self):
        self.http.close()


serve(Httplib2)
