"""What every estimator stands on: one shell that has a reader, a model and views, and no mathematics."""
