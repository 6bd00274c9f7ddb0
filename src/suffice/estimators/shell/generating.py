"""Draw rows from a classifier, and return the probability of rows."""

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
from suffice.models.likelihoods.complement import NO_DENSITY
from suffice.models.likelihoods.draws import Parameters
from suffice.models.model import Block, Model, Name
from suffice.tables.out import as_counted, by_value, frame_of, side_by_side
from suffice.typing import Array, DataLike, Integers, Label, LabelArray, Rng

__all__ = ["Generating", "bag"]


def _gives_a_probability(model: Generating) -> bool:
    """Return True if rows have a probability; raise AttributeError with the reason if they have none."""
    if model._gives_rows_a_probability:
        return True
    raise AttributeError(f"{type(model).__name__} gives rows no probability: {NO_DENSITY}.")


class Generating(Predicting):
    """A classifier that models rows: draws them, and returns their probability."""

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

        Rows are complete and come from the likelihoods of single columns, words or vectors. Temper, powers, residuals
        and joint columns are not used, since they describe differences of classes, not rows.

        Parameters
        ----------
        n : int, default=None
            Number of rows; by default one per given label, or 1.
        label : label or array-like of shape (n,), default=None
            The class of all rows, or of each row. If not given, classes are drawn from the class prior.
        length : int or array-like of shape (n,), default=None
            Number of words of each row, for rows of word counts. The model does not describe lengths; if not given,
            they are drawn from a Poisson distribution with the mean of the training rows.
        parameters : {"estimate", "each", "once"}, default="estimate"
            "estimate" draws from the distribution that predicts: with parameters plugged in, or integrated out with
            estimate="predictive". "each" draws parameters from the posterior for each row (the posterior predictive);
            "once" draws them once for all rows (a replicate of the training data).
        rng : int, Generator or None, default=None
            Seed or generator of the draws.

        Returns
        -------
        X : array, sparse matrix, dataframe, dict or list of dict
            Rows in a form that `predict` accepts: a dataframe if features have names, or else for NaiveBayes a dict of
            columns by place; for texts, a dict of word counts per document. Without names, MultinomialNB and
            DirichletMultinomialNB return a CSR matrix and other classifiers a dense array, whether `fit` had sparse or
            dense rows. Counts, flags and category codes are integers. Unknown categories and missing values are never
            drawn.
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
        return self._shown(plain.model, drawn.rows()), np.asarray(self.classes_[drawn.codes])

    def _shown(self, model: Model, blocks: Mapping[Name, Any]) -> Any:
        """Return drawn rows with the names and categories of the training rows."""
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

    @available_if(_gives_a_probability)
    def score_samples(self, X: DataLike) -> Array:
        """Return ln p(x) of each row, summed over the classes.

        It uses the likelihoods of single columns, words or vectors, without temper, powers, residuals and joint
        columns. For a text it is that of the known words in their order; missing values are left out.

        Compare only rows with the same values present, or texts of the same number of known words. Every word of a text
        lowers ln p(x), and unknown words and missing values do not: a long text of usual words is below a short
        one, and a text of unknown words has the highest value of all. So this is no score for novel texts.

        Parameters
        ----------
        X : as for predict
            Rows.

        Returns
        -------
        logs : ndarray of shape (n_rows,)
            Log-densities of numbers, log-probabilities of other values.

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
    """Return the counts of the words that a row contains."""
    places = row.indices if issparse(row) else np.flatnonzero(row)
    times = row.data if issparse(row) else np.ones(len(places))
    return {str(words[j]): int(count) for j, count in zip(places.tolist(), times.tolist(), strict=True)}


def _codes_of(label: Any, n: int | None, classes: LabelArray) -> Integers | None:
    """Return the code of each given label; None if labels shall be drawn."""
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
        raise InputError(
            f"The argument 'label' must be one label, or one for each of {n} rows; got {len(codes)} labels."
        )
    return codes if several else np.repeat(codes, 1 if n is None else n)
