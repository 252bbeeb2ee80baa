"""What a client does with content: clients made for a fault each, and clean ones."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.diagnosis.recorded import (
    diagnosis_of,
    faulty,
    in_each_language,
    languages_of,
    named,
)

from fetchoff.model.toggle import Toggle

WORKLOADS = Path(__file__).parent / "workloads"
LARGE = str(WORKLOADS / "large-upload.toml")
TLS = str(WORKLOADS / "upload-tls.toml")
COMPRESSED = str(WORKLOADS / "compressed.toml")
DRIP = str(WORKLOADS / "slow-drip.toml")


@pytest.mark.parametrize(
    ("language", "name", "workload", "fault", "clean"),
    in_each_language(
        pytest.param(
            "charset_sniffed", "download-to-memory", "charset-sniffed", "clean", id="charset"
        ),
        pytest.param("upload_buffered", LARGE, "upload-buffered", "clean", id="buffered"),
        pytest.param("cpu_per_byte", TLS, "cpu-per-byte", "clean", id="cpu"),
        pytest.param(
            "decoded_whole", COMPRESSED, "decompression-bomb", "decoded_in_steps", id="bomb"
        ),
        pytest.param(
            "timeout_per_read", DRIP, "timeout-per-read", "timeout_in_total", id="timeout"
        ),
    ),
)
def test_it_is_named_where_it_is_and_nowhere_else(
    language: str, name: str, workload: str, fault: str, clean: str
) -> None:
    assert fault in named(diagnosis_of(faulty(language, name), workload, iterations=6))
    assert named(diagnosis_of(faulty(language, clean), workload, iterations=6)) == set()


@pytest.mark.parametrize(
    ("language", "name", "workload"),
    [
        ("javascript", "clean_pieces", LARGE),
        ("javascript", "clean_pieces", "upload"),
        *((language, "clean", "upload") for language in languages_of("clean")),
    ],
)
def test_memory_that_a_collector_has_not_freed_is_no_copy(
    language: str, name: str, workload: str
) -> None:
    assert "upload-buffered" not in named(diagnosis_of(faulty(language, name), workload))


def test_nothing_is_guessed_where_the_character_set_is_named() -> None:
    says = Toggle("the origin names the character set", behaviour={"charset": True})
    launch = faulty("python", "charset_sniffed")
    found = diagnosis_of(launch, "download-to-memory", iterations=6, toggle=says)
    # The rule is silent there by itself; what remains shows that the work is gone.
    assert found.exchange_us < 1000


def test_the_length_of_an_answer_need_not_be_stated(tmp_path: Path) -> None:
    stated = Path(COMPRESSED).read_text()
    unstated = stated.replace(", bytes = 50000000", "")
    assert unstated != stated
    (file := tmp_path / "unstated.toml").write_text(unstated)
    found = diagnosis_of(faulty("python", "decoded_whole"), str(file), iterations=6)
    assert "decompression-bomb" in named(found)
