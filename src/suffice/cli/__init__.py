"""The command line: `suffice fit data.csv`, and so on."""
