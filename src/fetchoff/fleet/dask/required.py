"""Dask is an optional dependency: say so before anything needs it, and configure it."""

from __future__ import annotations

import importlib.util
import logging

from fetchoff.model.errors import InputError

CONFIG = {
    "distributed.worker.profile.enabled": False,
    "distributed.scheduler.work-stealing": False,
    "distributed.scheduler.active-memory-manager.start": False,
    "distributed.admin.system-monitor.gil.enabled": False,
    "distributed.worker.memory.target": False,
    "distributed.worker.memory.spill": False,
    "distributed.worker.memory.pause": False,
    "distributed.worker.memory.terminate": False,
}
"""Of schedulers and workers that Fetchoff starts: nothing samples, moves or spills anything."""


def must_have_dask(*, ssh: bool = False) -> None:
    """Raise InputError if Dask is not installed; with `ssh`, also what it needs for SSH."""
    needed = ("distributed", "asyncssh") if ssh else ("distributed",)
    missing = [name for name in needed if importlib.util.find_spec(name) is None]
    if missing:
        raise InputError(
            f"'fetchoff fleet' needs Dask, and {' and '.join(missing)} is not installed",
            "in a checkout: pip install --editable '.[fleet]'; with a wheel: pip install "
            "'FILE.whl[fleet]'",
        )


def configure() -> None:
    """Set Dask's configuration of this process, and keep its logs to itself."""
    import dask

    dask.config.set(CONFIG)
    import distributed  # noqa: F401  it sets the levels of its loggers

    for name in ("distributed", "distributed.client", "bokeh", "tornado", "asyncssh"):
        logging.getLogger(name).setLevel(logging.CRITICAL)


def environment() -> dict[str, str]:
    """The same for child processes: docs.dask.org, Configuration."""
    return {
        f"DASK_{key.upper().replace('.', '__').replace('-', '_')}": str(value)
        for key, value in CONFIG.items()
    }


def has_dashboard() -> bool:
    """Whether schedulers that are started here can have Dask's dashboard."""
    return importlib.util.find_spec("bokeh") is not None
