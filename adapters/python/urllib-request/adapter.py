"""urllib.request: an opener, which opens a connection for every request and closes it."""

from shutil import COPY_BUFSIZE
from urllib.error import HTTPError
from urllib.request import (
    HTTPCookieProcessor,
    HTTPRedirectHandler,
    HTTPSHandler,
    ProxyHandler,
    Request,
    build_opener,
)

from fetchoff_kit import Client, python_version, serve


class UrllibRequest(Client):
    name = "urllib-request"
    version = python_version()
    engine = f"http.client {python_version()}"
    features = """
        http/1.1 method.get method.head method.post method.put body.form body.json body.raw headers
        connection.fresh tls proxy read-size cookies redirects timeout.read
    """

    def __init__(self, settings):
        handlers = [Redirects(settings.redirects) if settings.redirects else NoRedirects]
        if settings.cookies:
            handlers.append(HTTPCookieProcessor())
        if settings.tls_ca:
            handlers.append(HTTPSHandler(context=settings.tls_context()))
        if settings.proxy:
            handlers.append(ProxyHandler({"http": settings.proxy, "https": settings.proxy}))
        self.opener = build_opener(*handlers)
        self.read_size = settings.read_size or COPY_BUFSIZE
        self.timeout = settings.timeouts(read="timeout")

    def open(self, exchange):
        request = Request(
            exchange.url,
            data=exchange.encode(),
            headers=exchange.arguments,
            method=exchange.method,
        )
        try:
            return self.opener.open(request, **self.timeout)
        except HTTPError as response:
            return response  # it is one, of any status that is not a success

    def arguments(self, exchange):
        return dict(exchange.typed_headers())

    def buffer(self, exchange):
        with self.open(exchange) as response:
            return response.status, response.read()

    def stream(self, exchange, write):
        with self.open(exchange) as response:
            while True:
                chunk = response.read(self.read_size)
                if not chunk:
                    return response.status
                write(chunk)


class NoRedirects(HTTPRedirectHandler):
    def redirect_request(self, *_):
        return None


class Redirects(HTTPRedirectHandler):
    def __init__(self, most):
        self.max_redirections = most


serve(UrllibRequest)
