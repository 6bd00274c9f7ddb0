# Two commands from a clean clone: `make demo` shows what the library does, `make test` checks all of it.
# Each makes its own .venv; nothing else on the machine is touched.
# Another Python: `make test PYTHON=python3.13`, which has an environment of its own, .venv-3.13.

ifeq ($(origin PYTHON),command line)
VENV := .venv-$(shell $(PYTHON) -c 'import sys; print("%d.%d%s" % (*sys.version_info[:2], sys.abiflags))' 2>/dev/null)
else
PYTHON :=
VENV := .venv
endif
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check install --quiet
CONSTRAINTS := constraints.txt
# What others bring is installed in the ordinary way: each package that comes as source has a build environment of its own.
REQUIRE := $(PIP) --constraint $(CONSTRAINTS) --requirement /dev/stdin
BUILT_FROM := $(wildcard native/*) CMakeLists.txt pyproject.toml src/suffice/__init__.py

# Nothing that a shell happens to hold changes what is installed or built. CC and CXX choose a compiler.
unexport PYTHONPATH PYTHONHOME PYTHONSTARTUP PYTHONDONTWRITEBYTECODE VIRTUAL_ENV CMAKE_ARGS CMAKE_GENERATOR CMAKE_PREFIX_PATH CFLAGS CXXFLAGS LDFLAGS
unexport PIP_USER PIP_TARGET PIP_PREFIX PIP_ROOT PIP_NO_DEPS PIP_NO_BUILD_ISOLATION PIP_CONSTRAINT PIP_REQUIREMENT PIP_NO_BINARY

.PHONY: help demo families test test-thorough test-oldest coverage mutation newcomer docs reference bench lint types imports unit format wheels constraints clean

help:
	@echo "make demo    train a text classifier on the docstrings installed here, test it, ask it questions"
	@echo "make demo ASK=\"How do I ...?\"    ask it yours"
	@echo "make families    a walk through the conjugate families on the examples that made them famous"
	@echo "make test    check everything: style, types, imports, tests, documentation examples"
	@echo "make test-thorough    the same tests with more examples for every law, and the laws over every classifier"
	@echo "make test-oldest    the tests with the oldest versions that pyproject.toml declares, in .venv-oldest"
	@echo "make newcomer    clone HEAD, run make demo and make test with an empty HOME and no package cache"
	@echo "make coverage    which lines and branches the tests reach, in Python and C++; rewrites the tables of docs/quality.md"
	@echo "make mutation    change the source at one place after the other and see whether a test notices (an hour and more)"
	@echo "make docs    run the gallery and build the site into build/site; open build/site/index.html"
	@echo "make reference    write docs/reference from the docstrings"
	@echo "make bench   beside its peers, as ratios; rewrites docs/benchmarks.md and the results on other pages (an hour and more)"
	@echo "make wheels    an sdist and wheels into dist/, each installed and tried without a compiler; PYTHONS=\"path path\" names the Pythons"
	@echo "make lint | types | imports | unit    one part of make test"
	@echo "make format  let ruff arrange the code"
	@echo "make clean   remove .venv and everything built"
	@echo "make test PYTHON=python3.13    with another Python, in an environment of its own"

demo: $(VENV)/.installed
	@$(BIN)/python examples/route.py "$$ASK"

families: $(VENV)/.installed
	@$(BIN)/python examples/families.py

test: lint types imports unit
	@echo "==> all checks passed"

docs: $(VENV)/.documented
	@$(BIN)/python tools/pages.py
	@echo "==> build/site/index.html; to search it, serve it: python3 -m http.server --directory build/site"

reference: $(VENV)/.checked
	@$(BIN)/python tools/reference.py

bench: $(VENV)/.benched
	@$(BIN)/python benchmarks/naive_bayes.py
	@$(BIN)/python benchmarks/text.py
	@$(BIN)/python benchmarks/table_speed.py
	@$(BIN)/python benchmarks/waits.py
	@$(BIN)/python benchmarks/first_second.py --write
	@$(BIN)/python benchmarks/scaling.py
	@$(BIN)/python benchmarks/real_tables.py
	@$(BIN)/python benchmarks/honest.py
	@$(BIN)/python benchmarks/chosen.py
	@$(BIN)/python benchmarks/defaults.py
	@$(BIN)/python benchmarks/leave_out.py
	@$(BIN)/python benchmarks/unlabelled.py
	@$(BIN)/python benchmarks/files.py
	@$(BIN)/python benchmarks/concept_speed.py
	@$(BIN)/python benchmarks/spark.py
	@$(BIN)/python benchmarks/dask_peers.py
	@$(BIN)/python benchmarks/em_passes.py
	@$(BIN)/python benchmarks/reduction_tree.py

lint: $(VENV)/.linted
	@echo "==> style (ruff)"
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@echo "==> workflows (check-jsonschema)"
	@$(BIN)/check-jsonschema --builtin-schema vendor.github-workflows .github/workflows/*.yml

types: $(VENV)/.linted
	@echo "==> types (mypy, strict)"
	@$(BIN)/mypy --num-workers 2

imports: $(VENV)/.linted
	@echo "==> who may import whom (import-linter)"
	@$(BIN)/lint-imports

unit: $(VENV)/.checked
	@echo "==> tests, laws and documentation examples (pytest)"
	@OPENBLAS_NUM_THREADS=1 $(BIN)/python -m pytest -n 2 $(TESTED)

test-thorough: $(VENV)/.checked
	@echo "==> tests with more examples, laws over every classifier (pytest)"
	@OPENBLAS_NUM_THREADS=1 $(BIN)/python -m pytest -n 2 --thorough

# That an old package makes use of what is deprecated in newer ones is no fault of ours.
test-oldest:
	@begin=$$(date +%s); \
	$(MAKE) --no-print-directory VENV=.venv-oldest PYTHON=python3.11 CONSTRAINTS=.venv-oldest/constraints.txt \
		BUILD_DIR=build/oldest TESTED="-W ignore::DeprecationWarning" unit && \
	echo "==> passed with the oldest versions in $$((($$(date +%s) - begin) / 60)) min, installing included"

coverage: $(VENV)/.checked
	@tools/coverage.sh $(VENV)

mutation: $(VENV)/.checked
	@$(BIN)/python tools/mutation.py $(MUTATE)

newcomer:
	@tools/newcomer.sh $(if $(PYTHON),PYTHON=$(PYTHON))

format: $(VENV)/.linted
	@$(BIN)/ruff check --fix .
	@$(BIN)/ruff format .

# RELEASE=1: for every machine that cibuildwheel can build for here, as pyproject.toml says.
wheels:
	@python=$$(tools/find_python.sh $(PYTHON)) || exit 1; \
	$$python tools/wheels.py $(if $(RELEASE),--release,$(PYTHONS))

# Write down what is installed now as what CI installs from here on.
constraints: $(VENV)/.linted
	@$(BIN)/python -m pip freeze --all --exclude suffice --exclude pip --exclude setuptools > constraints.txt

clean:
	rm -rf .venv .venv-* build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache

$(BIN)/python:
	@python=$$(tools/find_python.sh $(PYTHON)) || exit 1; \
	echo "==> creating $(VENV) with $$($$python --version), $$($$python -c 'import sys; print(sys.executable)')"; \
	$$python -m venv $(VENV)

.venv-oldest/constraints.txt: $(BIN)/python pyproject.toml constraints.txt tools/requirements.py
	@$(BIN)/python tools/requirements.py oldest > $@

$(VENV)/.installed: $(BIN)/python $(BUILT_FROM) $(CONSTRAINTS)
	@echo "==> installing what the build and the library need"
	@$(BIN)/python tools/requirements.py build | $(REQUIRE)
	@$(BIN)/python tools/requirements.py report | $(REQUIRE)
	@echo "==> compiling and installing suffice (a minute or two the first time)"
	@$(PIP) --no-deps --no-build-isolation $(if $(BUILD_DIR),--config-settings=build-dir=$(BUILD_DIR)) --editable .
	@touch $@

$(VENV)/.checked: $(VENV)/.installed
	@echo "==> installing what the tests need"
	@$(BIN)/python tools/requirements.py dev docs | $(REQUIRE)
	@touch $@

$(VENV)/.linted: $(VENV)/.checked
	@echo "==> installing what the linters need"
	@$(BIN)/python tools/requirements.py group lint | $(REQUIRE)
	@touch $@

$(VENV)/.documented: $(VENV)/.installed
	@echo "==> installing what the site needs"
	@$(BIN)/python tools/requirements.py docs | $(REQUIRE)
	@touch $@

$(VENV)/.benched: $(VENV)/.installed
	@echo "==> installing the peers to compare with"
	@$(BIN)/python tools/requirements.py bench | $(REQUIRE)
	@touch $@
