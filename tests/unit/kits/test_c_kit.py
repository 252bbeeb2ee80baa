"""The C kit under a client without a network: what it keeps of content, and its digests."""

from __future__ import annotations

import hashlib
import json
import subprocess
from pathlib import Path
from shutil import which
from typing import Any

import pytest

from fetchoff.catalog.paths import shipped
from fetchoff.model.workload import Exchange, Expect, Settings, Workload
from fetchoff.protocol import adapter as protocol
from fetchoff.protocol.adapter import Spool

KIT = shipped("adapters") / "c" / "_kit"
CONTENT = b"sixteen letters."
CLIENT = """
#include "fetchoff.h"
#include <string.h>

static void describe(struct fo_description *us, struct fo_error *error)
{
    (void)error;
    us->client = us->version = "made-up";
    us->features = "http/1.1 method.get sink.buffer sink.discard";
}

static void prepare(struct fo_workload *workload, struct fo_error *error)
{
    (void)workload, (void)error;
}

static void exchange(const struct fo_exchange *exchange, struct fo_answer *answer)
{
    static const char content[] = "sixteen letters.";
    answer->status = 200;
    if (strstr(exchange->url, "whole"))
        fo_content_whole(answer, content, strlen(content));
    else
        fo_content(answer, content, strlen(content));
    if (strstr(exchange->url, "raises"))
        fo_fail(&answer->error, "%zu bytes are kept", answer->buffer.size);
}

static void reset(struct fo_workload *workload)
{
    (void)workload;
}

int main(void)
{
    return fo_serve(&(struct fo_adapter){
        .describe = describe, .prepare = prepare, .exchange = exchange, .reset = reset});
}
"""

NETTLE = {
    "version.h": "#define NETTLE_VERSION_MAJOR MAJOR_OF_IT\n",
    "sha2.h": """
#include <stddef.h>
#include <stdint.h>
#define SHA256_DIGEST_SIZE 32
struct sha256_ctx { uint32_t state[8]; };
void sha256_init(struct sha256_ctx *ctx);
void sha256_update(struct sha256_ctx *ctx, size_t length, const uint8_t *data);
void sha256_digest(struct sha256_ctx *ctx, LENGTH_IF_ANY uint8_t *digest);
""",
    "base16.h": """
#define BASE16_ENCODE_LENGTH(length) ((length) * 2)
void base16_encode_update(char *dst, size_t length, const uint8_t *src);
""",
}
"""What the kit uses of Nettle's headers."""


def flags(*options: str) -> list[str]:
    command = ["pkg-config", *options, "jansson", "nettle"]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if not which("cc") or not which("pkg-config"):
        pytest.skip("there is no compiler of C here, or no pkg-config")
    if subprocess.run(["pkg-config", "--exists", "jansson", "nettle"], check=False).returncode:
        pytest.skip("jansson or nettle is not installed")
    folder = tmp_path_factory.mktemp("client")
    (folder / "client.c").write_text(CLIENT)
    sources = [str(path) for path in (folder / "client.c", *KIT.glob("*.c"))]
    command = ["cc", "-std=gnu11", "-D_GNU_SOURCE", "-pthread", f"-I{KIT}", *flags("--cflags")]
    command += ["-o", str(folder / "client"), *sources, *flags("--libs"), "-ldl"]
    subprocess.run(command, check=True)
    return folder / "client"


def answer_of(client: Path, target: str, expect: Expect, run: dict[str, Any]) -> Any:
    exchange = Exchange("GET", target, expect=expect)
    workload = Workload("made-up", "", (exchange,), Settings(reuse=None))
    prepare = protocol.prepare(workload, "http://127.0.0.1", Spool(client.parent))
    lines = "".join(json.dumps(message) + "\n" for message in (prepare, run))
    ran = subprocess.run([str(client)], input=lines, capture_output=True, text=True, check=True)
    ready, answer = map(json.loads, ran.stdout.splitlines())
    assert ready == {"ready": True}
    return answer


@pytest.mark.parametrize(("how", "kept"), [("whole", 0), ("in-pieces", len(CONTENT))])
def test_content_that_the_library_has_whole_is_not_copied(
    how: str, kept: int, client: Path
) -> None:
    run = {"op": "run", "n": 1}
    assert answer_of(client, f"/{how}", Expect(bytes=len(CONTENT)), run)["done"] == 1
    raised = answer_of(client, f"/{how}/raises", Expect(), run)
    assert raised["error"] == f"{kept} bytes are kept"


@pytest.mark.parametrize(
    ("target", "status", "failed", "digest"),
    [
        ("/whole", 200, 0, hashlib.sha256(CONTENT).hexdigest()),
        ("/in-pieces", 200, 0, hashlib.sha256(CONTENT).hexdigest()),
        ("/whole", 404, 1, hashlib.sha256(CONTENT).hexdigest()),
        ("/whole/raises", 200, 1, ""),
    ],
)
def test_an_exchange_that_raised_an_error_has_no_digest(
    target: str, status: int, failed: int, digest: str, client: Path
) -> None:
    run = {"op": "run", "n": 1, "digest": True}
    answer = answer_of(client, target, Expect(status), run)
    assert (answer["failed"], answer["sha256"]) == (failed, [digest])


@pytest.mark.parametrize(("major", "length"), [(3, "size_t length, "), (4, "")])
def test_it_compiles_with_either_nettle(major: int, length: str, tmp_path: Path) -> None:
    """Nettle 4 has taken an argument away."""
    if (
        not which("cc")
        or subprocess.run(["pkg-config", "--exists", "jansson"], check=False).returncode
    ):
        pytest.skip("there is no compiler of C here, or no jansson")
    (tmp_path / "nettle").mkdir()
    for name, text in NETTLE.items():
        filled = text.replace("MAJOR_OF_IT", str(major)).replace("LENGTH_IF_ANY ", length)
        (tmp_path / "nettle" / name).write_text(filled)
    command = ["cc", "-std=gnu11", "-D_GNU_SOURCE", "-fsyntax-only", "-Wall", "-Wextra", "-Werror"]
    command += [f"-I{tmp_path}", f"-I{KIT}", *map(str, (KIT / "answer.c", KIT / "batch.c"))]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.stderr == ""
