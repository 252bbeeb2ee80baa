"""pycurl: a Curl handle for each transfer that may be in flight, driven by asyncio."""

from io import BytesIO

import pycurl
from transfer import ENGINE, FEATURES, options_for, options_of, set_parts

from fetchoff_kit import AsyncClient, serve

try:
    from pycurl import AsyncCurlMulti
except ImportError:  # before it came, users wrote it
    from sockets import AsyncCurlMulti


class PycurlMulti(AsyncClient):
    name = "pycurl"
    engine = ENGINE
    features = FEATURES

    def __init__(self, settings):
        self.multi = AsyncCurlMulti()
        self.curls = []
        self.options = options_of(settings)
        if settings.protocol != "http/1.1":
            # while the first connection is made, the others wait for it
            self.options[pycurl.PIPEWAIT] = 1
        if settings.cookies:
            self.options[pycurl.SHARE] = pycurl.CurlShare()
            self.options[pycurl.SHARE].setopt(pycurl.SH_SHARE, pycurl.LOCK_DATA_COOKIE)

    def arguments(self, exchange):
        curl = pycurl.Curl()
        self.curls.append(curl)
        for option, value in {**self.options, **options_for(exchange)}.items():
            curl.setopt(option, value)
        if exchange.kind == "multipart":
            set_parts(curl, exchange)
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


serve(PycurlMulti)
