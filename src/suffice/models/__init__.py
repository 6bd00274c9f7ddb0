"""Model rows by class counts and blocks, and decide by Bayes' rule. A block is a likelihood and its statistic."""

from suffice.models.model import Block, Model
from suffice.models.predictor import ImpossibleSampleWarning, Predictor

__all__ = ["Block", "ImpossibleSampleWarning", "Model", "Predictor"]
