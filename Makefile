# Two commands do everything:   make report   and   make test.
# Needs Python >= 3.11, git and make; all else is installed into $(VENV).
#
#   make report COLLECT=--quick    arguments for `reportgen collect`
#   make test PYTEST="-k slope"    arguments for pytest
#   PYTHON=/path/to/python3.12     another interpreter for a new environment

PYTHON  ?= python3
VENV    ?= .venv
COLLECT ?=
PYTEST  ?= -n auto --dist loadfile --no-loadscope-reorder
SERVE   ?= --livereload

BIN     := $(VENV)/bin
PIP     := $(BIN)/python -m pip install -qq --disable-pip-version-check -c constraints.txt
# The driver of an NVIDIA GPU makes this file; where it is, compiler and binding are installed too.
GPU     := $(if $(wildcard /dev/nvidiactl),$(VENV)/.gpu)
LACKS   := import sys; sys.exit(sys.version_info < (3, 11))

# Material prints a banner about MkDocs 2 on every build.
export NO_MKDOCS_2_WARNING = 1

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help report collect gpu-check site serve test lint bench calibration constraints clean

help: ## this list
	@grep -hE '^[a-z-]+:.*## ' Makefile | sed -E 's/:[^#]*## /\t/' | expand -t 14

report: collect ## collect a run on this machine into data/, then build the site into site/
	@$(MAKE) --no-print-directory site
	@echo "The report is in site/index.html; 'make serve' shows it and follows new runs."

collect: $(VENV)/.core $(GPU) ## one run on this machine (its GPU, where one can be used), into data/
	@device=$(if $(GPU),$$($(BIN)/python -m reportgen.backends.cuda.check --selector)); \
	case " $(COLLECT)" in *" --device"*|*" --resume"*) device= ;; esac; \
	$(BIN)/reportgen collect $${device:+--device $$device} $(COLLECT)

gpu-check: $(VENV)/.gpu ## ten seconds: does the GPU take the cycles that its machine code says?
	@$(BIN)/python -m reportgen.backends.cuda.check

site: $(VENV)/.core ## build site/ from data/ and docs/
	@$(BIN)/mkdocs build -q --clean -d site

serve: $(VENV)/.core ## live preview; a new or changed run appears within seconds
	@$(BIN)/mkdocs serve $(SERVE)

test: $(VENV)/.dev ## the whole test suite; GPU targets are built for, nothing needs a GPU
	@$(BIN)/python -m pytest -q $(PYTEST)

lint: $(VENV)/.dev ## ruff and mypy --strict
	@$(BIN)/ruff check .
	@$(BIN)/mypy -n auto

bench: $(VENV)/.core ## how long deriving, rendering and collecting take here
	@$(BIN)/python bench/bench.py

calibration: $(VENV)/.dev ## how often findings are right, into docs/method/calibration.md; about six minutes on two cores
	@$(BIN)/python -m calibration

constraints: $(VENV)/.dev ## pin what is installed now
	@{ sed -n '/^#/p' constraints.txt; $(BIN)/python -m pip freeze --exclude-editable; } > constraints.new
	@mv constraints.new constraints.txt

clean: ## remove built things; data/ and $(VENV) stay
	@rm -rf site .cache build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
	@find reportgen tests bench calibration -name __pycache__ -type d -prune -exec rm -rf {} +

# Stamps: the second call finds the environment finished. An environment that is there already is used.
$(BIN)/python:
	@$(PYTHON) -c '$(LACKS)' || { \
	  echo "reportgen needs Python 3.11 or newer, but '$(PYTHON)' is not: try make PYTHON=python3.12 ..." >&2; exit 1; }
	@$(PYTHON) -m venv $(VENV) || { \
	  echo "No environment could be made in $(VENV): on Debian and Ubuntu install python3-venv." >&2; exit 1; }

$(VENV)/.core: pyproject.toml constraints.txt hatch_build.py | $(BIN)/python
	@$(BIN)/python -c '$(LACKS)' || { \
	  echo "$(VENV) holds a Python older than 3.11: remove it, or set VENV to another folder." >&2; exit 1; }
	@echo "Installing reportgen into $(VENV) (once) ..."
	@$(PIP) -e .
	@touch $@

# Nothing needs pycuda: without it the driver is used through ctypes.
$(VENV)/.gpu: $(VENV)/.core
	@echo "Installing the CUDA compiler and pycuda into $(VENV) (once) ..."
	@$(PIP) -e '.[cuda-toolchain]' nvidia-ml-py
	@$(PIP) pycuda >/dev/null 2>&1 || \
	  echo "pycuda could not be built ('reportgen doctor' says why); the driver is used without it."
	@touch $@

$(VENV)/.dev: $(VENV)/.core
	@echo "Installing the test tools into $(VENV) (once) ..."
	@$(PIP) -e '.[dev,cuda-toolchain]'
	@touch $@
