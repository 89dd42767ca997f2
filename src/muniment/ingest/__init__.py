"""How texts come in: nothing accepted is lost, nothing is kept twice."""
