"""What Fetchoff can be asked for: types in, types out, and nothing is printed.

The command line is one of its callers; benches and tools are others.
"""
