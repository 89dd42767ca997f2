"""The nouns: frozen dataclasses that do no I/O. Nothing here imports another room."""
