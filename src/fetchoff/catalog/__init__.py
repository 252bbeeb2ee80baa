"""TOML files to model; discovery and setup of adapters."""
