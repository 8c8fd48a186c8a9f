# Everything from a clean checkout: Python 3.11+ and a JDK 17+ is all that must be there.
# `make PYTHON=python3.12 …` picks another Python; it counts when $(VENV) is made.
VENV ?= .venv
PYTHON ?= python3
BIN := $(VENV)/bin
HOURS ?= 2
SEED ?=

# With them, pytest's list of what failed has whole texts in it, and nobody finds the names.
unexport CI BUILD_NUMBER

.DEFAULT_GOAL := help
# Resolves versions and knows the digests of all their files, whatever machine they are for.
UV := uv==0.13.9
LOCK := build/lock/bin/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes \
	--no-annotate --custom-compile-command 'make lock'

.PHONY: help setup demo check unit test faults soak bench docs pages outputs lock wheel clean

help: ## List the verbs
	@grep -hE '^[a-z]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z]+):.*## /\1\t/' | expand -t 10

setup: $(VENV)/.ready ## Install everything: virtual environment, Python packages, JVM files, connector
	@$(BIN)/python -m kmirror.jvm
	@$(BIN)/python -m kmirror_lab.jars
	@$(BIN)/python -m kmirror.pipeline.class_archive

$(VENV)/.ready: pyproject.toml lab/pyproject.toml requirements-build.lock requirements.lock
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed: make PYTHON=…")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --no-deps --require-hashes --requirement requirements-build.lock
	$(BIN)/pip install --quiet --no-deps --require-hashes --no-build-isolation --requirement requirements.lock
	$(BIN)/pip install --quiet --no-deps --no-build-isolation --editable . --editable lab
	$(BIN)/pip check
	@touch $@

demo: setup ## Mirror a live stream between two clusters, verify it; then the console until Ctrl-C
	@$(BIN)/kmirror demo $$(test -t 1 && echo --keep)

check: setup ## Style, types, layers
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/pytest -q tests/test_layers.py tests/test_java_layers.py tests/test_tidy.py
	$(BIN)/pytest -qq --collect-only tests > /dev/null # each can be loaded

unit: setup ## Tests of pure code: no broker, no Spark
	$(BIN)/pytest -q -m "not kafka and not spark" tests

test: check ## The tests on real brokers and real Spark: an hour on two cores
	$(BIN)/pytest -n 2 --durations=10 tests

faults: setup ## The faults of GUARANTEES.md on real brokers, and all tests that take long
	$(BIN)/pytest -n 2 --faults --quiet-minutes 30 --durations=10 tests

soak: setup ## Faults at random for HOURS=2 with SEED=n, then the ledger: a page in build/soak
	$(BIN)/python -m tests.soak --hours $(HOURS) $(if $(SEED),--seed $(SEED))

bench: setup ## Measure against the real MirrorMaker 2; write docs/measured.md
	$(BIN)/python -m bench --publish

docs: pages ## Write the generated pages, and build the documentation as a site
	$(BIN)/python -m sphinx --builder html --conf-dir docs/site --doctree-dir build/doctrees \
		--fail-on-warning --keep-going --quiet . build/site
	@echo "the site: build/site/index.html"

pages: setup
	$(BIN)/python -m docs.site.modules > docs/design/modules.md
	$(BIN)/python -m kmirror.pipeline.client_settings
	$(BIN)/python -m kmirror.config.docs > docs/configuration.md
	$(BIN)/python -m kmirror.pipeline.tuning.page > docs/design/tuning.md
	$(BIN)/python -m kmirror.events.docs > docs/events.md
	$(BIN)/python -m kmirror.state.metrics.docs > docs/metrics.md
	$(BIN)/python -m kmirror.plans.access_docs > docs/acls.md
	$(BIN)/python -m bench.page > docs/measured.md

outputs: setup ## Run what the pages show, and write down what came out
	$(BIN)/pytest -q tests/unit/test_documented.py tests/integration/test_documented_output.py --write-outputs

lock: ## After a change in a pyproject.toml: write the lock files anew, with all digests
	$(PYTHON) -m venv build/lock
	build/lock/bin/pip install --quiet $(UV)
	$(LOCK) --group build --output-file requirements-build.lock
	$(LOCK) --all-extras --no-emit-package kmirror --no-emit-package kmirror-lab \
		--constraint requirements-build.lock --output-file requirements.lock pyproject.toml
	$(LOCK) --constraint requirements.lock --output-file requirements-run.lock pyproject.toml

wheel: setup ## Build the wheels of kmirror, connector included, and of the laboratory
	$(BIN)/python -m kmirror.jvm --pack
	$(BIN)/pip wheel --quiet --no-deps --no-build-isolation --wheel-dir dist . ./lab

clean: ## Remove what was built
	rm -rf $(VENV) build dist src/kmirror/jars
