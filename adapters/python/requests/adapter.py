"""requests: one Session for all exchanges."""

import os
import shutil
from http.cookiejar import DefaultCookiePolicy

import certifi
import requests
import urllib3
from requests.models import CONTENT_CHUNK_SIZE

from fetchoff_kit import Client, serve

CHECKS = os.environ.get("REQUESTS_VERIFY") != "off"
TRUSTS_CERTIFI = os.environ.get("REQUESTS_BUNDLE") == "certifi"
IGNORES_ENVIRONMENT = os.environ.get("REQUESTS_ENVIRONMENT") == "ignored"
if not CHECKS:
    urllib3.disable_warnings(urllib3.exceptions.InsecureRequestWarning)


def with_certifi(settings):
    """The bundle that users have, with the authority of the origin; it goes with the folder."""
    path = os.path.join(settings.directory, f"certifi-{os.getpid()}.pem")
    with open(path, "wb") as bundle:
        for part in (certifi.where(), settings.tls_ca):
            with open(part, "rb") as source:
                shutil.copyfileobj(source, bundle)
    return path


class Requests(Client):
    name = "requests"
    engine = f"urllib3 {urllib3.__version__}"
    features = """
        http/1.1 method.get method.head method.post method.put
        body.form body.json body.multipart body.raw headers connection.reuse connection.fresh
        tls proxy coding.deflate coding.br coding.zstd
        read-size cookies decompression redirects timeout.connect timeout.read
    """

    def __init__(self, settings):
        self.session = requests.Session()
        if IGNORES_ENVIRONMENT:
            self.session.trust_env = False
        if settings.redirects:
            self.session.max_redirects = settings.redirects
        if settings.reuse is False:
            self.session.headers["Connection"] = "close"
        if not settings.cookies:
            self.session.cookies.set_policy(DefaultCookiePolicy(allowed_domains=()))
        if not settings.decompress:
            self.session.headers["Accept-Encoding"] = "identity"
        if settings.proxy:
            self.session.proxies = {"http": settings.proxy, "https": settings.proxy}
        # iter_content() would read byte by byte; this is what the library itself asks for
        self.read_size = settings.read_size or CONTENT_CHUNK_SIZE
        timeouts = settings.timeouts(connect="connect", read="read")
        trusted = with_certifi(settings) if TRUSTS_CERTIFI and settings.tls_ca else settings.tls_ca
        self.options = {
            "allow_redirects": settings.redirects > 0,
            # over the session's own the environment's REQUESTS_CA_BUNDLE would take precedence
            "verify": trusted if CHECKS else False,
            "timeout": (timeouts.get("connect"), timeouts.get("read")),
        }

    def arguments(self, exchange):
        body = exchange.body_as(form="data", json="json", raw="data")
        return {"headers": dict(exchange.headers), **body, **self.options}

    def send(self, exchange, **options):
        with exchange.open_parts() as files:
            return self.session.request(
                exchange.method, exchange.url, files=files, **exchange.arguments, **options
            )

    def buffer(self, exchange):
        response = self.send(exchange)
        return response.status_code, response.content

    def json(self, exchange):
        response = self.send(exchange)
        return response.status_code, response.content, response.json()

    def stream(self, exchange, write):
        with self.send(exchange, stream=True) as response:
            for chunk in response.iter_content(self.read_size):
                write(chunk)
            return response.status_code

    def close(self):
        self.session.close()


serve(Requests)
