"""A gate as files: for people who review a change, and for other programs."""
