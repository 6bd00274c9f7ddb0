"""Answer questions with a model: explanations, evidence, intervals, decisions and information."""
