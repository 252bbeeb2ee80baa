"""An SSH server on loopback that lets everybody in and runs what it is told."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import Iterator
from pathlib import Path

import asyncssh

LOOPBACK = "127.0.0.1"


class _LetsIn(asyncssh.SSHServer):
    def begin_auth(self, username: str) -> bool:
        return False


@contextlib.contextmanager
def serving(home: Path) -> Iterator[int]:
    """Its port. `home`: of a user who knows the server from then on."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    key = asyncssh.generate_private_key("ssh-ed25519")
    listening = asyncio.run_coroutine_threadsafe(_listening(key), loop).result(30)
    known = home / ".ssh" / "known_hosts"
    known.parent.mkdir(parents=True)
    port = listening.get_port()
    known.write_text(f"[{LOOPBACK}]:{port} {key.export_public_key().decode()}")
    try:
        yield port
    finally:
        asyncio.run_coroutine_threadsafe(_ended(listening), loop).result(30)
        loop.call_soon_threadsafe(loop.stop)
        thread.join(10)


async def _listening(key: asyncssh.SSHKey) -> asyncssh.SSHAcceptor:
    return await asyncssh.listen(
        LOOPBACK, 0, server_host_keys=[key], server_factory=_LetsIn, process_factory=_run
    )


async def _ended(listening: asyncssh.SSHAcceptor) -> None:
    listening.close()
    others = asyncio.all_tasks() - {asyncio.current_task()}
    for task in others:
        task.cancel()
    await asyncio.gather(*others, return_exceptions=True)


async def _run(process: asyncssh.SSHServerProcess[str]) -> None:
    command = process.command or "true"
    pipe = asyncio.subprocess.PIPE
    local = await asyncio.create_subprocess_shell(command, stdout=pipe, stderr=pipe)
    assert local.stdout is not None and local.stderr is not None
    try:
        await asyncio.gather(
            _passed_on(local.stdout, process.stdout), _passed_on(local.stderr, process.stderr)
        )
        process.exit(await local.wait())
    finally:
        if local.returncode is None:
            local.kill()
            await local.wait()


async def _passed_on(source: asyncio.StreamReader, target: asyncssh.SSHWriter[str]) -> None:
    while line := await source.readline():
        with contextlib.suppress(BrokenPipeError):  # nobody listens any more
            target.write(line.decode())
