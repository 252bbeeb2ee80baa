"""The machine that measures: its facts, its fitness, who runs on which core, and one lock."""
