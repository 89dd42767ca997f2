"""Replaceable models behind protocols. None of them is in the way of a write."""
