"""Discriminant analysis of real vectors: Bayesian, linear and quadratic."""
