"""An interrupted exchange between harness and origin does not disturb the next one."""

from __future__ import annotations

from pathlib import Path

import pytest

from fetchoff.run.origins.built_in import BuiltInOrigin


def test_an_answer_that_nobody_waited_for_is_not_taken_for_the_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    origin = BuiltInOrigin(tmp_path)
    try:
        ledger = origin.open()

        def interrupted(timeout_s: float, since: float | None = None) -> None:
            raise KeyboardInterrupt

        with monkeypatch.context() as patch:
            patch.setattr(origin._child, "receive", interrupted)
            with pytest.raises(KeyboardInterrupt):
                ledger.read()
        assert origin.open().id == ledger.id + 1
    finally:
        origin.end()
