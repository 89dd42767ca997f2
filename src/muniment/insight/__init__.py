"""Read models for people: what there is, and whether it is healthy."""
