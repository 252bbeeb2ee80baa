"""urllib3: one PoolManager for all exchanges."""

import sys
import time

import urllib3


def main(url: str, size: int, fields: dict[str, str]) -> None:
    pool = urllib3.PoolManager(maxsize=1)
    for line in iter(sys.stdin.readline, ""):
        cpu, wall = time.process_time_ns(), time.monotonic_ns()
        for _ in range(int(line)):
            if fields:
                response = pool.request(
                    "POST", url, fields=fields, encode_multipart=False, redirect=False
                )
            else:
                response = pool.request("GET", url, redirect=False)
            content = response.data
            if response.status != 200 or len(content) != size:
                sys.exit(f"status {response.status}, {len(content)} bytes")
        cpu, wall = time.process_time_ns() - cpu, time.monotonic_ns() - wall
        print(cpu, wall, flush=True)


main(sys.argv[1], int(sys.argv[2]), dict(zip(sys.argv[3::2], sys.argv[4::2], strict=True)))
