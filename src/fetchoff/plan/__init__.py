"""Experiment to plan: which batches, in which order. A pure function of the seed."""
