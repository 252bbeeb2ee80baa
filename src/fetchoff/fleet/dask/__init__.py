"""Hosts as workers of Dask distributed. Nothing else in Fetchoff knows Dask, which is optional."""
