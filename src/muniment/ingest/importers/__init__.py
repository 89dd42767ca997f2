"""Histories of clients, read as they wrote them."""
