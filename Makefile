# Every target only calls dev.py, which needs nothing but Python.
PYTHON ?= python3

.PHONY: demo test check fix golden pictures bench outside lock clean
demo test check fix golden pictures bench outside lock clean:
	@$(PYTHON) dev.py $@
