"""Models compared: by evidence, and by rows they know nothing of."""
