"""The servers that are compared, by HTTP/2 over TLS, each started pinned to one core."""

from __future__ import annotations

import os
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from benches.origin.measuring import MeasurementError, pinned
from benches.origin.servers import (
    PATIENCE,
    Origin,
    Server,
    ended,
    fetch,
    free_port,
    keep_file,
    nginx_binary,
    origin_binary,
    tool,
    with_children,
)

OVER_TLS = {"protocol": "h2", "tls": True}

NGINX_CONF = """
daemon off;
worker_processes 1;
pid {folder}/nginx.pid;
error_log {folder}/errors crit;
events {{ worker_connections 1024; }}
http {{
    access_log off;
    sendfile on;
    tcp_nodelay on;
    keepalive_requests 1000000000;
    default_type application/octet-stream;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    ssl_protocols TLSv1.2 TLSv1.3;
    ssl_certificate {folder}/certificate.pem;
    ssl_certificate_key {folder}/key.pem;
    server {{
        listen 127.0.0.1:{port} ssl http2;
        root {folder}/files;
    }}
}}
"""

# One process for the one core, with as many threads as Debian's limit allows: with 25 a load in 30
# stalled, with 4 workers for HTTP/2 9 of 12 did.
APACHE_CONF = """
ServerRoot {folder}
ServerName localhost
Listen 127.0.0.1:{port}
PidFile {folder}/apache.pid
DefaultRuntimeDir {folder}
ErrorLog {folder}/errors
LogLevel crit
{account}
LoadModule mpm_event_module {modules}/mod_mpm_event.so
LoadModule authz_core_module {modules}/mod_authz_core.so
LoadModule ssl_module {modules}/mod_ssl.so
LoadModule http2_module {modules}/mod_http2.so
ServerLimit 1
StartServers 1
ThreadsPerChild 64
MaxRequestWorkers 64
KeepAlive On
MaxKeepAliveRequests 0
DocumentRoot {folder}/files
Protocols h2
SSLEngine on
SSLCertificateFile {folder}/certificate.pem
SSLCertificateKeyFile {folder}/key.pem
"""

APACHE_MODULES = Path("/usr/lib/apache2/modules")


class Daemon:
    """A server with a configuration file, which it reads in the foreground."""

    def __init__(self, command: list[str], folder: Path, target: str, port: int, core: int) -> None:
        self.name = Path(command[0]).name
        self._errors = folder / "errors"
        self.url = f"https://127.0.0.1:{port}{target}"
        self._process = subprocess.Popen(command, preexec_fn=pinned(core))
        try:
            self._wait_until_up(port)
        except BaseException:
            self.stop()
            raise

    def _wait_until_up(self, port: int) -> None:
        until = time.monotonic() + PATIENCE
        while time.monotonic() < until and self._process.poll() is None:
            try:
                socket.create_connection(("127.0.0.1", port), PATIENCE).close()
            except OSError:
                time.sleep(0.02)
            else:
                return
        why = self._errors.read_text() if self._errors.exists() else ""
        raise MeasurementError(f"{self.name} did not start (status {self._process.poll()})\n{why}")

    def processes(self) -> list[int]:
        return with_children(self._process.pid)

    def stop(self) -> None:
        self._process.terminate()
        ended(self._process)


def nginx(target: str, core: int, folder: Path) -> Daemon:
    port = free_port()
    (folder / "nginx.conf").write_text(NGINX_CONF.format(folder=folder, port=port))
    command = [nginx_binary(), "-e", "errors", "-p", str(folder), "-c", "nginx.conf"]
    return Daemon(command, folder, target, port, core)


def apache(target: str, core: int, folder: Path) -> Daemon:
    port = free_port()
    # Whoever starts as root has to name an account for the children.
    account = "User nobody\nGroup nogroup" if os.geteuid() == 0 else ""
    configuration = folder / "apache.conf"
    configuration.write_text(
        APACHE_CONF.format(folder=folder, port=port, account=account, modules=APACHE_MODULES)
    )
    command = [apache_binary(), "-D", "FOREGROUND", "-f", str(configuration)]
    return Daemon(command, folder, target, port, core)


@contextmanager
def running(target: str, core: int, folder: Path) -> Iterator[list[Server]]:
    """All servers for one target, on one core, with the same content and the same certificate."""
    keep_file(folder, target, content_of(target, core))
    subprocess.run([origin_binary(), "--authority", folder], check=True)
    with ExitStack() as stack:
        servers: list[Server] = []
        for start in (
            lambda: Origin(target, core, OVER_TLS),
            lambda: nginx(target, core, folder),
            lambda: apache(target, core, folder),
        ):
            servers.append(start())
            stack.callback(servers[-1].stop)
        yield servers


def content_of(target: str, core: int) -> bytes:
    origin = Origin(target, core)
    try:
        return fetch(origin.url)
    finally:
        origin.stop()


def apache_binary() -> str:
    return tool("apache2", "apt install apache2-bin")


def h2load_binary() -> str:
    return tool("h2load", "apt install nghttp2-client")
