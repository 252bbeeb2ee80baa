"""pycurl: one Curl handle, told anew only what differs from the request before."""

import pycurl

from fetchoff_kit import Client, serve


class Pycurl(Client):
    name = "pycurl"
    features = """
        http/1.1 method.get method.head method.post method.put
        body.form body.json body.multipart body.raw headers connection.reuse connection.fresh
        read-size cookies decompression redirects timeout.connect timeout.total option.tcp_nodelay
    """

    @classmethod
    def engine(cls):
        return f"libcurl {pycurl.version_info()[1]}"

    def __init__(self, settings):
        self.curl = pycurl.Curl()
        self.current = None
        options = {pycurl.NOSIGNAL: 1} if settings.concurrency > 1 else {}  # as threads require
        if settings.reuse is False:
            options[pycurl.FORBID_REUSE] = 1
        if settings.read_size:
            options[pycurl.BUFFERSIZE] = settings.read_size
        if settings.cookies:
            options[pycurl.COOKIEFILE] = ""
        if settings.decompress:
            options[pycurl.ACCEPT_ENCODING] = "gzip"
        if settings.redirects:
            options[pycurl.FOLLOWLOCATION] = 1
            options[pycurl.MAXREDIRS] = settings.redirects
        timeouts = settings.timeouts(connect=pycurl.CONNECTTIMEOUT_MS, total=pycurl.TIMEOUT_MS)
        options.update({option: int(seconds * 1000) for option, seconds in timeouts.items()})
        if "tcp_nodelay" in settings.options:
            options[pycurl.TCP_NODELAY] = int(settings.options["tcp_nodelay"])
        self.options = options

    def arguments(self, exchange):
        options = {**self.options, pycurl.URL: exchange.url}
        fields = exchange.typed_headers()
        if fields:
            options[pycurl.HTTPHEADER] = [f"{name}: {value}" for name, value in fields]
        if exchange.method == "HEAD":
            options[pycurl.NOBODY] = 1
        elif exchange.method not in ("GET", "POST"):
            options[pycurl.CUSTOMREQUEST] = exchange.method
        elif exchange.method == "POST" and exchange.kind != "multipart":
            options[pycurl.POSTFIELDS] = ""
        return options

    def ready(self, exchange):
        if exchange is not self.current:
            self.curl.reset()  # connections and cookies stay
            for option, value in exchange.arguments.items():
                self.curl.setopt(option, value)
            if exchange.kind == "multipart":
                self.curl.setopt(pycurl.MIMEPOST, mime(self.curl, exchange))
            self.current = exchange
        body = exchange.encode()
        if body is not None:
            self.curl.setopt(pycurl.POSTFIELDS, body)

    def buffer(self, exchange):
        self.ready(exchange)
        content = self.curl.perform_rb()
        return self.curl.getinfo(pycurl.RESPONSE_CODE), content

    def stream(self, exchange, write):
        self.ready(exchange)
        self.curl.setopt(pycurl.WRITEFUNCTION, write)
        self.curl.perform()
        return self.curl.getinfo(pycurl.RESPONSE_CODE)

    def close(self):
        self.curl.close()


def mime(curl, exchange):
    parts = pycurl.CurlMime(curl)
    for name, value in exchange.body:
        parts.add_field(name, value.encode())
    for file in exchange.files:
        parts.add_file(file.name, file.path, file.filename, file.content_type)
    return parts


serve(Pycurl)
