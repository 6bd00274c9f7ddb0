"""Classifiers and language models of raw text."""
