"""What every likelihood stands on: tables of classes × features, rows, weights, and rows held out."""
