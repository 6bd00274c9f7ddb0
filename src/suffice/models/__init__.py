"""Statistics → scores → decisions: a model is class counts and blocks; a block is a likelihood and its statistic."""

from suffice.models.model import Block, Model
from suffice.models.predictor import ImpossibleSampleWarning, Predictor

__all__ = ["Block", "ImpossibleSampleWarning", "Model", "Predictor"]
