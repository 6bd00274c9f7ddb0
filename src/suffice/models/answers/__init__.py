"""Answers of a model: explanations, evidence, intervals, decisions, information."""
