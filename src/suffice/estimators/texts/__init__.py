"""Classifiers and models of raw text."""
