# Every target does its own set-up in a virtual environment of its own. It needs Python >= 3.10 (PYTHON=…), a C compiler
# and make. A second run with nothing changed installs nothing.

PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
ASAN_VENV := $(VENV)-asan
DOCS_VENV := $(VENV)-docs
PIP_FLAGS ?= --quiet --disable-pip-version-check
# pyproject.toml's build-system.requires: installed first, so that every build finds the same Cython and what it translated
BUILD_REQUIRES := 'setuptools>=77' 'cython>=3.1'
# Options for pytest: make test PYTEST_FLAGS='-k mask'
PYTEST_FLAGS ?=
# Options for the bench: make bench BENCH_FLAGS='--limit 60 --micro'
BENCH_FLAGS ?=
BENCH_EXTRAS ?= bench
BENCH_DATA ?= $(firstword $(wildcard $(or $(FFGRAMMAR_SHARED),../shared)/maskbench/dev.jsonl.gz) grammars)

# What a build depends on. In-place builds and generated C do not count.
SOURCES := pyproject.toml setup.py MANIFEST.in README.md \
    $(shell find ffgrammar cli -type f ! -name '*.so' ! -name '*.c' ! -name '*.pyc')

.PHONY: help demo test bench lint asan docs reference architecture wheels clean
.DELETE_ON_ERROR:

help: ## show this
	@sed -n 's/^\([a-z]*\):.*## /  make \1\t/p' $(MAKEFILE_LIST) | expand -t 24

demo: export PATH := $(abspath $(BIN)):$(PATH)
demo: $(VENV)/.installed ## install the package and show it at work on a real schema
	ffgrammar compile grammars/function_call.json
	ffgrammar mask grammars/function_call.json --prefix '{"name": "get_'
	ffgrammar mask grammars/function_call.json --prefix '{"name": "get_weather", "arguments": {"city": "' --format count
	ffgrammar ff-tokens grammars/function_call.json --prefix '{"name": "send_email", "'
	ffgrammar check --text 'Hello world'
	ffgrammar check 9906 220 14957 || echo "exit code $$?"

# From tests/, so that neither a test nor a process that it starts finds the sources in the working directory.
test: $(VENV)/.installed-test ## install the package and run its tests
	cd tests && $(abspath $(BIN))/pytest $(PYTEST_FLAGS)

# With BENCH_EXTRAS=bench,peers also against xgrammar, which brings torch; with bench,plot there is --plot.
bench: $(VENV)/.installed-$(BENCH_EXTRAS) ## MaskBench, side by side with the peers that can be installed
	$(BIN)/ffgrammar bench $(BENCH_DATA) $(BENCH_FLAGS)

lint: export PATH := $(abspath $(BIN)):$(PATH)
lint: $(VENV)/.installed-lint ## ruff, mypy and cython-lint
	ruff check .
	mypy
	cython-lint ffgrammar

# Python keeps memory until the process ends, so leaks are not looked for; everything else is fatal.
# PYTHONMALLOC=malloc lets the sanitizer see every object; --capture=sys lets it be heard.
asan: $(ASAN_VENV)/.installed-test ## the tests under AddressSanitizer and UBSan
	cd tests && LD_PRELOAD="$$($(CC) -print-file-name=libasan.so) $$($(CC) -print-file-name=libstdc++.so)" \
	ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1 UBSAN_OPTIONS=print_stacktrace=1 \
	PYTHONMALLOC=malloc FFGRAMMAR_HYPOTHESIS=quick \
	$(abspath $(ASAN_VENV))/bin/pytest --capture=sys -m 'not timing' $(PYTEST_FLAGS)

# Reads the sources in docs/ only, so it needs neither a build nor the package. The variable leaves out an advertisement.
docs: export NO_MKDOCS_2_WARNING = 1
docs: $(DOCS_VENV)/.installed ## the documentation as a site, with its links checked
	$(DOCS_VENV)/bin/mkdocs build --strict
	@echo "see build/site/index.html"

reference: $(VENV)/.installed-test ## write the reference of the shell commands into docs/shell.md
	$(BIN)/python tests/shell_reference.py

architecture: ## draw the picture of the rooms in docs/architecture.svg
	$(PYTHON) tests/architecture.py

# The Pythons to build for: make wheels PYTHONS='python3.12 /path/to/python3.13'
PYTHONS ?= $(PYTHON)
wheels: ## a wheel for each of PYTHONS, repaired, and tried in an environment of its own
	$(PYTHON) tests/wheels.py $(PYTHONS)

clean: ## remove everything that was built or installed here
	rm -rf $(VENV) $(ASAN_VENV) $(DOCS_VENV) build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache
	find ffgrammar cli tests -name '*.so' -delete -o -name '__pycache__' -prune -exec rm -rf {} +

$(BIN)/python $(ASAN_VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 10))' || \
	    { echo "ffgrammar needs Python 3.10 or newer: make PYTHON=/path/to/python" >&2; exit 1; }
	$(PYTHON) -m venv $(@:/bin/python=)

$(DOCS_VENV)/.installed: pyproject.toml
	$(PYTHON) -m venv $(DOCS_VENV)
	$(DOCS_VENV)/bin/pip install $(PIP_FLAGS) $$(sed -n 's/^docs = \["\(.*\)"\].*/\1/p' pyproject.toml)
	@touch $@

# The stamps. What is under build/ is used again, so only the first build is long (a few minutes). Modules that were renamed
# since must not be packed again.
define install
	@find build -path '*/lib.*' -type f ! -name '*.so' -delete 2>/dev/null || true
	$(@D)/bin/pip install $(PIP_FLAGS) $(BUILD_REQUIRES)
	$(@D)/bin/pip install $(PIP_FLAGS) --no-build-isolation '.$(1)'
	@touch $@ $(@D)/.installed
endef

$(VENV)/.installed: $(SOURCES) | $(BIN)/python
	$(call install)

$(VENV)/.installed-%: $(SOURCES) | $(BIN)/python
	$(call install,[$*])

$(ASAN_VENV)/.installed-%: export FFGRAMMAR_SANITIZE = 1
$(ASAN_VENV)/.installed-%: $(SOURCES) | $(ASAN_VENV)/bin/python
	$(call install,[$*])
