"""Muniment: evidence-grade memory for AI agents. Importing this package loads nothing else."""

__version__ = "0.1.0"
