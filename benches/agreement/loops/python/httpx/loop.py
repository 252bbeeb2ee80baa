"""httpx: one Client for all exchanges, without cookies."""

import sys
import time
from http.cookiejar import CookieJar, DefaultCookiePolicy

import httpx


def main(url: str, size: int, fields: dict[str, str]) -> None:
    client = httpx.Client(
        cookies=CookieJar(DefaultCookiePolicy(allowed_domains=())),
        headers={"Accept-Encoding": "identity"},
        limits=httpx.Limits(max_connections=1, max_keepalive_connections=1),
    )
    for line in iter(sys.stdin.readline, ""):
        cpu, wall = time.process_time_ns(), time.monotonic_ns()
        for _ in range(int(line)):
            response = client.post(url, data=fields) if fields else client.get(url)
            content = response.content
            if response.status_code != 200 or len(content) != size:
                sys.exit(f"status {response.status_code}, {len(content)} bytes")
        cpu, wall = time.process_time_ns() - cpu, time.monotonic_ns() - wall
        print(cpu, wall, flush=True)


main(sys.argv[1], int(sys.argv[2]), dict(zip(sys.argv[3::2], sys.argv[4::2], strict=True)))
