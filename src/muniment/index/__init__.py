"""Derived rows: postings, rosters, vectors, hierarchy. All of it can be dropped and rebuilt to the same answers."""
