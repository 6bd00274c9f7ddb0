"""Discriminants of real vectors: Bayesian, linear and quadratic."""
