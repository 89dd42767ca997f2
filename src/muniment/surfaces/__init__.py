"""Faces of one catalogue: MCP, REST, command line. Parse, call one operation, present."""
