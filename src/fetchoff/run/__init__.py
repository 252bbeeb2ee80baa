"""Processes, clocks, placement, origins, and the runner that turns a plan into observations."""
