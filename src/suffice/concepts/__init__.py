"""Learn a concept from examples of it: which of many sets was meant.

This package imports only numpy until more is needed, so that the table of bits takes most of the memory.
"""

from suffice.concepts.learner import Beliefs, ConceptLearner
from suffice.concepts.number_game import NumberGame, is_prime, usual_rules
from suffice.concepts.rectangles import Rectangles

__all__ = ["Beliefs", "ConceptLearner", "NumberGame", "Rectangles", "is_prime", "usual_rules"]
