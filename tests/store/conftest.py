"""Every test of the store runs on both stores."""

from tests.stores import address, app, dialect, postgres_databases, store

__all__ = ["address", "app", "dialect", "postgres_databases", "store"]
