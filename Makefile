# Every target sets up .venv itself. Needs Python 3.11 or later with venv, and make.
PYTHON ?= python3
RUN := .venv/bin/
READY := .venv/.ready
PYTEST := $(RUN)pytest -n 2
.DEFAULT_GOAL := help

help: ## show this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /\1|/' | \
	  awk -F'|' '{printf "  make %-14s %s\n", $$1, $$2}'

$(READY): pyproject.toml constraints.txt
	$(PYTHON) -m venv .venv
	$(RUN)python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e ".[dev]"
	@touch $(READY)

setup: $(READY) ## create .venv and install into it (1 minute)

demo: $(READY) ## build a small Pond data set, train on it and compare (3 minutes)
	$(RUN)sightline demo --out demo

lint: $(READY) ## ruff and mypy (30 seconds)
	$(RUN)ruff check .
	$(RUN)ruff format --check .
	$(RUN)mypy

test: lint ## lint and the everyday tests (under 15 minutes, usually 9)
	$(PYTEST) -m "not long and not browser"

test-long: $(READY) ## tests that take longer (15 minutes)
	$(PYTEST) -m long

test-browser: $(READY) ## tests that need Chromium (1 minute)
	$(RUN)python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e ".[browser]"
	$(RUN)pytest -m browser || test $$? -eq 5

bench: $(READY) ## speed beside a named peer, in the same run (8 minutes)
	$(RUN)python benchmarks/evaluate.py
	$(RUN)python benchmarks/many_maps.py
	$(RUN)python benchmarks/loading.py
	$(RUN)python benchmarks/training.py
	$(RUN)python benchmarks/transformers.py
	$(RUN)python benchmarks/search.py
	$(RUN)python benchmarks/pond.py
	$(RUN)python benchmarks/crf.py
	$(RUN)python benchmarks/report.py

recipes: $(READY) ## rerun the shipped results; needs the data (DATA=../shared/data) (15 minutes)
	$(RUN)python recipes/run.py --data $(or $(DATA),../shared/data)

docs: $(READY) ## write the pages that the code tells, and the site into site/ (20 seconds)
	$(RUN)python docs/build.py
	$(RUN)python docs/site.py

clean: ## remove .venv, caches and the demo
	rm -rf .venv demo .pytest_cache .mypy_cache .ruff_cache .hypothesis

.PHONY: help setup demo lint test test-long test-browser bench recipes docs clean
