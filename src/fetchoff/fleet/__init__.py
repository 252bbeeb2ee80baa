"""One experiment on many hosts: who measures what, when it ends, and what becomes of lost hosts.

Hosts are workers of Dask distributed, which only `dask` knows. A host measures as `fetchoff run`
does, in a process and a run folder of its own; the driver fetches what it measured, round by round.
"""
