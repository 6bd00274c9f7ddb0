"""How sure a classifier is of its probabilities."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from numbers import Integral
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from suffice.errors import InputError
from suffice.models.intervals import ClassBelief, Intervals
from suffice.models.uncertainty import Belief
from suffice.posterior import Dirichlet
from suffice.posterior.base import generator, tails
from suffice.typing import Array

__all__ = ["Uncertain"]


class Uncertain:
    """Intervals of predicted probabilities, from what is not known of the parameters."""

    _ask: Callable[..., Any]
    _view: Callable[..., Any]

    def predict_interval(
        self, X: Any, level: float = 0.9, method: str = "delta", n_samples: int = 1000, random_state: Any = None
    ) -> tuple[Array, Array]:
        """Bounds of each class probability, which hold it with probability `level`.

        What is uncertain are the parameters, as few or many rows leave them; the bounds hold the probability that the
        true parameters would give, if the model is right. A class prior that is learned is believed uniform before
        (Dirichlet of ones); one that is given is certain. So is the prior, and the temper, if there is one.

        Parameters
        ----------
        X : as for predict
            Rows to classify.
        level : float, default=0.9
            Probability that the bounds hold, the same outside on each side.
        method : {"delta", "sample"}, default="delta"
            Means and variances of log-odds, in closed form and in one pass; or draws of all parameters.
        n_samples : int, default=1000
            How many draws.
        random_state : int, Generator or None, default=None
            Seed of the draws.

        Returns
        -------
        lower, upper : ndarrays of shape (n_samples, n_classes)
            Columns in the order of ``classes_``.
        """
        check_is_fitted(self)
        tails(level)
        count: Any = n_samples
        if method not in ("delta", "sample"):
            raise InputError(f"The argument 'method' must be 'delta' or 'sample'; got {method!r}.")
        if not isinstance(count, Integral) or count < 2:
            raise InputError(f"The argument 'n_samples' must be a whole number of at least 2; got {n_samples!r}.")
        belief = self._view("belief", self._belief)
        rng = None if method == "delta" else generator(random_state)
        both = self._ask(Intervals(belief, self._class_belief(), level, rng, 1 if rng is None else int(count)), X)
        return both[:, 0], both[:, 1]

    def _class_belief(self) -> ClassBelief:
        owner: Any = self
        prior = getattr(self, "class_prior", getattr(self, "priors", None))
        rows = self._class_rows()
        terms = np.zeros(len(rows)) + owner._class_terms()
        if isinstance(prior, Dirichlet):
            return ClassBelief(prior.alpha + rows, terms)
        if prior is None and getattr(self, "fit_prior", True):
            return ClassBelief(1.0 + rows, terms)
        return ClassBelief(None, self._log_prior_of(rows))

    @abstractmethod
    def _belief(self) -> Belief:
        """What is believed of scores."""

    @abstractmethod
    def _class_rows(self) -> Array:
        """Rows of each class."""

    @abstractmethod
    def _log_prior_of(self, counts: Array) -> Array:
        """ln p(c) if these were the rows of each class."""
