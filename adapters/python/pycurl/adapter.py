"""pycurl: one Curl handle, told anew only what differs from the request before."""

import pycurl

from fetchoff_kit import Client, serve


class Pycurl(Client):
    name = "pycurl"
    engine = f"libcurl {pycurl.version_info()[1]}"
    features = """
        http/1.1 method.get method.head method.post method.put
        body.form body.json body.multipart body.raw headers connection.reuse connection.fresh
        read-size cookies decompression redirects timeout.connect timeout.total option.tcp_nodelay
    """

    def __init__(self, settings):
        self.curl = pycurl.Curl()
        self.current = None
        options = {
            pycurl.NOSIGNAL: settings.concurrency > 1,  # as threads require
            pycurl.FORBID_REUSE: settings.reuse is False,
            pycurl.BUFFERSIZE: settings.read_size,
            pycurl.COOKIEFILE: "" if settings.cookies else None,
            pycurl.ACCEPT_ENCODING: "gzip" if settings.decompress else None,
            pycurl.FOLLOWLOCATION: settings.redirects > 0,
            pycurl.MAXREDIRS: settings.redirects,
            pycurl.TCP_NODELAY: settings.options.get("tcp_nodelay"),
            **settings.timeouts_ms(connect=pycurl.CONNECTTIMEOUT_MS, total=pycurl.TIMEOUT_MS),
        }
        self.options = {name: value for name, value in options.items() if value is not None}

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
