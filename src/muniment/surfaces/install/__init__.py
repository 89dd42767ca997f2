"""Putting Muniment into the configuration of the programs that people talk to.

One thing is always true: a file is changed at the places Muniment owns and nowhere else, or it is not changed at all.
"""
