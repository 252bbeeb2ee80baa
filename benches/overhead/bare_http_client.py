"""python/http-client's loop for a small GET without the kit: for each number on standard input, so
many exchanges, then the nanoseconds of CPU time that they took."""

import sys
import time
from http.client import HTTPConnection
from urllib.parse import urlsplit


def main() -> None:
    url, expected = urlsplit(sys.argv[1]), int(sys.argv[2])
    connection = HTTPConnection(url.hostname or "", url.port)
    for line in iter(sys.stdin.readline, ""):
        before = time.process_time_ns()
        for _ in range(int(line)):
            connection.request("GET", url.path, None, {})
            response = connection.getresponse()
            content = response.read()
            if response.status != 200 or len(content) != expected:
                sys.exit(1)
        print(time.process_time_ns() - before, flush=True)


main()
