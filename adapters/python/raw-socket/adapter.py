"""A blocking socket: one sendall() for each request, and just enough HTTP to find the end."""

import socket

from fetchoff_kit import Client, python_version, serve

CHUNKED = b"\r\ntransfer-encoding: chunked"
CLOSE = b"\r\nconnection: close"
END = b"\r\n\r\n"
LENGTH = b"\r\ncontent-length:"


class RawSocket(Client):
    name = "raw-socket"
    version = python_version()
    features = """
        http/1.1 method.get method.head method.post method.put body.form body.json body.raw headers
        connection.reuse connection.fresh tls read-size timeout.connect timeout.read
        option.tcp_nodelay
    """

    def __init__(self, settings):
        self.fresh = settings.reuse is False
        self.nodelay = settings.options.get("tcp_nodelay", True)
        self.timeouts = settings.timeouts(connect="connect", read="read")
        self.read_size = settings.read_size or 65536
        self.tls = settings.tls_context() if settings.tls_ca else None
        self.sockets = {}

    def arguments(self, exchange):
        fields = [("Host", f"{exchange.host}:{exchange.port}"), *exchange.typed_headers()]
        if self.fresh:
            fields.append(("Connection", "close"))
        if exchange.body is None and exchange.method in ("POST", "PUT"):
            fields.append(("Content-Length", "0"))
        lines = [f"{exchange.method} {exchange.target} HTTP/1.1"]
        lines += [f"{name}: {value}" for name, value in fields]
        head = "\r\n".join(lines).encode("latin-1")
        origin = exchange.scheme, exchange.host, exchange.port
        return origin, head + END if exchange.kind is None else head

    def connect(self, origin):
        scheme, host, port = origin
        connection = socket.create_connection((host, port), self.timeouts.get("connect"))
        connection.settimeout(self.timeouts.get("read"))
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, self.nodelay)
        if scheme == "https":
            connection = self.tls.wrap_socket(connection, server_hostname=host)
        self.sockets[origin] = connection
        return connection

    def stream(self, exchange, write):
        origin, head = exchange.arguments
        connection = self.sockets.get(origin) or self.connect(origin)
        try:
            if exchange.kind is not None:
                body = exchange.encode()
                head = b"%b%b %d%b%b" % (head, LENGTH, len(body), END, body)
            connection.sendall(head)
            status, keep = receive(connection, exchange.method, self.read_size, write)
        except Exception:
            self.sockets.pop(origin).close()
            raise
        if not keep:
            self.sockets.pop(origin).close()
        return status

    def buffer(self, exchange):
        parts = []
        status = self.stream(exchange, parts.append)
        return status, b"".join(parts)

    def close(self):
        for connection in self.sockets.values():
            connection.close()


def receive(connection, method, size, write):
    """Read one response and `write` its content: its status, and whether the connection lasts."""
    data = read(connection, size)
    while END not in data:
        data += read(connection, size)
    head, _, data = data.partition(END)
    status = int(head[9:12])
    fields = head.lower()
    keep = CLOSE not in fields
    _, counted, length = fields.partition(LENGTH)
    if method == "HEAD" or status in (204, 304):
        pass
    elif counted:
        left = int(length.partition(b"\r\n")[0]) - len(data)
        write(data)
        while left > 0:
            data = read(connection, min(size, left))
            write(data)
            left -= len(data)
    elif CHUNKED in fields:
        dechunk(connection, data, size, write)
    else:
        keep = False
        while data := (data or connection.recv(size)):
            write(data)
            data = b""
    return status, keep


def dechunk(connection, data, size, write):
    left = -1
    while left != 0:
        while b"\r\n" not in data:
            data += read(connection, size)
        line, _, data = data.partition(b"\r\n")
        left = int(line, 16)
        while len(data) < left + 2:
            data += read(connection, size)
        write(data[:left])
        data = data[left + 2 :]


def read(connection, size):
    data = connection.recv(size)
    if not data:
        raise ConnectionError("the connection was closed before the end of the response")
    return data


serve(RawSocket)
