"""requests: one Session for all exchanges, without cookies and redirects."""

import sys
import time
from http.cookiejar import DefaultCookiePolicy

import requests


def main(url: str, size: int, fields: dict[str, str]) -> None:
    session = requests.Session()
    session.cookies.set_policy(DefaultCookiePolicy(allowed_domains=()))
    session.headers["Accept-Encoding"] = "identity"
    for line in iter(sys.stdin.readline, ""):
        cpu, wall = time.process_time_ns(), time.monotonic_ns()
        for _ in range(int(line)):
            if fields:
                response = session.post(url, data=fields, allow_redirects=False)
            else:
                response = session.get(url, allow_redirects=False)
            content = response.content
            if response.status_code != 200 or len(content) != size:
                sys.exit(f"status {response.status_code}, {len(content)} bytes")
        cpu, wall = time.process_time_ns() - cpu, time.monotonic_ns() - wall
        print(cpu, wall, flush=True)


main(sys.argv[1], int(sys.argv[2]), dict(zip(sys.argv[3::2], sys.argv[4::2], strict=True)))
