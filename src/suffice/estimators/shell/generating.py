"""What a classifier knows as a model of rows: it draws them, and says how probable they are."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.metaestimators import available_if

from suffice.errors import InputError, LabelError
from suffice.estimators.shell.predicting import Predicting
from suffice.estimators.shell.whole import must_be_fitted
from suffice.later import issparse
from suffice.models.answers.parts import names_of
from suffice.models.drawn_rows import alone, asked, draw_rows, log_density, must_be_number
from suffice.models.likelihoods.bernoulli import Bernoulli
from suffice.models.likelihoods.draws import Parameters
from suffice.models.model import Block, Model, Name
from suffice.tables.out import as_counted, by_value, frame_of, side_by_side
from suffice.typing import Array, DataLike, Integers, Label, LabelArray, Rng

__all__ = ["Generating", "bag"]


class Generating(Predicting):
    """A classifier that draws rows and gives them a probability."""

    def sample(
        self,
        n: int | None = None,
        label: Label | Sequence[Label] | LabelArray | None = None,
        *,
        length: int | Sequence[int] | Array | None = None,
        parameters: Parameters = "estimate",
        rng: Rng = None,
    ) -> tuple[Any, LabelArray]:
        """Draw rows and their labels from the model.

        Drawn are complete rows of the single columns, words or vectors, without temper, weights, residuals and columns
        that act together: these help to tell classes apart, and describe no row.

        Parameters
        ----------
        n : int, default=None
            How many rows; as many as labels are given, or one.
        label : label or array-like of shape (n,), default=None
            The class of all rows, or of each. If not given, classes are drawn by the class prior.
        length : int or array-like of shape (n,), default=None
            How many words a row has, where rows are counts of words. The model does not describe it; if not given, it
            is drawn from a Poisson about the mean of the training rows.
        parameters : {"estimate", "each", "once"}, default="estimate"
            "estimate" draws from what predicts: parameters plugged in, or integrated out with estimate="predictive".
            "each" draws the parameters of each row from the posterior (the posterior predictive), "once" draws them
            once for all rows: a replicate of the training data.
        rng : int, Generator or None, default=None
            Seed of the draws.

        Returns
        -------
        X : array, sparse matrix, dataframe or list of dict
            Rows as `fit` takes them; of texts, how often each has each word, which `predict` reads as well. A category
            that was never seen is not drawn, and nothing is missing.
        y : ndarray of shape (n,)
            Their labels.

        Examples
        --------
        >>> import suffice as sf
        >>> model = sf.GaussianNB().fit([[1.0], [2.0], [11.0], [12.0]], ["low", "low", "high", "high"])
        >>> X, y = model.sample(3, "high", rng=0)
        >>> X.round(1).tolist(), y.tolist()
        ([[11.6], [11.4], [11.8]], ['high', 'high', 'high'])
        """
        must_be_fitted(self)
        plain = alone(self._predictor)
        codes = _codes_of(label, n, self.classes_)
        rows = (1 if n is None else n) if codes is None else len(codes)
        drawn = draw_rows(plain, codes, rows, asked(rows, parameters, length, rng))
        return self._shown(plain.model, drawn.blocks), np.asarray(self.classes_[drawn.codes])

    def _shown(self, model: Model, blocks: Mapping[Name, Any]) -> Any:
        """Return drawn rows as people know them."""
        if self._kind_of_rows == "table":
            columns = {name: _column(np.ravel(part), model.blocks[name]) for name, part in blocks.items()}
            named = all(isinstance(name, str) for name in columns)
            return frame_of({str(name): part for name, part in columns.items()}, self._backend) if named else columns
        ((name, drawn),) = blocks.items()
        if self._kind_of_rows == "text":
            words = names_of(model.blocks[name].t, drawn.shape[1])
            return [bag(words, row) for row in (drawn if issparse(drawn) else np.asarray(drawn))]
        names, categories = self._feature_names(), self._categories()
        if names is not None:
            drawn = drawn.toarray().astype(np.int64) if issparse(drawn) else drawn
        elif categories is None:
            return drawn
        parts = list(drawn.T) if categories is None else by_value(drawn, categories)
        return side_by_side(parts) if names is None else frame_of(dict(zip(map(str, names), parts, strict=True)))

    _gives_rows_a_probability: ClassVar[bool] = True

    @available_if(lambda self: self._gives_rows_a_probability)
    def score_samples(self, X: DataLike) -> Array:
        """Return ln p(x) of each row: how probable it is by all classes together.

        It is that of the single columns, words or vectors, without temper, weights, residuals and columns that act
        together. Of a text, it is that of its known words in their order; what is missing in a row is not part of it.

        Parameters
        ----------
        X : as for predict
            Rows.

        Returns
        -------
        logs : ndarray of shape (n_rows,)
            Log-densities of numbers, log-probabilities of all else: low for a row unlike all that were learned.

        Examples
        --------
        >>> import suffice as sf
        >>> model = sf.GaussianNB().fit([[1.0], [2.0], [11.0], [12.0]], ["low", "low", "high", "high"])
        >>> model.score_samples([[1.5], [6.5]]).round(2)
        array([ -0.92, -50.23])
        """
        must_be_fitted(self)
        plain = alone(self._predictor)
        return self._answer(lambda _, rows: log_density(plain, rows), X)


def _column(values: NDArray[np.generic], block: Block) -> NDArray[np.generic]:
    """Return a column of a table: flags as True and False, whole numbers as integers."""
    flags = isinstance(block.likelihood, Bernoulli)
    return values.astype(np.bool_) if flags else as_counted(values, getattr(block.t, "values", None))


def bag(words: Any, row: Any) -> dict[str, int]:
    """Return how often a row has each word that it has."""
    places = row.indices if issparse(row) else np.flatnonzero(row)
    times = row.data if issparse(row) else np.ones(len(places))
    return {str(words[j]): int(count) for j, count in zip(places.tolist(), times.tolist(), strict=True)}


def _codes_of(label: Any, n: int | None, classes: LabelArray) -> Integers | None:
    """Return the classes to be drawn; None where they are to be drawn themselves."""
    if label is None:
        return None
    several = not isinstance(label, str | bytes) and np.ndim(label) == 1
    labels = np.asarray(label, object).tolist() if several else [label]
    must_be_number(1 if n is None else n)
    known = {one: code for code, one in enumerate(classes.tolist())}
    strangers = [one for one in labels if not isinstance(one, Hashable) or one not in known]
    if strangers:
        raise LabelError(f"The argument 'label' must be a label that was learned; got {strangers[0]!r}.")
    codes = np.array([known[one] for one in labels], np.int64)
    if several and n is not None and n != len(codes):
        raise InputError(f"The argument 'label' must be one label, or one for each of {n} rows; got {len(codes)}.")
    return codes if several else np.repeat(codes, 1 if n is None else n)
