"""Plot models, beliefs and evaluations with Altair, which is imported when the first picture is made.

A notebook shows them as SVG, without a network; ``altair.renderers.enable("html")`` adds tooltips, and loads scripts
from a CDN.
"""

from suffice.plots.belief_charts import belief, filmstrip, pareto, predictive
from suffice.plots.concepts import generalisation, hypotheses, membership, number_game
from suffice.plots.dirichlet_charts import draws, simplex
from suffice.plots.evaluations import boundaries, check, objective, reliability
from suffice.plots.features import burstiness, information, waterfall, words
from suffice.plots.lift_map import joint

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
