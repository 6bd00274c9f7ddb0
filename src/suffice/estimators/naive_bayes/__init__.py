"""Naive Bayes for rows of a matrix: one public class a file, drop-ins for scikit-learn's and more."""
