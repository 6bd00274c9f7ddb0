"""Learning a concept from examples of it: which of many sets was meant.

Of other libraries it imports numpy alone, until more is needed, so that the table of bits is most of its memory.
"""

from suffice.concepts.hypothesis_table import Beliefs
from suffice.concepts.learner import ConceptLearner
from suffice.concepts.number_game import NumberGame, is_prime, usual_rules
from suffice.concepts.rectangles import Rectangles

__all__ = ["Beliefs", "ConceptLearner", "NumberGame", "Rectangles", "is_prime", "usual_rules"]
