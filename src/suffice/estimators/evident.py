"""Log evidence for every classifier that has one: how probable the training rows and labels were before they came."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

from sklearn.utils.validation import check_is_fitted

from suffice.errors import LabelError
from suffice.models.evidence import Evidence, label_evidence
from suffice.stats.words import read_weights
from suffice.typing import Array

__all__ = ["Evident"]


class Evident:
    """What a classifier's prior says of its training rows."""

    classes_: Any

    @property
    def log_evidence_(self) -> float:
        """ln p of the training rows and labels, parameters integrated out; of words in their order."""
        return self.evidence().total

    def evidence(self, X: Any = None, sample_weight: Any = None) -> Evidence:
        """The log evidence and its parts, by class and feature.

        It is that of the prior, however parameters are estimated for predictions. Words count in their order: the
        number of orders, n!/Πx! of each row, is the same for every prior and not among the counts; of Poisson counts
        likewise 1/Πx!.

        Parameters
        ----------
        X : as for fit, default=None
            The training rows once more, where n!/Πx! shall be part of it: to compare models of other kinds.
        sample_weight : array-like of shape (n_rows,), default=None
            Their weights, as they were learned with.

        Returns
        -------
        evidence : Evidence
            `total`, and its parts: `labels`, `by_class`, `by_feature`, `table` (classes × features), `coefficient`. If
            the class prior is a Dirichlet, `labels` integrates it out, and `belief` is True; otherwise it is the
            likelihood of the labels under the class prior as given, uniform, or learned.
        """
        check_is_fitted(self)
        features, cells, others = self._evidence_cells()
        prior = getattr(self, "class_prior", getattr(self, "priors", None))
        labels, belief = label_evidence(prior, getattr(self, "fit_prior", True), self._class_rows())
        coefficient = 0.0 if X is None else self._all_orders(X, sample_weight)
        return Evidence(self.classes_, features, labels, belief, cells, others, coefficient)

    def _all_orders(self, X: Any, sample_weight: Any) -> float:
        rows = self._counted_rows(X)
        if rows is None:
            return 0.0
        matrix, coefficient = rows
        weights = read_weights(sample_weight, matrix.shape[0])
        total = float(self._class_rows().sum())
        given = matrix.shape[0] if weights is None else float(weights.sum())
        if abs(given - total) > 1e-9 * total:
            raise LabelError(f"The argument 'X' must hold the rows that were learned, {total:g}; got {given:g}.")
        return float(coefficient(matrix, weights))

    @abstractmethod
    def _evidence_cells(self) -> tuple[Any, Any, Array | None]:
        """Names of features, their evidence by class, and what every feature has on top."""

    @abstractmethod
    def _class_rows(self) -> Array:
        """Rows of each class."""

    def _counted_rows(self, X: Any) -> tuple[Any, Any] | None:
        """Rows of counts, and what their coefficients are; nothing where rows are no counts."""
        return None
