"""Answer questions about the features of a block, from its posterior and its plug-in estimate.

Each answer is written once, for families by the type of their posterior. Where a likelihood has a method of the same
name (`intervals` and `table` for those of parameters), its answer truly differs.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from suffice.errors import ImproperPrior, KindError, PriorError
from suffice.models.likelihoods.base import Likelihood, changed_where_known, refusal
from suffice.models.likelihoods.draws import Draw, rows_by_feature, width_of
from suffice.models.likelihoods.multinomial import Multinomial
from suffice.models.likelihoods.pictures import ClassDistributions, FeatureBelief, curves_of_counts, dots
from suffice.models.likelihoods.shared import WordShares, by_class, shares, top_words
from suffice.models.likelihoods.totals import Totals
from suffice.models.scoring.beliefs import NO_INTERVAL, squeezed
from suffice.models.scoring.cells import Cells
from suffice.models.scoring.information import of_cells
from suffice.models.scoring.results import TopFeature
from suffice.posterior import Beta, Dirichlet, Gamma, NormalInverseGamma
from suffice.posterior.base import Conjugate
from suffice.posterior.beta import BetaBelief
from suffice.posterior.gamma import GammaBelief
from suffice.stats import Bursts, DiagonalMoments, FullMoments, RateCounts, TokenCounts
from suffice.stats.counts import WaitingTimes
from suffice.stats.word_counts import WordCounts
from suffice.typing import Array


def posterior_of(law: Likelihood, t: Any, feature: int) -> Conjugate[Any]:
    """Return the posterior of one feature's parameters in each class; that of a word is about its probability."""
    words = isinstance(law, Multinomial)
    if words and width_of(t) == 1:
        raise PriorError("The only word in the vocabulary has no posterior: its probability is 1.")
    found: Any = law.posterior(t, np.array([feature]))
    return Beta(found.alpha[:, 0], found.alpha[:, 1]) if words else squeezed(found)


def parameter_intervals(law: Likelihood, t: Any, level: float) -> Any:
    """Return lower and upper credible bounds of each parameter, classes × features; of normals, those of the means."""
    if hasattr(law, "intervals"):
        return law.intervals(t, level)
    if law.lacks("evidence"):
        raise refusal(law, "intervals")
    try:
        belief = law.posterior(t)
    except PriorError as error:
        raise error if isinstance(error, ImproperPrior) else ImproperPrior(NO_INTERVAL) from None
    if isinstance(belief, Dirichlet):
        found = shares(belief.alpha, level)
        return found["low"], found["high"]
    return belief.interval(level)


def parameter_table(law: Likelihood, t: Any, classes: NDArray[Any], level: float) -> dict[str, Any]:
    """Return posterior means and intervals of each class, as columns of a table."""
    if hasattr(law, "table"):
        return law.table(t, classes, level)  # type: ignore[no-any-return]
    if law.silent:
        return {"class": classes, "n": np.zeros(len(classes))}
    belief = law.posterior(t)
    if isinstance(belief, BetaBelief | GammaBelief):
        name, (low, high) = "rate" if isinstance(belief, GammaBelief) else "probability", belief.interval(level)
        n = np.broadcast_to(t.n, np.shape(belief.mean))
        return by_class(classes, n=n, **{name: belief.mean}, low=low, high=high)
    if isinstance(belief, NormalInverseGamma):
        ends, spread = belief.interval(level), np.sqrt(np.asarray(belief.mean.variance))
        low, high = np.sqrt(np.asarray(ends.variance))
        means = {"n": t.n, "mean": belief.m, "low": ends.mean[0], "high": ends.mean[1]}
        return by_class(classes, **means, sd=spread, sd_low=low, sd_high=high)
    raise KindError(f"There is no table of {law.word}.")


def prior_in_words(law: Likelihood, t: Any) -> str:
    """Return the prior in words; empty if there is none."""
    return str(law.prior_in_words(t)) if hasattr(law, "prior_in_words") else ""


def distributions(law: Likelihood, t: Any, level: float) -> list[ClassDistributions]:
    """Return the distribution of each column in each class, for plots; empty if there is nothing to plot."""
    if hasattr(law, "distributions"):
        return law.distributions(t, level)  # type: ignore[no-any-return]
    family = getattr(law, "family", None)
    if family is Gamma:
        belief: Any = law.posterior(t)
        low, high = belief.interval(level)
        return [curves_of_counts(r, (a, b)) for r, a, b in zip(belief.mean.T, low.T, high.T, strict=True)]
    if family is Beta:
        both = parameter_table(law, t, np.arange(len(t.ones)), level)
        on, low, high = (both[name] for name in ("probability", "low", "high"))
        pairs = {"probability": (on, 1 - on), "low": (low, 1 - high), "high": (high, 1 - low)}
        return [dots(["True", "False"], {name: np.column_stack(pair) for name, pair in pairs.items()})]
    return []


def believed(law: Likelihood, t: Any) -> FeatureBelief | None:
    """Return beliefs about many features of one kind, such as words; None where each feature is a column.

    Of texts, they are those of the plug-in estimate.
    """
    texts, own = isinstance(t, WordCounts), getattr(law, "word_shares", None)
    if isinstance(law, Totals) and issubclass(law.family, GammaBelief):
        shape, rate = law.after(t.n, t.total)
        what = "count" if law.family is Gamma else "waiting time"
        return FeatureBelief(Cells(np.broadcast_to(shape, t.total.shape)), 0.0, rate, "gamma", what, "rate")
    if own is None or (hasattr(law, "believed") and not texts):
        return law.believed(t) if hasattr(law, "believed") else None
    mean = law if texts or law.lacks("evidence") else changed_where_known(law, estimate="mean")
    words: WordShares = mean.word_shares(t)  # type: ignore[attr-defined]
    return FeatureBelief(words.counts, words.more, words.total, "beta", "word", words.meaning, words.sure)


def top_features(
    law: Likelihood, t: Any, n: Array, code: int, k: int, weights: Array | None = None
) -> list[TopFeature]:
    """Return at most k features that favour a class over the others, which are averaged by their n rows."""
    if hasattr(law, "top_features"):
        return law.top_features(t, n, code, k, weights)  # type: ignore[no-any-return]
    if hasattr(law, "word_shares"):
        return top_words(law.word_shares(t).favouring(n, code), t, k, weights)
    raise KindError(f"There are no top features of {law.word}.")


def information(law: Likelihood, t: Any, prior: Array) -> Array:
    """Return the mutual information of each feature and the class, in nats."""
    if hasattr(law, "information") and not isinstance(t, WordCounts):
        return np.asarray(law.information(t, prior))
    if not hasattr(law, "word_shares"):
        raise KindError(f"{law.word} has no counts to compute the information of features from.")
    words: WordShares = law.word_shares(t)
    return of_cells(words.counts, words.more, words.total, words.base, prior)


def log_prior_density(law: Likelihood, t: Any) -> float:
    """Return ln p(θ) of the plug-in parameters; 0 if there are none."""
    return float(law.log_prior_density(t)) if hasattr(law, "log_prior_density") else 0.0


def n_parameters(law: Likelihood, t: Any) -> tuple[int, int]:
    """Return the number of free parameters per class, and of those that all classes share."""
    if hasattr(law, "n_parameters"):
        own, shared = law.n_parameters(t)
        return int(own), int(shared)
    if law.silent or law.correction:
        return 0, 0
    return width_of(t) * (2 if getattr(law, "family", None) is NormalInverseGamma else 1), 0


def log_coefficients(law: Likelihood, t: Any, rows: Any) -> Array:
    """Return the log multinomial coefficient of each row of counts, which neither scores nor evidence include."""
    return np.asarray(law.log_coefficients(t, rows) if hasattr(law, "log_coefficients") else 0.0)


def sample(law: Likelihood, t: Any, draw: Draw) -> Any:
    """Return drawn rows, given plug-in parameters or parameters drawn from the posterior."""
    return law.sample(t, draw) if hasattr(law, "sample") else rows_by_feature(law, t, draw)


def measured(law: Likelihood, t: Any) -> str:
    """Return the kind of quantity that the evidence refers to: models are compared only where the kinds agree."""
    if hasattr(law, "measured"):
        return str(law.measured(t))
    if isinstance(t, WordCounts | Bursts):
        return "probabilities of words" + " that are there or not" * bool(getattr(law, "binary", False))
    kind = "densities of numbers" if isinstance(t, DiagonalMoments | FullMoments | WaitingTimes) else ""
    kind = kind or ("probabilities of counts" if isinstance(t, TokenCounts | RateCounts) else "probabilities of values")
    flat = not getattr(getattr(law, "prior", None), "proper", True)  # evidence under a flat mean: NG-3, NW-4
    return f"{kind} given the first row of each class" if flat else kind
