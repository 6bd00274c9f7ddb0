"""The command line, `suffice`."""
