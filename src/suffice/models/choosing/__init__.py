"""Choose views on held-out training rows: every row is scored by classes that have not seen it."""
