# Everything a stranger needs after `git clone`: `make run`, `make test`. See CONTRIBUTING.md for the rest.

PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
STAMP  := $(VENV)/.installed
RUST   := $(shell find crates -name '*.rs' -o -name Cargo.toml) Cargo.toml Cargo.lock

.PHONY: run test check format bench-origin bench-verdicts clean
.DELETE_ON_ERROR:

run: $(STAMP)  ## measure the default suite: ranking, verdicts, report
	$(BIN)/fetchoff run --setup

test: check $(STAMP) system-packages  ## everything that must be green
	cargo test --quiet --workspace --locked
	$(BIN)/fetchoff setup --all --quiet
	$(BIN)/pytest

check: $(STAMP)  ## format, lint, types, architecture
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	cargo fmt --all --check
	cargo clippy --quiet --workspace --all-targets --locked -- -D warnings

format: $(STAMP)
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .
	cargo fmt --all

bench-origin: $(STAMP)  ## CPU per request of the origin, nginx and a bare loop
	$(BIN)/python benches/origin/bench.py

bench-verdicts: $(STAMP)  ## error rates, power and recovery of real comparisons
	$(BIN)/python benches/verdicts/bench.py

clean:
	rm -rf $(VENV) target build src/*.egg-info .mypy_cache .ruff_cache .pytest_cache

$(STAMP): pyproject.toml setup.py $(RUST)
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	touch $@
