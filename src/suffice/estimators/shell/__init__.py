"""The shell of all estimators: a reader, a model and views, without mathematics."""
