"""Learn by EM: mixture models, and classifiers from partly labelled rows."""
