# Two commands from a clean clone: `make demo` shows what the library does, `make test` checks all of it.
# Each makes its own .venv; nothing else on the machine is touched.

PYTHON ?= $(shell command -v python3.11 || command -v python3)
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt
BUILT_FROM := $(wildcard native/*) CMakeLists.txt pyproject.toml src/suffice/__init__.py

.PHONY: help demo families test docs bench lint types imports unit format wheel constraints clean

help:
	@echo "make demo    train a text classifier on the docstrings installed here, test it, ask it questions"
	@echo "make demo ASK=\"How do I ...?\"    ask it yours"
	@echo "make families    a walk through the conjugate families on the examples that made them famous"
	@echo "make test    check everything: style, types, imports, tests, documentation examples"
	@echo "make docs    run the gallery and build the site into build/site; open build/site/index.html"
	@echo "make bench   beside its peers, as ratios; rewrites docs/benchmarks.md and the results on other pages (half an hour)"
	@echo "make lint | types | imports | unit    one part of it"
	@echo "make format  let ruff arrange the code"
	@echo "make wheel   build a wheel into dist/"
	@echo "make clean   remove .venv and everything built"

demo: $(VENV)/.installed
	@$(BIN)/python examples/route.py "$$ASK"

families: $(VENV)/.installed
	@$(BIN)/python examples/families.py

test: lint types imports unit
	@echo "==> all checks passed"

docs: $(VENV)/.documented
	@$(BIN)/python tools/pages.py
	@echo "==> build/site/index.html; to search it, serve it: python3 -m http.server --directory build/site"

bench: $(VENV)/.benched
	@$(BIN)/python benchmarks/naive_bayes.py
	@$(BIN)/python benchmarks/text.py
	@$(BIN)/python benchmarks/table_speed.py
	@$(BIN)/python benchmarks/real_tables.py
	@$(BIN)/python benchmarks/honest.py
	@$(BIN)/python benchmarks/weights.py
	@$(BIN)/python benchmarks/defaults.py
	@$(BIN)/python benchmarks/leave_out.py
	@$(BIN)/python benchmarks/unlabelled.py
	@$(BIN)/python benchmarks/files.py
	@$(BIN)/python benchmarks/concept_speed.py
	@$(BIN)/python benchmarks/spark.py
	@$(BIN)/python benchmarks/dask_peers.py
	@$(BIN)/python benchmarks/em_passes.py
	@$(BIN)/python benchmarks/reduction_tree.py

lint: $(VENV)/.checked
	@echo "==> style (ruff)"
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .

types: $(VENV)/.checked
	@echo "==> types (mypy, strict)"
	@$(BIN)/mypy

imports: $(VENV)/.checked
	@echo "==> who may import whom (import-linter)"
	@$(BIN)/lint-imports

unit: $(VENV)/.checked
	@echo "==> tests, laws and documentation examples (pytest)"
	@$(BIN)/python -m pytest -n 2 --dist loadgroup

format: $(VENV)/.checked
	@$(BIN)/ruff check --fix .
	@$(BIN)/ruff format .

wheel: $(VENV)/.checked
	@$(BIN)/python -m pip wheel --quiet --no-deps --no-build-isolation --wheel-dir dist .
	@ls dist/*.whl

# Write down what is installed now as what CI installs from here on.
constraints: $(VENV)/.checked
	@$(BIN)/python -m pip freeze --all --exclude suffice --exclude pip --exclude setuptools > constraints.txt

clean:
	rm -rf $(VENV) build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Suffice needs Python 3.11 or newer: make PYTHON=/path/to/python3.11 ..."; exit 1; }
	@echo "==> creating $(VENV) with $$($(PYTHON) --version)"
	@$(PYTHON) -m venv $(VENV)

$(VENV)/.installed: $(BIN)/python $(BUILT_FROM) constraints.txt
	@echo "==> installing what the build needs"
	@$(PIP) scikit-build-core nanobind cmake ninja
	@echo "==> compiling and installing suffice (a minute or two the first time)"
	@$(PIP) --no-build-isolation --editable '.[report]'
	@touch $@

$(VENV)/.checked: $(VENV)/.installed
	@echo "==> installing what the checks need"
	@$(PIP) --no-build-isolation --editable ".[dev,docs]"
	@touch $@

$(VENV)/.documented: $(VENV)/.installed
	@echo "==> installing what the site needs"
	@$(PIP) --no-build-isolation --editable ".[docs]"
	@touch $@

$(VENV)/.benched: $(VENV)/.installed
	@echo "==> installing the peers to compare with"
	@$(PIP) --no-build-isolation --editable ".[bench]"
	@touch $@
