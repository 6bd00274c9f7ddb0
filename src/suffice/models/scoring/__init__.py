"""Provide the building blocks of likelihoods: tables of classes × features, rows, linear scores and rows held out."""
