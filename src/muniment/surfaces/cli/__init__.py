"""The command line. Every command is a thin face of one operation."""
