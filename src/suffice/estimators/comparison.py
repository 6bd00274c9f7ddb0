"""Models of the same rows, compared by their evidence (SX-8)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from suffice.errors import InputError, KindError
from suffice.estimators.evident import Evident
from suffice.models.bayes import normalise
from suffice.tables import frame_of
from suffice.typing import Array

__all__ = ["Comparison", "bayes_factor", "compare"]


def bayes_factor(a: Any, b: Any, X: Any = None) -> float:
    """The log Bayes factor of two fitted models: how much more probable the training rows are by `a` than by `b`.

    Parameters
    ----------
    a, b : fitted classifiers
        Of the same rows; that their classes have as many rows is checked.
    X : as for fit, default=None
        The training rows, where models of counts of different kinds are compared: see ``evidence``.

    Returns
    -------
    log_bayes_factor : float
        Above 0 if the rows speak for `a`; e.g. 3 for odds of 20 to 1.

    Examples
    --------
    >>> import suffice as sf
    >>> X, y = [[1, 0], [1, 1], [1, 0], [0, 1], [0, 1], [0, 0]], [0, 0, 0, 1, 1, 1]
    >>> plain, strong = (sf.BernoulliNB(alpha=alpha).fit(X, y) for alpha in (1, 100))
    >>> round(sf.bayes_factor(plain, strong), 3)
    0.556
    """
    _same_rows({"a": a, "b": b})
    return float(a.evidence(X).total - b.evidence(X).total)  # SX-8


@dataclass(frozen=True, repr=False)
class Comparison:
    """Models by their evidence, the best first.

    >>> import suffice as sf
    >>> X, y = [[3, 0], [2, 1], [0, 4]], ["tea", "tea", "rum"]
    >>> found = sf.compare({str(a): sf.MultinomialNB(alpha=a).fit(X, y) for a in (1, 10)})
    >>> found.names, found.probability.round(2)
    (['1', '10'], array([0.76, 0.24]))
    """

    names: list[str]
    log_evidence: Array
    difference: Array  # to the best
    probability: Array  # of each model, if all were as probable before
    loo_log_loss: Array | None  # NaN where it was not asked for

    def to_dict(self) -> dict[str, Any]:
        """Columns for a dataframe."""
        columns = {
            "model": np.array(self.names, dtype=object),
            "log_evidence": self.log_evidence,
            "difference": self.difference,
            "probability": self.probability,
        }
        return columns if self.loo_log_loss is None else {**columns, "loo_log_loss": self.loo_log_loss}

    def to_frame(self, backend: str | None = None) -> Any:
        """As a dataframe of pandas, polars or pyarrow, whichever there is or is asked for."""
        return frame_of(self.to_dict(), backend)

    def __len__(self) -> int:
        return len(self.names)

    def __getitem__(self, name: str) -> Any:
        return self.to_dict()[name]

    def __repr__(self) -> str:
        columns = self.to_dict()
        shown = [[name, *(_short(value) for value in columns[name])] for name in columns]
        wide = [max(map(len, column)) for column in shown]
        lines = [[cell.rjust(w) for cell, w in zip(line, wide, strict=True)] for line in zip(*shown, strict=True)]
        return "\n".join("  ".join([line[0].strip().ljust(wide[0]), *line[1:]]) for line in lines)


def compare(models: Mapping[str, Any], X: Any = None) -> Comparison:
    """Models of the same rows by their evidence, the best first.

    Parameters
    ----------
    models : dict of fitted classifiers
        By name.
    X : as for fit, default=None
        The training rows, where models of counts of different kinds are compared: see ``evidence``.

    Returns
    -------
    comparison : Comparison
        Log evidence, its difference to the best, the probability of each model if all were as probable before, and
        `loo_log_loss_` if some model has it. ``to_frame()`` makes a dataframe.

    Examples
    --------
    >>> import suffice as sf
    >>> X, y = [[1, 0], [1, 1], [1, 0], [0, 1], [0, 1], [0, 0]], [0, 0, 0, 1, 1, 1]
    >>> sf.compare({str(alpha): sf.BernoulliNB(alpha=alpha).fit(X, y) for alpha in (0.1, 1, 100)})
    model  log_evidence  difference  probability
    1           -11.901       0.000        0.567
    100         -12.457      -0.556        0.325
    0.1         -13.555      -1.653        0.108
    """
    given: Any = models
    if not isinstance(given, Mapping) or not given:
        raise InputError(f"The argument 'models' of compare must be a dict of at least one model; got {models!r}.")
    _same_rows(models)
    evidence = np.array([model.evidence(X).total for model in models.values()])
    losses = np.array([getattr(model, "loo_log_loss_", np.nan) for model in models.values()])
    order = np.argsort(-evidence, kind="stable")
    shares = evidence[None, order].copy()
    normalise(shares, np.zeros(len(order)))  # SX-8
    names = [str(list(models)[i]) for i in order]
    loss = None if np.isnan(losses).all() else losses[order]
    return Comparison(names, evidence[order], evidence[order] - evidence[order[0]], np.exp(shares[0]), loss)


def _same_rows(models: Mapping[str, Any]) -> None:
    """Raise unless all are fitted classifiers of classes with the same numbers of rows."""
    rows = {}
    for name, model in models.items():
        if not isinstance(model, Evident):
            raise KindError(f"The model {name!r} must be a fitted classifier of suffice; got {type(model).__name__}.")
        check_is_fitted(model)
        rows[name] = model.classes_.tolist(), model._class_rows().tolist()
    first = next(iter(rows))
    for name, its in rows.items():
        if its != rows[first]:
            raise InputError(
                "Models that are compared must have learned the same rows; the rows of each class are "
                f"{_by_class(rows[first])} in {first!r} and {_by_class(its)} in {name!r}."
            )


def _by_class(rows: Any) -> str:
    return ", ".join(f"{name}: {count:g}" for name, count in zip(*rows, strict=True))


def _short(value: Any) -> str:
    return value if isinstance(value, str) else f"{value:.3f}"
