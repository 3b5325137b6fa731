# make demo   install the light core and run the demo
# make test   install what the tests need and run every check
# make lock   pin the versions anew, from pyproject.toml

PYTHON ?= $(shell command -v python3.11 || command -v python3)
VENV ?= .venv
BIN := $(VENV)/bin
AUGRAPHY := augraphy==8.2.6

.PHONY: demo test install install-dev lint lock clean

demo: $(VENV)/core.stamp
	$(BIN)/python -m experiments.demo

test: lint
	$(BIN)/python -m pytest

lint: $(VENV)/dev.stamp
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

install: $(VENV)/core.stamp

install-dev: $(VENV)/dev.stamp

# Augraphy asks for the OpenCV that needs libGL and overwrites the headless one: hence --no-deps.
$(VENV)/core.stamp: pyproject.toml requirements.lock
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "OHR needs Python 3.11 or newer")'
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --requirement requirements.lock
	$(BIN)/python -m pip install --quiet --no-deps $(AUGRAPHY)
	$(BIN)/python -m pip install --quiet --no-deps --editable .
	touch $@

$(VENV)/dev.stamp: $(VENV)/core.stamp requirements-dev.lock
	$(BIN)/python -m pip install --quiet --requirement requirements-dev.lock
	touch $@

# In a fresh environment, so that nothing gets in that the project does not ask for.
lock:
	rm -rf build/lock && $(PYTHON) -m venv build/lock
	build/lock/bin/python -m pip install --quiet '.[augraphy]'
	build/lock/bin/python -m pip freeze --exclude ohr > requirements.lock
	build/lock/bin/python -m pip install --quiet '.[augraphy,dev]'
	build/lock/bin/python -m pip freeze --exclude ohr > requirements-dev.lock
	rm -rf build/lock

clean:
	rm -rf $(VENV) build .mypy_cache .ruff_cache .pytest_cache .import_linter_cache
