"""http.client: one HTTPConnection, kept open by reading every response to its end."""

import sys
import time
from http.client import HTTPConnection
from urllib.parse import urlencode, urlsplit

FORM = {"Content-Type": "application/x-www-form-urlencoded"}


def main(url: str, size: int, fields: dict[str, str]) -> None:
    parts = urlsplit(url)
    connection = HTTPConnection(parts.hostname or "", parts.port)
    target = parts.path
    for line in iter(sys.stdin.readline, ""):
        cpu, wall = time.process_time_ns(), time.monotonic_ns()
        for _ in range(int(line)):
            if fields:
                connection.request("POST", target, urlencode(fields), FORM)
            else:
                connection.request("GET", target)
            response = connection.getresponse()
            content = response.read()
            if response.status != 200 or len(content) != size:
                sys.exit(f"status {response.status}, {len(content)} bytes")
        cpu, wall = time.process_time_ns() - cpu, time.monotonic_ns() - wall
        print(cpu, wall, flush=True)


main(sys.argv[1], int(sys.argv[2]), dict(zip(sys.argv[3::2], sys.argv[4::2], strict=True)))
