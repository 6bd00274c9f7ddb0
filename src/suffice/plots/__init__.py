"""Plot models, beliefs and evaluations with Altair, which is imported when the first picture is made.

A notebook shows them as SVG, without a network; ``altair.renderers.enable("html")`` adds tooltips, and loads scripts
from a CDN.
"""

from suffice.plots.belief import belief
from suffice.plots.boundaries import boundaries
from suffice.plots.burstiness import burstiness
from suffice.plots.concept import hypotheses, membership, number_game
from suffice.plots.filmstrip import filmstrip
from suffice.plots.generalisation import generalisation
from suffice.plots.information import information
from suffice.plots.lift_map import joint
from suffice.plots.next_count import predictive
from suffice.plots.objective import objective
from suffice.plots.pareto import pareto
from suffice.plots.predictive_check import check
from suffice.plots.probable_words import words
from suffice.plots.reliability import reliability
from suffice.plots.simplex import draws, simplex
from suffice.plots.waterfall import waterfall

__all__ = [
    "belief",
    "boundaries",
    "burstiness",
    "check",
    "draws",
    "filmstrip",
    "generalisation",
    "hypotheses",
    "information",
    "joint",
    "membership",
    "number_game",
    "objective",
    "pareto",
    "predictive",
    "reliability",
    "simplex",
    "waterfall",
    "words",
]
