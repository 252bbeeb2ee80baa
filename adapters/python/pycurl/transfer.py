"""The options of a Curl handle, for the two adapters of pycurl."""

import pycurl

ENGINE = f"libcurl {pycurl.version_info()[1]}"
FEATURES = """
    http/1.1 method.get method.head method.post method.put
    body.form body.json body.multipart body.raw headers connection.reuse connection.fresh
    tls proxy read-size cookies decompression redirects
    timeout.connect timeout.total option.tcp_nodelay coding.deflate
"""
# What its wheel's libcurl was built with.
PARTS = {"nghttp2/": "h2 h2c", "brotli/": "coding.br", "zstd/": "coding.zstd"}
FEATURES += " ".join(names for part, names in PARTS.items() if part in pycurl.version)

PROTOCOLS = {
    "http/1.1": pycurl.CURL_HTTP_VERSION_1_1,
    "h2": pycurl.CURL_HTTP_VERSION_2TLS,
    "h2c": pycurl.CURL_HTTP_VERSION_2_PRIOR_KNOWLEDGE,
}


def options_of(settings):
    options = {
        pycurl.HTTP_VERSION: PROTOCOLS[settings.protocol],
        pycurl.CAINFO: settings.tls_ca,
        pycurl.PROXY: settings.proxy,
        pycurl.FORBID_REUSE: settings.reuse is False,
        pycurl.BUFFERSIZE: settings.read_size,
        pycurl.COOKIEFILE: "" if settings.cookies else None,
        pycurl.ACCEPT_ENCODING: "" if settings.decompress else None,  # empty: whatever it decodes
        pycurl.FOLLOWLOCATION: settings.redirects > 0,
        pycurl.MAXREDIRS: settings.redirects,
        pycurl.TCP_NODELAY: settings.options.get("tcp_nodelay"),
        **settings.timeouts_ms(connect=pycurl.CONNECTTIMEOUT_MS, total=pycurl.TIMEOUT_MS),
    }
    return {name: value for name, value in options.items() if value is not None}


def options_for(exchange):
    options = {pycurl.URL: exchange.url}
    # POSTFIELDS says that it is a form.
    fields = exchange.headers if exchange.kind == "form" else exchange.typed_headers()
    if fields:
        options[pycurl.HTTPHEADER] = [f"{name}: {value}" for name, value in fields]
    if exchange.method == "HEAD":
        options[pycurl.NOBODY] = 1
    elif exchange.method not in ("GET", "POST"):
        options[pycurl.CUSTOMREQUEST] = exchange.method
    elif exchange.method == "POST" and exchange.kind != "multipart":
        options[pycurl.POSTFIELDS] = ""
    return options


def set_parts(curl, exchange):
    if not hasattr(pycurl, "CurlMime"):  # 7.45
        curl.setopt(pycurl.HTTPPOST, post(exchange))
        return
    parts = pycurl.CurlMime(curl)
    for name, value in exchange.body:
        parts.add_field(name, value.encode())
    for file in exchange.files:
        parts.add_file(file.name, file.path, file.filename, file.content_type)
    curl.setopt(pycurl.MIMEPOST, parts)


def post(exchange):
    fields = [(name, value.encode()) for name, value in exchange.body]
    return fields + [(file.name, file_part(file)) for file in exchange.files]


def file_part(file):
    return (
        pycurl.FORM_FILE,
        file.path,
        pycurl.FORM_FILENAME,
        file.filename,
        pycurl.FORM_CONTENTTYPE,
        file.content_type,
    )
