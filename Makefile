# make demo | test | lint | clean. The first target that needs the virtual environment makes it.
.DEFAULT_GOAL := help
SHELL := /bin/bash
VENV ?= .venv
PYTHON_BIN := $(VENV)/bin
READY := $(VENV)/.ready

.PHONY: help setup demo test lint format lock clean

help:
	@echo 'make demo             the platform, end to end, against a local Azure; you approve the plan'
	@echo 'make demo APPROVE=auto   the same with nobody at the keyboard'
	@echo 'make demo KEEP=1      leaves the servers up to look around'
	@echo 'make test             the tests     make lint   ruff, mypy, import-linter'
	@echo 'make clean            removes the environment, the local Azure and the demo'"'"'s run history'

setup: $(READY)

$(READY): requirements.lock pyproject.toml scripts/setup sandbox/blob/package-lock.json
	@scripts/setup $(VENV)
	@touch $@

demo: export APPROVE := $(APPROVE)
demo: export KEEP := $(KEEP)
demo: export PORT := $(PORT)
demo: export DEMO_STARTED := $(shell date +%s)
demo: $(READY)
	@$(PYTHON_BIN)/python -m demo

test: $(READY)
	@$(PYTHON_BIN)/python -m pytest $(ARGS)

lint: $(READY)
	@$(PYTHON_BIN)/ruff check --no-cache
	@$(PYTHON_BIN)/ruff format --check
	@$(PYTHON_BIN)/mypy
	@$(PYTHON_BIN)/lint-imports

format: $(READY)
	@$(PYTHON_BIN)/ruff check --fix
	@$(PYTHON_BIN)/ruff format

# The lock is made for every platform and Python we support; it names no index.
lock:
	@uv pip compile pyproject.toml --group dev --universal --python-version 3.11 --generate-hashes \
	  --no-emit-index-url --no-annotate --no-header --quiet -o requirements.lock

clean:
	@if [ -x $(PYTHON_BIN)/python ]; then \
	  $(PYTHON_BIN)/python -m demo --stop || true; $(PYTHON_BIN)/python -m sandbox down || true; fi
	@rm -rf $(VENV) .sandbox .demo build *.egg-info .mypy_cache .pytest_cache .ruff_cache .import_linter_cache .hypothesis
