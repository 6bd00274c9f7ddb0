"""Learning without labels: clusters, and rows of which only some have a label."""
