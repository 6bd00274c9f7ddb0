"""Answers for people, from every classifier: why, what speaks for a class, and what to do."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from scipy.sparse import issparse
from sklearn.utils.validation import check_is_fitted

from suffice.errors import InputError, KindError
from suffice.models import Categorical, Polya
from suffice.models.decisions import cost_matrix, least_loss, price
from suffice.models.explanation import Explanation, explanation, place_of
from suffice.models.top import Top, TopFeatures, top_of
from suffice.models.votes import Votes, votes
from suffice.stats.inputs import Rows
from suffice.tables import frame_of
from suffice.typing import Array, Booleans

__all__ = ["Explaining", "RowExplaining", "one_text"]


class Explaining:
    """A classifier that can say why."""

    classes_: Any

    @abstractmethod
    def _votes(self, x: Any) -> tuple[Votes, Array, Any]:
        """What the parts of one row say, the class prior beside them, and rows with this one only."""

    @abstractmethod
    def _top(self, code: int, k: int) -> list[Top]:
        """At most k features that speak for a class."""

    def _known(self, X: Any, least: int) -> Booleans | None:
        """Which rows hold something that was learned from so many rows or more; None where all numbers are known."""
        return None

    def explain(self, x: Any, target: Any = None, against: Any = None) -> Explanation:
        """Why a row is of one class rather than of another: the prior's log-odds, and each feature's on top.

        Parameters
        ----------
        x : one row, or one text
            As a list, an array, a dict of values, a row of a dataframe, or as for predict, with one row.
        target, against : label, default=None
            The two classes; if not given, the most probable one against the next.

        Returns
        -------
        explanation : Explanation
            Its prior and weights add up to the log-odds of `predict_log_proba`. A missing value weighs nothing.
        """
        check_is_fitted(self, "classes_")
        said, log_prior, rows = self._votes(x)
        owner: Any = self
        power = float(np.ravel(owner._powers(rows))[0])
        return explanation(said, log_prior, power, self.classes_, (target, against), getattr(self, "_backend", None))

    def top_features(self, class_: Any, k: int = 10) -> TopFeatures:
        """What speaks most for a class, against the average of the others.

        Parameters
        ----------
        class_ : label
            The class.
        k : int, default=10
            How many.

        Returns
        -------
        features : TopFeatures
            Rows of feature, value and weight, the weightiest first. The weight is the evidence for the class that the
            feature brings to a row of it on average, in nats: θ_c·ln(θ_c/θ) for a word, a flag that is on or a category
            that has probability θ_c in the class and θ in the others (averaged by their rows); for counts and numbers
            the Kullback-Leibler divergence of their distributions. What speaks against the class is not listed.
        """
        check_is_fitted(self, "classes_")
        number: Any = k
        if not isinstance(number, int | np.integer) or number < 0:
            raise InputError(f"The argument 'k' of top_features must be a whole number from 0 on; got {k!r}.")
        code = place_of(self.classes_, class_, "class_")
        return TopFeatures(self.classes_[code], self._top(code, int(k)) if len(self.classes_) > 1 else [])

    def decide(self, X: Any, costs: Any = None, abstain: Any = None, abstain_label: Any = None) -> Any:
        """The class of least expected loss of each row; or none of them, where that is cheaper.

        Parameters
        ----------
        X : as for predict
            The rows.
        costs : matrix, {(true, decided): cost} or {true: {decided: cost}}, default=None
            What each decision costs, by the class that is true; a matrix has a row per true class and a column per
            decision, in the order of ``classes_``. What a dict leaves out costs 0 if right and 1 if wrong.
        abstain : float, default=None
            What it costs not to decide; if not given, there is always a decision.
        abstain_label : object, default=None
            What the answer is where it abstains.

        Returns
        -------
        decisions : ndarray of shape (n_samples,)
            Labels from ``classes_``; where `abstain` is given an array of objects, `abstain_label` among them.
        """
        check_is_fitted(self, "classes_")
        table, cost = cost_matrix(costs, self.classes_), price(abstain)
        owner: Any = self
        codes = least_loss(owner.predict_proba(X), table, cost)
        if cost is None:
            return self.classes_[codes]
        out = np.array([*self.classes_.tolist(), None], dtype=object)[codes]
        out[codes < 0] = abstain_label
        return out


class RowExplaining(Explaining):
    """The same for classifiers of rows of numbers, by their event model."""

    _event: Any
    _features: Any
    _classes: Any

    def _votes(self, x: Any) -> tuple[Votes, Array, Any]:
        owner: Any = self
        given = one_row_of(x, getattr(self, "feature_names_in_", None))
        X = owner._read_rows(given)
        with owner._in_words_of_sklearn(X):
            rows = owner._as_model_sees(Rows.read(X, "X"))
            owner._view("scorer", owner._make_scorer).scores(rows)  # complains of values that cannot be
        row = rows.matrix.toarray() if rows.is_sparse else np.asarray(rows.matrix)
        values = row[0].astype(np.float64) if rows.above is None else (row[0] > rows.above).astype(np.float64)
        said = votes(self._event, self._told_by(), self._classes.counts, values, rows.is_sparse)
        return self._in_words(said, given, values), owner._log_prior(), given

    def _top(self, code: int, k: int) -> list[Top]:
        found = top_of(self._event, self._told_by(), self._classes.counts, code, k)
        categories = getattr(self, "categories_", None)
        if categories is not None:
            found = [row._replace(value=str(categories[row.feature][int(row.value)])) for row in found]
        return [row._replace(feature=self._name(row.feature)) for row in found]

    def _told_by(self) -> Any:
        """What was learned: the statistic, or urns made of it."""
        owner: Any = self
        return owner.alpha_ if isinstance(self._event, Polya) else self._features

    def _name(self, feature: Any) -> Any:
        names = getattr(self, "feature_names_in_", None)
        return names[feature] if names is not None and isinstance(feature, int) else feature

    def _in_words(self, said: Votes, given: Any, values: Array) -> Votes:
        words = said.values
        if isinstance(self._event, Categorical):
            raw = np.asarray(given, dtype=object)[0]
            unseen = values >= self._features.sizes
            words = [f"{value}{' (never seen)' * bool(new)}" for value, new in zip(raw, unseen, strict=True)]
            said = replace(said, unknown="value of this row" * bool(unseen.all()))
        return replace(said, features=[self._name(feature) for feature in said.features], values=words)


def one_row_of(x: Any, names: Any) -> Any:
    """Rows with this one only; one by name in the order of the model's names."""
    if hasattr(x, "to_dict") and not hasattr(x, "columns"):  # a row of pandas
        x = x.to_dict()
    if isinstance(x, Mapping) and names is not None:
        missing = [name for name in names if name not in x]
        if missing:
            raise InputError(
                f"The argument 'x' must have a value for each feature of the model; {missing[0]!r} has none."
            )
        return frame_of({name: _column(x[name]) for name in names})
    if isinstance(x, Mapping):
        x = list(x.values())
    if not issparse(x) and not hasattr(x, "columns"):
        x = np.asarray(x)
        if x.dtype.kind == "O" or x.dtype.kind in "US":
            x = np.asarray(x, dtype=object)
    x = x.reshape(1, -1) if getattr(x, "ndim", 2) == 1 else x
    if getattr(x, "ndim", 2) == 2 and x.shape[0] != 1:
        raise InputError(f"The argument 'x' must be one row; got {x.shape[0]:,}.")
    return x


def _column(value: Any) -> list[Any]:
    many = hasattr(value, "__len__") and not isinstance(value, str | bytes)
    if many and len(value) != 1:
        raise InputError(f"The argument 'x' must be one row; got {len(value):,}.")
    return list(value) if many else [value]


def one_text(x: Any) -> Any:
    """A text, or the only one of some."""
    if isinstance(x, str | bytes) or not hasattr(x, "__iter__"):
        if x is None or isinstance(x, float | int):
            raise KindError(f"The argument 'x' must be one text; got {x!r}, a {type(x).__name__}.")
        return x
    texts = list(x)
    if len(texts) != 1:
        raise InputError(f"The argument 'x' must be one text; got {len(texts):,}.")
    return texts[0]
