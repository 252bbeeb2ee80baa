"""TLS between driver, scheduler and workers, by Dask's own means: docs/fleet.md#tls."""

from __future__ import annotations

from distributed.security import Security

from fetchoff.model.errors import InputError

NEEDED = ("tls_ca_file", "tls_client_cert", "tls_scheduler_cert", "tls_worker_cert")


def security(*, starts_cluster: bool) -> Security:
    """As Dask's configuration says. Raises InputError if it names no certificates.

    `starts_cluster`: scheduler and workers are started here as well.
    """
    found = Security(require_encryption=True)
    needed = NEEDED if starts_cluster else NEEDED[:2]
    missing = [name for name in needed if not getattr(found, name)]
    if missing:
        keys = ", ".join(_key(name) for name in missing)
        raise InputError(
            f"--security needs certificates, and Dask's configuration does not name {keys}",
            "docs/fleet.md shows how to make them and where to name them",
        )
    return found


def _key(name: str) -> str:
    """`distributed.comm.tls.client.cert` of `tls_client_cert`."""
    if name == "tls_ca_file":
        return "distributed.comm.tls.ca-file"
    _, role, what = name.split("_")
    return f"distributed.comm.tls.{role}.{what}"
