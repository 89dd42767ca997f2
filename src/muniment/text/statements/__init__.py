"""What texts state, by rule: one grammar, and two judgements on top of it (see docs/decisions/reading-statements.md)."""
