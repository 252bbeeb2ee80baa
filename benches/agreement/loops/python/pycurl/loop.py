"""pycurl: one Curl handle for all exchanges."""

import sys
import time
from urllib.parse import urlencode

import pycurl


def main(url: str, size: int, fields: dict[str, str]) -> None:
    curl = pycurl.Curl()
    curl.setopt(pycurl.HTTP_VERSION, pycurl.CURL_HTTP_VERSION_1_1)
    curl.setopt(pycurl.URL, url)
    for line in iter(sys.stdin.readline, ""):
        cpu, wall = time.process_time_ns(), time.monotonic_ns()
        for _ in range(int(line)):
            if fields:
                curl.setopt(pycurl.POSTFIELDS, urlencode(fields))
            content = curl.perform_rb()
            status = curl.getinfo(pycurl.RESPONSE_CODE)
            if status != 200 or len(content) != size:
                sys.exit(f"status {status}, {len(content)} bytes")
        cpu, wall = time.process_time_ns() - cpu, time.monotonic_ns() - wall
        print(cpu, wall, flush=True)


main(sys.argv[1], int(sys.argv[2]), dict(zip(sys.argv[3::2], sys.argv[4::2], strict=True)))
