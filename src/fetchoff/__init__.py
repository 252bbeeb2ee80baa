"""Fetchoff measures HTTP clients, head to head, in any language."""

__version__ = "0.1.0"
