"""Where no run keeps what is measured, nobody can resume one after an origin or a link is lost."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from fetchoff.model.errors import LinkError, OriginError
from fetchoff.run.network import link_program
from fetchoff.run.origins import built_in

AGAIN = "repeat the command: nothing of it is kept"


@contextlib.contextmanager
def nothing_is_kept() -> Iterator[None]:
    """Until the context ends, errors that would advise to resume a run say that it is repeated."""
    try:
        yield
    except (LinkError, OriginError) as error:
        if error.hint not in (link_program.KEPT, built_in.KEPT):
            raise
        raise type(error)(error.message, AGAIN) from error
