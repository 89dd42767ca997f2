"""Histories of clients, read as they wrote them. What a client put into a conversation is never handed over as said."""

from muniment.ingest.importers.reading import CLIENTS, Reading, open_file, resume_at

__all__ = ["CLIENTS", "Reading", "open_file", "resume_at"]
