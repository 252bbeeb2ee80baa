# Everything that a stranger needs after `git clone`: `make run`, `make test`. CONTRIBUTING.md has the rest.

PYTHON  ?= python3
VENV    := .venv
BIN     := $(VENV)/bin
PYTHON_PART := $(VENV)/.python-part
BUILT   := target/.programs-built
CLIENTS := $(VENV)/.default-clients
RUNTIME := $(VENV)/.installed
DEV     := $(VENV)/.installed-dev
DOCS_BIN    := build/docs/bin
RELEASE_BIN := build/release-tools/bin
DOCS    := build/docs/.installed
RELEASE := build/release-tools/.installed
H2SPEC  := target/tools/h2spec
ACTIONLINT := target/tools/actionlint
QUICK   := target/.quick-tests-passed
RUST_S  := 1200
PROGRAMS := fetchoff-origin fetchoff-link fetchoff-tap
RUST    := Cargo.toml Cargo.lock $(shell find crates -name '*.rs' -o -name Cargo.toml)
SOURCES := pyproject.toml setup.py $(RUST)

.PHONY: run test rust-tests-built quick-clients test-all test-clients coverage coverage-crates check check-python check-rust check-adapters clients-page findings-page articles-page reported-page reference docs screen dist dist-again try-wheel format bench-origin bench-h2load bench-verdicts bench-overhead bench-agreement bench-turns bench-steadiness bench-pauses bench-gates bench-histories bench-diagnosis bench-instructions bench-disturbed bench-kill bench-kill-link bench-fleet bench-fleet-beside bench-fleet-verdicts bench-fleet-opening bench-fleet-guides bench-precision bench-trends bench-probes bench-memory bench-h2spec bench-link bench-link-soak bench-site clean
.DELETE_ON_ERROR:

run:  ## measure the default suite: ranking, verdicts, report
	$(MAKE) --no-print-directory --jobs 2 $(RUNTIME) $(CLIENTS)
	$(BIN)/fetchoff run --setup

$(CLIENTS): catalog/suites/default.toml | $(PYTHON_PART)  # while the programs are built: some of it is waiting for downloads
	$(BIN)/fetchoff setup --suite default
	touch $@

test:  ## what answers in minutes; says at its end what it left out
	$(MAKE) --jobs 4 check-python check-rust check-adapters rust-tests-built quick-clients
	timeout $(RUST_S) cargo test --quiet --workspace --locked
	$(BIN)/pytest --part quick --numprocesses auto
	@touch $(QUICK)

rust-tests-built:  # they keep to clocks, so they run alone: here they are only compiled
	cargo test --quiet --workspace --locked --no-run

quick-clients: $(DEV)  ## a browser, what quick tests ask besides, and a client of each language
	tools/system-packages.sh chromium strace zsh fish groff-base
	$(MAKE) $(ACTIONLINT) || echo "skipped: actionlint could not be built"
	$(BIN)/fetchoff setup --quiet $$($(BIN)/python -m tests.partition)

test-all: $(QUICK)  ## everything: what `make test` left out, after it if sources changed since; MINUTES=… ends it in that time
	tests/everything.sh $(MINUTES)

test-clients: $(DEV)  ## the contract of the clients of one language: LANGUAGE=go
	$(BIN)/fetchoff setup --quiet '$(LANGUAGE)/*'
	$(BIN)/pytest tests/contract --language '$(LANGUAGE)' --numprocesses auto

coverage: quick-clients  ## which lines of src no quick test runs; cargo-llvm-cov, where it is installed, does so for crates
	$(BIN)/pytest --part quick --numprocesses auto --cov --cov-report=term
	if cargo llvm-cov --version >/dev/null 2>&1; then $(MAKE) coverage-crates; else echo "skipped: crates (cargo install cargo-llvm-cov)"; fi

coverage-crates:  # without the tests of links, which start an example that llvm-cov does not build
	cargo llvm-cov --locked --workspace --exclude fetchoff-link --no-report
	cargo llvm-cov --locked --package fetchoff-link --lib --bins --test wire --no-report
	cargo llvm-cov report --summary-only

$(QUICK): $(wildcard $(shell git ls-files 2>/dev/null))
	$(MAKE) test

check: check-python check-rust check-adapters  ## format, lint, types, architecture

check-python: $(DEV)
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

check-rust:
	cargo fmt --all --check
	cargo clippy --quiet --workspace --all-targets --locked -- -D warnings

check-adapters: $(DEV)  ## what is measured, each language by its own tools
	tools/system-packages.sh clang-format perltidy rubocop lua5.4
	$(BIN)/python tools/check_adapters.py

clients-page: $(DEV)  ## docs/clients.md, from the manifests
	$(BIN)/python tools/clients_page.py

findings-page: $(DEV)  ## docs/findings.md, from the rules; SURVEY=rows of bench-diagnosis
	$(BIN)/python tools/findings_page.py $(if $(SURVEY),--survey $(SURVEY))

articles-page: $(DEV)  ## docs/articles.md, from the run folders of a reproduction: RUNS=…
	$(BIN)/python tools/articles_page.py $(RUNS)

reported-page: $(DEV)  ## docs/reported.md, from the run folders of 'fetchoff reproduce reported': RUNS=…
	$(BIN)/python tools/reported_page.py $(if $(NOTE),--note "$(NOTE)") $(RUNS)

reference: $(DEV)  ## docs/reference and the man page, from the command line, the types and the tables
	$(BIN)/python -m tools.reference

docs: $(DOCS)  ## the documentation site, in build/site-docs; any warning is an error
	NO_MKDOCS_2_WARNING=1 $(DOCS_BIN)/mkdocs build --quiet --strict

screen: $(RUNTIME)  ## docs/images/compare.svg: a terminal, drawn from a real comparison
	$(BIN)/python tools/screen.py

dist: $(RELEASE)  ## wheel and sdist of the last commit, in dist
	$(RELEASE_BIN)/python -m tools.release

dist-again: dist  ## build them once more in another folder: the same bytes?
	$(RELEASE_BIN)/python -m tools.release --work build/release-again --out build/dist-again
	cd dist && sha256sum --check ../build/dist-again/SHA256SUMS

try-wheel:  ## install the wheel in an empty environment without Rust, and measure with it
	tools/release/try.sh dist/fetchoff-*.whl $(PYTHON)

format: $(DEV)
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .
	cargo fmt --all

bench-origin: $(RUNTIME)  ## CPU per request of the origin, nginx and a bare loop
	tools/system-packages.sh nginx-light wrk gcc
	$(BIN)/python -m benches.origin.bench

bench-h2load: $(RUNTIME)  ## CPU per request and per GB of the origin, nginx and Apache, by HTTP/2 over TLS
	tools/system-packages.sh nginx-light apache2-bin nghttp2-client
	$(BIN)/python -m benches.h2load.bench

bench-verdicts: $(RUNTIME)  ## error rates, power and recovery of real comparisons and rankings; OPTIONS=…
	tools/system-packages.sh gcc hyperfine
	$(BIN)/python -m benches.verdicts.bench $(OPTIONS)

bench-overhead: $(RUNTIME)  ## what the harness adds to an exchange, beside loops without it; OPTIONS=…
	tools/system-packages.sh gcc libcurl4-openssl-dev
	$(BIN)/python -m benches.overhead.bench $(OPTIONS)

bench-turns: $(RUNTIME)  ## cost by the size of turns, by what goes before, by how many take them; OPTIONS=…
	tools/system-packages.sh gcc
	$(BIN)/python -m benches.turns.bench $(OPTIONS)

bench-steadiness: $(RUNTIME)  ## is a warm-up long enough? many times as many exchanges after it; OPTIONS=…
	$(BIN)/python -m benches.steadiness.bench $(OPTIONS)

bench-instructions: $(RUNTIME)  ## what do adapters add to a plain loop, counted in instructions? OPTIONS=…
	tools/system-packages.sh gcc libcurl4-openssl-dev valgrind
	$(BIN)/python -m benches.instructions.bench $(OPTIONS)

bench-histories: $(RUNTIME)  ## histories of equal releases: is there a step? OPTIONS=…
	$(BIN)/python -m benches.histories.bench $(OPTIONS)

bench-pauses:  ## is an exchange dearer after a pause? in plain C; OPTIONS=…
	tools/system-packages.sh gcc
	$(PYTHON) -m benches.pauses.bench $(OPTIONS)

bench-gates: $(RUNTIME)  ## known changes of libraries in eight languages, before `fetchoff gate`; OPTIONS=…
	tools/system-packages.sh strace cmake gcc openjdk-17-jdk-headless maven ruby-excon
	$(BIN)/python -m benches.gates.bench $(OPTIONS)

bench-diagnosis: $(RUNTIME)  ## what is found in clean clients, in all clients, and between two; OPTIONS=…
	$(BIN)/python -m benches.diagnosis.bench $(OPTIONS)

bench-disturbed: $(RUNTIME)  ## disturb this machine for a minute, as benches do with --disturbed
	tools/system-packages.sh gcc
	$(BIN)/python -m benches.disturber.disturbing $(OPTIONS)

bench-agreement: $(RUNTIME)  ## ratios of wall and CPU time beside those of plain loops, written without Fetchoff; OPTIONS=…
	$(BIN)/python -m benches.agreement.bench --setup $(OPTIONS)

bench-kill: $(DEV)  ## kill a run again and again, and count what is lost; OPTIONS=…
	$(BIN)/python -m benches.kill.bench $(OPTIONS)

bench-kill-link: $(DEV)  ## the same over a link, also interrupted politely: what is left of it
	$(BIN)/python -m benches.kill.bench --kills 100 --link

bench-fleet: $(DEV)  ## kill workers, schedulers and drivers of fleets again and again; OPTIONS=…
	$(BIN)/python -m benches.fleet.bench $(OPTIONS)

bench-fleet-beside: $(DEV)  ## an exchange in a run of a fleet beside one in `fetchoff run`; OPTIONS=…
	$(BIN)/python -m benches.fleet.beside $(OPTIONS)

bench-fleet-verdicts: $(DEV)  ## verdicts of `fetchoff fleet run --local 4` beside those of `fetchoff run`; OPTIONS=…
	$(BIN)/python -m benches.fleet.verdicts $(OPTIONS)

bench-fleet-opening: $(DEV)  ## how soon a browser shows the report of a thousand hosts
	tools/system-packages.sh chromium
	$(BIN)/python -m benches.fleet.opening $(OPTIONS)

bench-fleet-guides: $(DEV)  ## the guides of docs/fleet.md, followed on machines that are network namespaces; OPTIONS=…
	tools/system-packages.sh openssh-server slurm-wlm munge
	$(BIN)/python -m benches.fleet.guides.bench $(OPTIONS)

bench-probes: $(RUNTIME)  ## do probes tell how fast the core is, and nothing else? OPTIONS=…
	$(BIN)/python -m benches.probes.bench $(OPTIONS)

bench-precision: $(RUNTIME)  ## what makes the intervals of a ranking as wide as they are: RUNS=…
	$(BIN)/python -m benches.precision.bench $(RUNS)

bench-trends: $(RUNTIME)  ## does anybody's cost still fall while it is measured? RUNS=…
	$(BIN)/python -m benches.trends.bench $(RUNS)

bench-memory: $(RUNTIME)  ## memory of streamed downloads, beside the sizes of their reads
	tools/system-packages.sh strace
	$(BIN)/python -m benches.memory.bench

bench-h2spec: $(RUNTIME) $(H2SPEC)  ## h2spec against the origin
	$(BIN)/python -m benches.h2spec.bench --h2spec $(H2SPEC)

bench-link: $(RUNTIME)  ## the link emulator: delay, rate and loss, asked against measured; as root also without root
	$(BIN)/python -m benches.link.bench

bench-link-soak: $(RUNTIME)  ## ten minutes of much traffic in every mode: nothing out of order or astray, memory flat
	$(BIN)/python -m benches.link.bench --soak 600

$(H2SPEC):  # fetched and built by Go
	GOBIN=$(CURDIR)/target/tools go install github.com/summerwind/h2spec/cmd/h2spec@v2.2.1

$(ACTIONLINT):  # the same
	GOBIN=$(CURDIR)/target/tools go install github.com/rhysd/actionlint/cmd/actionlint@v1.7.9

bench-site: $(DEV)  ## a site of 500 made-up runs: seconds, pages, broken links
	$(BIN)/python -m benches.site.bench $(OPTIONS)

clean:
	rm -rf $(VENV) target build src/*.egg-info .mypy_cache .ruff_cache .pytest_cache

$(PYTHON_PART): pyproject.toml setup.py
	$(PYTHON) -m venv $(VENV)
	FETCHOFF_PROGRAMS=apart $(BIN)/python -m pip install --quiet --disable-pip-version-check --editable .
	touch $@

$(BUILT): $(RUST)  # in one go, for what they share is compiled once then
	env -u CARGO_BUILD_TARGET cargo build --quiet --release --locked --target-dir target $(PROGRAMS:%=--package=%)
	touch $@

$(RUNTIME): $(PYTHON_PART) $(BUILT)
	install $(PROGRAMS:%=target/release/%) $(BIN)
	touch $@

# What contributors need has the runtime in it: installed in one go, not one after the other.
$(DEV): $(SOURCES)
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev,fleet]'
	mkdir -p target
	touch $(BUILT) $(PYTHON_PART) $(RUNTIME) $@

$(DOCS): tools/docs/requirements.txt
	$(PYTHON) -m venv $(DOCS_BIN:/bin=)
	$(DOCS_BIN)/python -m pip install --quiet --disable-pip-version-check --requirement $<
	touch $@

$(RELEASE): tools/release/requirements.txt
	$(PYTHON) -m venv $(RELEASE_BIN:/bin=)
	$(RELEASE_BIN)/python -m pip install --quiet --disable-pip-version-check --requirement $<
	touch $@
