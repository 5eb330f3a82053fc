# Two commands do everything on a fresh machine: `make trial` and `make test`.
.DEFAULT_GOAL := help
.PHONY: help setup trial test test-interop test-quick fuzz sbom audit check lint types layers format docs bench lock clean

# The embedded model for `make trial`: `small` (0.5B, 0.5 GB) or `medium` (1.5B, 1.1 GB), which takes longer.
MODEL ?= small
# What `make test-quick` compares with.
BASE ?= HEAD
export PATH := $(CURDIR)/.venv/bin:$(PATH)
# Every process would compile all modules again.
unexport PYTHONDONTWRITEBYTECODE

help: ## Show what can be made
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

setup: ## Make .venv with the locked requirements
	@bash scripts/setup.sh

trial: setup ## Set up, then the main job offline: reference agents, a working day, a real model, and a report of all
	@bash scripts/trial.sh "$(MODEL)"

test: setup ## Set up, then run all tests, side by side
	@python -m pytest -n auto --dist loadfile

test-interop: setup ## Meet the programs that go with Worktrial, each in its own environment; NAME=atif for one
	@python -m scripts.interop $(NAME)

test-quick: setup ## Set up, then run the tests of what differs from the last commit (or from BASE=…)
	@python -m scripts.touched "$(BASE)"

fuzz: setup ## Feed every reader of what somebody else wrote with changed input, led by coverage; SECONDS=600 for longer
	@python -m scripts.fuzz --seconds $(or $(SECONDS),60) $(NAME)

sbom: setup ## List the libraries that we stand on in dist/sbom.json (CycloneDX)
	@python -m scripts.supply sbom

audit: setup ## Ask what is known against them; says so where it could not look
	@python -m scripts.supply audit

check: types lint layers ## Lint, types, and the layers of the architecture

lint: setup
	ruff check .
	ruff format --check .

types: setup
	mypy

layers: setup
	lint-imports

format: setup ## Mend what the formatter and the linter can mend
	ruff format .
	ruff check --fix .

docs: setup ## Build the documentation into site/
	NO_MKDOCS_2_WARNING=1 python -m mkdocs build --quiet --strict

bench: setup ## Measure the harness beside a bare HTTP loop
	python -m benchmarks.harness

lock: setup ## Resolve the requirements anew
	bash scripts/lock.sh

clean: ## Remove what was built
	rm -rf .venv .interop site dist .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
