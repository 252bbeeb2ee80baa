"""Read the TOML files of the catalogue and of adapters into the model."""
