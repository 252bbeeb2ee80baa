"""Where no run keeps what is measured, nobody can resume one after an origin or a link is lost."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from fetchoff.model.errors import KEPT, LinkError, OriginError

AGAIN = "repeat the command: nothing of it is kept"


@contextlib.contextmanager
def nothing_is_kept() -> Iterator[None]:
    """Until the context ends, errors that would advise to resume a run say that it is repeated."""
    try:
        yield
    except (LinkError, OriginError) as error:
        if error.hint != KEPT:
            raise
        raise type(error)(error.message, AGAIN) from error
