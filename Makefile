# DoPeJar: `make help` lists the targets. Needs Python 3.11 or newer and make, nothing else.
.DEFAULT_GOAL := help
SHELL := /bin/sh
.PHONY: help setup setup-test wheel demo test test-fresh test-browser test-frameworks attack check fmt docs bench compare lock clean

# The first Python on the path that is new enough; `make PYTHON=/path/to/python` overrides it.
PYTHON ?= $(shell for name in python3 python3.14 python3.13 python3.12 python3.11; do \
	"$$name" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && { echo "$$name"; break; }; done)

VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check
CORE := $(VENV)/.core-installed
TEST := $(VENV)/.test-installed
FRAMEWORKS := .venv-frameworks/.installed
COMPILE := uv pip compile --quiet --generate-hashes --no-emit-index-url --no-emit-find-links --universal --python-version 3.11
# Test workers; `make test WORKERS=8` on a larger machine, `ARGS=tests/unit/text` for a part.
WORKERS ?= 2
ARGS ?=
# Looks over the page for those who cannot see it as we do; fetched for the tests, not shipped.
AXE := axe-core@4.14.1
AXE_HASH := 29348999450cdf2849a8e70b7912fc2da85a849da39c0d0d5394f51d4a9ed95c
AXE_FILE := $(VENV)/axe.min.js
# What `make bench` runs; `make bench NAME=recall`, `make bench NAME=retrieval ARGS="--data DIR --out FILE"`.
NAME ?=

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-12s %s\n", $$1, $$2}' $(firstword $(MAKEFILE_LIST))

setup: $(CORE) ## make .venv with the pinned packages and this checkout (quick the second time)
	@echo "Ready: $(BIN)/dopejar searches by words. To search by meaning as well: $(BIN)/dopejar models install (91 MB)"

setup-test: $(TEST)

wheel: $(CORE) ## build dist/dopejar-VERSION-py3-none-any.whl, which pip, pipx and uv install
	@$(PIP) wheel --quiet --no-deps --no-build-isolation --wheel-dir dist .
	@ls dist/*.whl

demo: $(CORE) ## learn from a bundled conversation, review, recall with citations, undo
	@PATH="$(CURDIR)/$(BIN):$$PATH" sh examples/demo/demo.sh

test: $(TEST) ## run every test
	$(BIN)/python -m pytest -n $(WORKERS) --inline-snapshot=disable $(ARGS)

test-fresh: $(TEST) ## run the property tests with fresh random examples; the last lines say what failed
	$(BIN)/python -m pytest -n $(WORKERS) --inline-snapshot=disable -m hypothesis --hypothesis-profile=fresh $(ARGS)

test-browser: $(TEST) $(AXE_FILE) ## run the tests of the page in the system's Chromium (needs npm for axe)
	$(PIP) install --quiet "playwright>=1.50"
	AXE="$(CURDIR)/$(AXE_FILE)" $(BIN)/python -m pytest -n $(WORKERS) --inline-snapshot=disable tests/browser -m browser $(ARGS)

$(AXE_FILE): | $(BIN)/python
	cd $(VENV) && npm pack --silent $(AXE) && tar xzf $(subst @,-,$(AXE)).tgz package/axe.min.js && mv package/axe.min.js .
	echo "$(AXE_HASH)  $@" | sha256sum --check --status || { rm -f $@; echo "axe is not the expected file" >&2; exit 1; }

test-frameworks: $(FRAMEWORKS) ## install the frameworks of agents beside and test the adapters on them
	.venv-frameworks/bin/python -m pytest -p no:asyncio --inline-snapshot=disable tests/frameworks $(ARGS)
	cd .venv-frameworks/langgraph_checkpoint-* && PYTHONPATH="$(CURDIR)/tests/frameworks:." \
		../bin/python -m pytest -p langgraph_own_suite -p no:randomly -q tests/test_store.py

$(FRAMEWORKS): locks/test.txt pyproject.toml | $(BIN)/python
	$(BIN)/python -m venv .venv-frameworks
	.venv-frameworks/bin/python -m pip install --quiet -r locks/core.txt -r locks/test.txt
	.venv-frameworks/bin/python -m pip install --quiet -e ".[langgraph,openai-agents,pydantic-ai,google-adk]"
	.venv-frameworks/bin/python -m pip install --quiet pytest-asyncio pytest-mock  # for LangGraph's own tests, fetched next
	rm -rf .venv-frameworks/langgraph_checkpoint-*
	.venv-frameworks/bin/python -m pip download --quiet --no-deps --no-build-isolation --no-binary :all: \
		-d .venv-frameworks "$$(.venv-frameworks/bin/python -m pip freeze | grep ^langgraph-checkpoint==)"
	tar -xzf .venv-frameworks/langgraph_checkpoint-*.tar.gz -C .venv-frameworks
	@touch $@

attack: $(TEST) ## attack this checkout and print what was tried and what failed; FULL=1 for the long rounds
	$(BIN)/python attacks/run.py $(if $(FULL),--full) $(ARGS)

check: $(TEST) ## lint, types and import order
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

fmt: $(TEST) ## format and mend what the linter can mend
	$(BIN)/ruff check --fix-only .
	$(BIN)/ruff format .

docs: $(CORE) ## bring the generated parts of the documents up to date
	$(BIN)/python docs/generate.py

bench: $(CORE) ## list the measurements of BENCHMARKS.md, or run one: NAME=durability|ingest|recall|retrieval
	$(BIN)/dopejar bench $(NAME) $(ARGS)

compare: $(CORE) ## run beside BM25, MiniLM, grep and other memories on a bundled set; ARGS="--data DIR" for another
	$(BIN)/python -m benchmarks.compare $(ARGS)

train-%: $(CORE) # make a fitted artefact again, for example `make train-correction-weights ARGS="--out FILE"`
	$(BIN)/python -m training.$(subst -,_,$*) $(ARGS)

lock: ## pin every package anew (needs uv)
	UV_CUSTOM_COMPILE_COMMAND="make lock" $(COMPILE) --upgrade pyproject.toml --extra models --group build -o locks/core.txt
	UV_CUSTOM_COMPILE_COMMAND="make lock" $(COMPILE) --upgrade pyproject.toml --extra models --group build --group test -c locks/core.txt -o locks/test.txt

clean: ## remove .venv and what tools cached
	rm -rf $(VENV) .venv-frameworks .venv-compare .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache

$(BIN)/python:
	@test -n "$(PYTHON)" || { echo "DoPeJar needs Python 3.11 or newer; none was found. Install one, or name it: make PYTHON=/path/to/python" >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)

$(CORE): locks/core.txt pyproject.toml | $(BIN)/python
	@$(BIN)/python -c 'import pip' 2>/dev/null || $(BIN)/python -m ensurepip
	$(PIP) install --quiet --require-hashes -r locks/core.txt
	$(PIP) install --quiet --no-deps --no-build-isolation -e .
	@$(BIN)/python -m compileall -q src  # bytecode, also where Python itself may write none: every start is quicker
	@touch $@

$(TEST): locks/test.txt $(CORE)
	$(PIP) install --quiet --require-hashes -r locks/test.txt
	@touch $@
