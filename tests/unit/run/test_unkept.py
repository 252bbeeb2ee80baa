"""What is advised where an origin or a link is lost, and no run keeps anything."""

from __future__ import annotations

import pytest

from fetchoff.model.errors import KEPT, AdapterError, FetchoffError, LinkError, OriginError
from fetchoff.run.network import link_program
from fetchoff.run.recording.unkept import AGAIN, nothing_is_kept


@pytest.mark.parametrize(
    ("error", "hint"),
    [
        (LinkError("the link emulator ended", KEPT), AGAIN),
        (OriginError("the origin ended", KEPT), AGAIN),
        (LinkError("the link cannot be made", link_program.NEEDS), link_program.NEEDS),
        (OriginError("the origin failed", "choose another port"), "choose another port"),
        (AdapterError("it broke off", KEPT), KEPT),
    ],
)
def test_there_is_nothing_to_resume(error: FetchoffError, hint: str) -> None:
    with pytest.raises(type(error)) as told, nothing_is_kept():
        raise error
    assert (told.value.message, told.value.hint) == (error.message, hint)
