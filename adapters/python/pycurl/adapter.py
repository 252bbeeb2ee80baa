"""pycurl: one Curl handle, told anew only what differs from the request before."""

import pycurl
from transfer import ENGINE, FEATURES, options_for, options_of, set_parts

from fetchoff_kit import Client, Unsupported, serve


class Pycurl(Client):
    name = "pycurl"
    engine = ENGINE
    features = FEATURES

    def __init__(self, settings):
        if settings.protocol != "http/1.1" and settings.concurrency > 1:
            raise Unsupported("concurrency")  # a Curl handle for each thread, each its connection
        self.curl = pycurl.Curl()
        self.current = None
        # as threads require
        self.options = {pycurl.NOSIGNAL: settings.concurrency > 1, **options_of(settings)}

    def arguments(self, exchange):
        return {**self.options, **options_for(exchange)}

    def ready(self, exchange):
        if exchange is not self.current:
            self.curl.reset()  # connections and cookies stay
            for option, value in exchange.arguments.items():
                self.curl.setopt(option, value)
            if exchange.kind == "multipart":
                set_parts(self.curl, exchange)
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


serve(Pycurl)
