# `make play` and `make test` set up what they need on their own; ARGS is handed on, as in: make play ARGS="--seed 7"

PYTHON ?= python3
VENV ?= .venv
APT := sudo apt install python3 python3-venv make git

RUN := $(VENV)/bin/python
STAMP := $(VENV)/.companion
VERSION := $(shell $(PYTHON) -c 'import sys; print(*sys.version_info[:2], sep=".")' 2>/dev/null)
BUILT_FOR := $(CURDIR) $(VERSION)

# Built for another folder or another Python: from scratch.
ifneq ($(BUILT_FOR),$(shell cat $(STAMP) 2>/dev/null))
.PHONY: $(STAMP)
ANEW := --clear
endif

.PHONY: help setup play test lint format benchmark clean

help:
	@echo "make play       a game, watched and judged move by move (ARGS=\"--game garden-rush --seed 7\")"
	@echo "make test       all fast tests (ARGS=\"tests/test_layers.py\" for some)"
	@echo "make lint       style and types"
	@echo "make format     lay the code out as make lint wants it"
	@echo "make benchmark  the speed measurements"
	@echo "make setup      only build $(VENV)/"
	@echo "make clean      take away everything that was built"

setup: $(STAMP)

$(STAMP): pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || \
		{ echo "Python 3.11 or later is needed, found: $(or $(VERSION),none). Run: $(APT)" >&2; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || \
		{ echo "Python's venv is missing. Run: $(APT)" >&2; exit 1; }
	@echo "Setting up $(VENV)/ ..."
	@$(PYTHON) -m venv --system-site-packages $(ANEW) $(VENV)
	@$(RUN) -m pip install --quiet --disable-pip-version-check --no-input --editable '.[dev]'
	@echo "$(BUILT_FOR)" > $@

play: setup
	@$(VENV)/bin/companion play $(ARGS)

test: setup
	@$(RUN) -m pytest -n 2 --dist loadfile $(ARGS)

lint: setup
	@$(RUN) -m ruff check
	@$(RUN) -m ruff format --check
	@$(RUN) -m mypy

format: setup
	@$(RUN) -m ruff check --fix
	@$(RUN) -m ruff format

benchmark: setup
	@$(RUN) -m pytest -q -s tests/benchmarks $(ARGS)

clean:
	rm -rf $(VENV) build dist *.egg-info .mypy_cache .pytest_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
