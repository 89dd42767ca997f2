"""Claims and the graph they make: what is known around a name, and how one thing led to another."""
