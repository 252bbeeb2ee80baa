"""pycurl: AsyncCurlMulti, and a Curl handle for each transfer that may be in flight."""

from io import BytesIO

import pycurl

from fetchoff_kit import AsyncClient, serve


class PycurlMulti(AsyncClient):
    name = "pycurl"
    engine = f"libcurl {pycurl.version_info()[1]}"
    features = """
        http/1.1 method.get method.head method.post method.put
        body.form body.json body.multipart body.raw headers connection.reuse connection.fresh
        read-size cookies decompression redirects timeout.connect timeout.total option.tcp_nodelay
    """

    def __init__(self, settings):
        self.multi = pycurl.AsyncCurlMulti()
        self.curls = []
        options = {
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
        if settings.cookies:
            self.options[pycurl.SHARE] = pycurl.CurlShare()
            self.options[pycurl.SHARE].setopt(pycurl.SH_SHARE, pycurl.LOCK_DATA_COOKIE)

    def arguments(self, exchange):
        curl = pycurl.Curl()
        self.curls.append(curl)
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
        if exchange.kind == "multipart":
            options[pycurl.MIMEPOST] = mime(curl, exchange)
        for option, value in options.items():
            curl.setopt(option, value)
        return curl

    async def stream(self, exchange, write):
        curl = exchange.arguments
        body = exchange.encode()
        if body is not None:
            curl.setopt(pycurl.POSTFIELDS, body)
        curl.setopt(pycurl.WRITEFUNCTION, write)
        await self.multi.perform(curl)
        return curl.getinfo(pycurl.RESPONSE_CODE)

    async def buffer(self, exchange):
        content = BytesIO()
        status = await self.stream(exchange, content.write)
        return status, content.getvalue()

    async def close(self):
        await self.multi.aclose()
        for curl in self.curls:
            curl.close()


def mime(curl, exchange):
    parts = pycurl.CurlMime(curl)
    for name, value in exchange.body:
        parts.add_field(name, value.encode())
    for file in exchange.files:
        parts.add_file(file.name, file.path, file.filename, file.content_type)
    return parts


serve(PycurlMulti)
