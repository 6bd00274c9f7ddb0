"""How rows of a class are distributed: one family, one file, for matrices, texts and columns of tables."""
