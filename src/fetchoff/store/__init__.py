"""Append-only run folders."""
