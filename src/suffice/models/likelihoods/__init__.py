"""Model how the rows of a class are distributed: one family per file, for matrices, texts and columns of tables."""
