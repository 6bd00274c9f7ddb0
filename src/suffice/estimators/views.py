"""What is fitted on rows, on top of counts: it stays in force while these change, is stale then, and can be renewed."""

from __future__ import annotations

from collections.abc import Iterator
from numbers import Real
from typing import Any, Self

import numpy as np
from scipy.optimize import minimize_scalar
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from suffice.errors import InputError
from suffice.estimators.algebra import all_or_nothing
from suffice.models.removal import group_codes
from suffice.models.sample import some_rows
from suffice.models.temper import Temper, Tempered, choose_temper, log_loss
from suffice.typing import Array

__all__ = ["SCORES", "TEMPER", "Views", "is_loo"]

TEMPER: list[Any] = [Interval(Real, 0, None, closed="neither"), tuple, StrOptions({"loo"}), None]

ROWS, FEW_ROWS, SCORES = 20_000, 2000, 2**24
"""Rows that something is chosen by, at most; with little effort; and their scores."""

STEPS = {"xatol": 0.05}
"""How closely ln alpha is looked for."""

POINTS = 7
"""Where it is looked for first."""


class Views:
    """Temper, and all else that rows are needed for."""

    temper: Any
    _chosen: dict[str, Any]  # by rows: the temper, a pseudo-count, weights, a prior
    _stale: bool

    @property
    def temper_(self) -> Temper:
        """The power that likelihoods are raised to, and the exponent of length that it is divided by."""
        check_is_fitted(self)
        given = self.temper
        if given is None or is_loo(given):
            chosen: Temper = self._chosen.get("temper", Temper()) if given else Temper()
            return chosen
        pair = given if isinstance(given, tuple) else (given, 0.0)
        if len(pair) != 2 or not all(isinstance(x, Real) and np.isfinite(float(x)) for x in pair) or pair[0] <= 0:
            raise InputError(f"The 'temper' parameter must be a power, or a power and an exponent; got {given!r}.")
        return Temper(float(pair[0]), float(pair[1]))

    @property
    def stale_(self) -> bool:
        """Whether what was fitted on rows is older than the counts; `refresh` makes it new."""
        check_is_fitted(self)
        return bool(self._chosen) and self._stale

    def refresh(self, X: Any, y: Any, sample_weight: Any = None, *, groups: Any = None) -> Self:
        """Fit anew what is fitted on rows: afterwards the model is that of a fresh fit.

        Parameters
        ----------
        X : as for fit
            All rows that the model has learned.
        y : array-like of shape (n_rows,)
            Their labels.
        sample_weight : array-like of shape (n_rows,), default=None
            Their weights.
        groups : array-like of shape (n_rows,), default=None
            Rows that belong together; each is judged without its whole group.

        Returns
        -------
        self : object
            The classifier.
        """
        check_is_fitted(self)
        owner: Any = self
        with all_or_nothing(self):
            X, y = owner._rows_and_labels(X, y)
            self._choose_models(X, y, sample_weight)
            self._fit_views(X, y, sample_weight, groups)
        return self

    def _choose_models(self, X: Any, y: Any, sample_weight: Any) -> None:
        """Choose anew what is modelled how, where that was chosen."""

    def _fit_views(self, X: Any, y: Any, sample_weight: Any, groups: Any = None) -> None:
        """Choose what is to be chosen by leaving rows out."""
        owner: Any = self
        self._drop_views()
        _ = self.temper_  # refused at once if it is no power
        alpha, weights = is_loo(getattr(self, "alpha", None)), is_loo(getattr(self, "weights", None))
        several = len(owner.classes_) > 1 and hasattr(owner, "_fit_weights") and len(y) >= owner._weighed
        weights = weights and several and getattr(self, "effort", None) != "fast"
        prior = owner._asks_for_a_prior()
        wanted = alpha or weights or prior or is_loo(self.temper)
        if not wanted or isinstance(X, Iterator) or not owner._can_leave_out():
            return
        X, y, sample_weight, groups = _some(owner, X, y, sample_weight, groups)
        rows = (owner._prepared(X), y, sample_weight, groups)
        if alpha and self._judged(*rows)[3].any():
            self._take_alpha(self._best_alpha(rows))
        if prior:
            owner._choose_prior(*rows)
        if is_loo(self.temper):
            self._chosen = {**self._chosen, "temper": choose_temper(*self._judged(*rows))}
        if weights:
            self._chosen = {**self._chosen, "weights": owner._fit_weights(*rows)}
            owner._set_statistics(owner.classes_, owner._get_statistics())

    def drop_views(self) -> Self:
        """Drop what was fitted on rows (temper, weights, a chosen pseudo-count), so that counts alone are left.

        Returns
        -------
        self : object
            The classifier, with the defaults of what was chosen; `refresh` chooses anew.

        Examples
        --------
        >>> import suffice as sf
        >>> model = sf.TextClassifier().fit(["cheap pills", "lunch at noon", "cheap watches"], ["spam", "ham", "spam"])
        >>> model.drop_views().temper_
        Temper(power=1.0, length=0.0)
        """
        check_is_fitted(self)
        with all_or_nothing(self):
            self._drop_views()
            self._drop_traces()
        return self

    def _drop_traces(self) -> None:
        """Without what statistics keep of rows that are gone, for the sake of rounding."""
        owner: Any = self
        if hasattr(self, "classes_") and owner._can_leave_out():  # something is left, that adds and subtracts
            left = {name: t.without_trace() for name, t in owner._get_statistics().items()}
            owner._set_statistics(owner.classes_, left)

    def _cut_views(self) -> None:
        """Leave nothing in what was chosen that the counts no longer hold: no class, no word, no column."""
        owner: Any = self
        weights = self._chosen.get("weights")
        if weights is not None:
            self._chosen = {**self._chosen, "weights": weights.cut(owner.classes_, owner._held_names())}

    def _held_names(self) -> Any:
        """What the counts know by name, for weights that go by name."""
        return None

    def _drop_views(self) -> None:
        """As if nothing had been chosen by rows."""
        owner: Any = self
        before, self._chosen, self._stale = self._chosen, {}, False
        if before:
            owner._set_statistics(owner.classes_, owner._get_statistics())

    def _best_alpha(self, rows: Any) -> float:
        """The pseudo-count of least loss. The loss can have several valleys: the lowest of a few points is searched."""

        def loss(log_alpha: float) -> float:
            return self._loss(rows, float(np.exp(log_alpha)))

        grid = np.geomspace(*self._alphas(), POINTS)
        losses = [self._loss(rows, float(alpha)) for alpha in grid]
        best = int(np.argmin(losses))
        valley = np.log(grid[[max(best - 1, 0), min(best + 1, POINTS - 1)]])
        found = minimize_scalar(loss, bounds=tuple(valley), options=STEPS)
        return float(np.exp(found.x)) if found.fun < losses[best] else float(grid[best])

    def _alphas(self) -> tuple[float, float]:
        """The least and the largest pseudo-count to try."""
        least = 1.0 if getattr(self, "estimate", "mean") == "map" else 1e-5
        return least, 10.0

    def _take_alpha(self, alpha: float) -> None:
        owner: Any = self
        self._chosen = {"alpha": alpha}
        owner._set_statistics(owner.classes_, owner._get_statistics())

    def _loss(self, rows: Any, alpha: float) -> float:
        """Leave-one-out log loss with this pseudo-count, and the temper that suits it."""
        self._take_alpha(alpha)
        scores, prior, codes, weights, lengths = self._judged(*rows)
        temper = choose_temper(scores, prior, codes, weights, lengths) if is_loo(self.temper) else self.temper_
        return log_loss(scores, prior, codes, weights, temper.of(lengths))

    def _judged(self, X: Any, y: Any, sample_weight: Any, groups: Any) -> tuple[Any, Any, Any, Any, Any]:
        """Scores and log prior of rows left out, codes, weights (none for a row alone in its class), and lengths."""
        owner: Any = self
        scores, prior, codes, weights, gone = owner._left_out(X, y, sample_weight, groups)
        alone = gone[np.arange(len(codes)), codes] >= owner._class_rows()[codes]
        return scores, prior, codes, np.where(alone, 0.0, weights), owner._lengths(X)

    @property
    def _weights(self) -> Any:
        """Evidence weights in force, or None."""
        return self._chosen.get("weights") if is_loo(getattr(self, "weights", None)) else None

    def _class_terms(self) -> Any:
        """What evidence weights add to the log prior of each class."""
        owner: Any = self
        return 0.0 if self._weights is None else self._weights.terms(owner.classes_)

    def _asks_for_a_prior(self) -> bool:
        """Whether rows are to choose a prior."""
        return False

    def _prepared(self, X: Any) -> Any:
        """Rows as they can be left out again and again."""
        return X

    def _can_leave_out(self) -> bool:
        return True

    def _tempered(self, scorer: Any) -> Any:
        """A scorer, with its scores raised to their powers."""
        owner: Any = self
        temper = self.temper_
        if temper == Temper():
            return scorer
        return (
            scorer.tempered(temper) if hasattr(scorer, "tempered") else Tempered(scorer, temper, owner._lengths_of_rows)
        )

    def _lengths(self, X: Any) -> Array | None:
        """Words of each row, where rows are documents."""
        return None

    _lengths_of_rows: Any = None
    _weighed = 0
    """The fewest rows that evidence weights are fitted on."""


def is_loo(value: Any) -> bool:
    """Whether a parameter is to be chosen by leaving rows out."""
    return isinstance(value, str) and value == "loo"


def _some(model: Any, X: Any, y: Any, weights: Any, groups: Any) -> tuple[Any, Any, Any, Any]:
    """All rows, or so many of them as are enough."""
    rows = {"fast": FEW_ROWS, "best": len(y)}.get(getattr(model, "effort", ""), ROWS)
    labels, most = np.asarray(y), min(rows, SCORES // len(model.classes_))
    if len(labels) <= most:
        return X, labels, weights, groups
    which = some_rows(len(labels), most, None if groups is None else group_codes(groups, len(labels)))
    few = [None if part is None else np.asarray(part)[which] for part in (labels, weights, groups)]
    return model._take_rows(X, which), few[0], few[1], few[2]
