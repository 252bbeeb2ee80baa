"""Adapter processes: started, verified, warmed up, driven and judged."""
