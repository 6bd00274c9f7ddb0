"""From what people have to rows that likelihoods read: tables and labels. Knows models, and nothing of scikit-learn."""
