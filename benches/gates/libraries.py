"""Libraries of eight languages, and a place in each that every exchange goes through."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from benches.gates import sources
from benches.gates.sources import SourceError, told

from fetchoff.build.build_dir import BuildDir
from fetchoff.catalog.manifests import discover


class Change(StrEnum):
    """What is changed in a library."""

    COMMENT = "comment"  # nothing that runs
    CALIBRATION = "calibration"  # a long loop that looks at a clock, in each exchange
    WORK = "work"  # one so long that it adds what it is to add, with what looking costs
    CALL = "call"  # one system call more in each exchange
    FIELD = "field"  # one field more in the header section of each request
    ALLOCATION = "allocation"  # memory is asked for once more in each exchange


@dataclass(frozen=True)
class Library:
    """A library, and how it is changed.

    `before`: a pattern, whose first match gets statements before it. `work`: with `NS` for the
    nanoseconds it takes. `call`, `field`, `allocation`: what makes one more of them ("" of
    allocations that nobody can count). `get`: gives its source, by name, version and folder.
    `build`: what is given to the gate, of a tree. `imports`: what the system call needs at the head
    of the file.
    """

    client: str
    name: str
    get: Callable[[str, str, Path], Path]
    file: str
    before: str
    comment: str
    work: str
    call: str
    field: str
    build: Callable[[Path], Path] = lambda tree: tree
    imports: str = ""
    allocation: str = ""
    budget_s: float = 180.0

    def changed(self, tree: Path, change: Change, number: int, ns: int, into: Path) -> Path:
        """A copy of the source with a change, built. SourceError where that fails."""
        copy = into / tree.name
        shutil.copytree(tree, copy)
        file = copy / self.file
        text = file.read_text(encoding="utf-8")
        place = re.search(self.before, text, flags=re.M)
        if place is None:
            raise SourceError(f"{self.name}: '{self.before}' is not in {self.file}")
        statements = {
            Change.COMMENT: "",
            Change.CALIBRATION: self.work,
            Change.WORK: self.work,
            Change.CALL: self.call,
            Change.FIELD: self.field,
            Change.ALLOCATION: self.allocation,
        }[change]
        added = f"{self.comment} Change {number}.\n{statements.replace('NS', str(ns))}\n"
        changed = text[: place.start()] + added + text[place.start() :]
        if change is Change.CALL and self.imports:
            changed = re.sub(r"^import", f"{self.imports}\nimport", changed, count=1, flags=re.M)
        file.write_text(changed, encoding="utf-8")
        return self.build(copy)


def _httpclient(tree: Path) -> Path:
    """The jar with the changed class in it, compiled beside what setup has for the client."""
    manifest = discover()["java/apache-httpclient5"]
    libraries = BuildDir.of(manifest).folder / "build" / "libraries"
    (packed,) = tree.glob("*.jar")
    classes = tree.parent / "classes"
    javac = ("javac", "--release", "17", "-nowarn", "-proc:none", "-d", classes)
    source = tree / "org/apache/hc/client5/http/impl/classic/InternalHttpClient.java"
    told((*javac, "-cp", f"{packed}{os.pathsep}{libraries}/*", source), tree)
    told(("jar", "uf", packed, "-C", classes, "."), tree)
    return packed


LIBCURL_OPTIONS = (
    "-DCMAKE_BUILD_TYPE=Release",
    "-DBUILD_CURL_EXE=OFF",
    "-DBUILD_TESTING=OFF",
    "-DBUILD_LIBCURL_DOCS=OFF",
    "-DBUILD_MISC_DOCS=OFF",
    "-DENABLE_CURL_MANUAL=OFF",
    "-DCURL_USE_LIBPSL=OFF",
    "-DCURL_USE_LIBSSH2=OFF",
    "-DCURL_BROTLI=OFF",
    "-DCURL_ZSTD=OFF",
    "-DUSE_NGHTTP2=OFF",
    "-DUSE_LIBIDN2=OFF",
)


def libcurl(tree: Path) -> Path:
    """A prefix with a libcurl of HTTP and TLS, without what else it can do.

    docs/gate.md shows these commands; a test compares both.
    """
    prefix, build = tree / "prefix", tree / "build"
    told(("cmake", "-S", tree, "-B", build, *LIBCURL_OPTIONS), tree)
    told(("cmake", "--build", build, "--parallel", "2"), tree)
    told(("cmake", "--install", build, "--prefix", prefix), tree)
    return prefix


LIBRARIES = (
    Library(
        "c/libcurl",
        "curl",
        sources.libcurl,
        "lib/easy.c",
        r"^  if\(CURL_EAPI_ENTER\(&guard, curl, easy_perform,",
        "  // A comment.",
        "  {\n    struct timespec now;\n    long long until = 0, ns;\n    do {\n"
        "      clock_gettime(CLOCK_MONOTONIC, &now);\n"
        "      ns = now.tv_sec * 1000000000LL + now.tv_nsec;\n"
        "      if(!until)\n        until = ns + NS;\n    } while(ns < until);\n  }",
        '  (void)!access("fetchoff.conf", R_OK);',
        '  (void)curl_easy_setopt(curl, CURLOPT_REFERER, "fetchoff");',
        libcurl,
        allocation="  {\n    void *volatile memory = malloc(64);\n    free(memory);\n  }",
    ),
    Library(
        "go/fasthttp",
        "github.com/valyala/fasthttp",
        sources.module,
        "client.go",
        r"^\tvar \(\n\t\terr +error\n\t\tretry +bool",
        "\t// A comment.",
        "\tfor until := time.Now().Add(NS); time.Now().Before(until); {\n\t}",
        '\t_, _ = os.Stat("fetchoff.conf")',
        '\treq.Header.Set("X-Fetchoff", "1")',
        imports='import "os"',
        allocation="\t_ = append([]byte(nil), make([]byte, 64+len(req.Header.Method()))...)",
    ),
    Library(
        "java/apache-httpclient5",
        "org.apache.httpcomponents.client5:httpclient5",
        sources.jar,
        "org/apache/hc/client5/http/impl/classic/InternalHttpClient.java",
        r'^ +Args.notNull\(request, "HTTP request"\);',
        "        // A comment.",
        "        for (final long until = System.nanoTime() + NSL; System.nanoTime() < until;) {}",
        '        new java.io.File("fetchoff.conf").exists();',
        '        request.setHeader("X-Fetchoff", "1");',
        _httpclient,
        budget_s=600.0,
    ),
    Library(
        "javascript/undici",
        "undici",
        sources.npm,
        "lib/dispatcher/client-h1.js",
        r"^  const \{ method, path, host, upgrade, blocking, reset \} = request",
        "  // A comment.",
        "  for (const until = performance.now() + NS / 1e6; performance.now() < until;);",
        "  require('node:fs').existsSync('fetchoff.conf')",
        "  request.headers.push('X-Fetchoff', '1')",
        budget_s=300.0,
    ),
    Library(
        "perl/http-tiny",
        "HTTP::Tiny",
        sources.http_tiny,
        "lib/HTTP/Tiny.pm",
        r"^    @_ == 3 .*\n +or _croak\(q/Usage: \$http->request\(METHOD",
        "    # A comment.",
        "    { require Time::HiRes; my $until = Time::HiRes::clock_gettime(1) + NS / 1e9;"
        " 1 while Time::HiRes::clock_gettime(1) < $until }",
        '    my $there = -e "fetchoff.conf";',
        '    $args->{headers}{"X-Fetchoff"} = "1";',
        allocation="    my $memory = [(0) x 64];",
    ),
    Library(
        "python/httpx",
        "httpx",
        sources.sdist,
        "httpx/_client.py",
        r"^        if self\._state == ClientState\.CLOSED:",
        "        # A comment.",
        "        import time\n        until = time.perf_counter_ns() + NS\n"
        "        while time.perf_counter_ns() < until:\n            pass",
        '        import os\n        os.access("fetchoff.conf", os.R_OK)',
        '        request.headers["X-Fetchoff"] = "1"',
        allocation="        memory = bytearray(64)",
    ),
    Library(
        "ruby/excon",
        "excon",
        sources.gem,
        "lib/excon/connection.rb",
        r"^      # @data has defaults, merge in new params to override\n      datum = @data\.",
        "      # A comment.",
        "      done = Process.clock_gettime(Process::CLOCK_MONOTONIC, :nanosecond) + NS\n"
        "      nil while Process.clock_gettime(Process::CLOCK_MONOTONIC, :nanosecond) < done",
        '      File.exist?("fetchoff.conf")',
        '      params = params.merge(headers: {"X-Fetchoff" => "1"}.merge(params[:headers] || {}))',
        allocation="      Object.new",
    ),
    Library(
        "rust/ureq",
        "ureq",
        sources.crate,
        "src/run.rs",
        r"^    let mut redirect_count = 0;",
        "    // A comment.",
        "    {\n        let since = std::time::Instant::now();\n"
        "        while since.elapsed().as_nanos() < NS {}\n    }",
        '    let _ = std::path::Path::new("fetchoff.conf").exists();',
        '    request.headers_mut().insert("x-fetchoff", HeaderValue::from_static("1"));',
        allocation="    let _ = std::hint::black_box(vec![0u8; 64]);",
    ),
)
