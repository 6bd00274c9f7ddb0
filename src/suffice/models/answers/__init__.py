"""What a model can be asked: explanations, evidence, intervals, decisions, information."""
