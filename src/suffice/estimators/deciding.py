"""Scores as scikit-learn's users expect them of discriminants."""

from __future__ import annotations

from typing import Any

from suffice.typing import Array

__all__ = ["Deciding"]


class Deciding:
    """A classifier with a decision function."""

    def decision_function(self, X: Any) -> Array:
        """Joint log-probabilities, up to what classes have in common; of two classes the log-odds of the second.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        scores : ndarray of shape (n_samples,) or (n_samples, n_classes)
            The larger, the more probable.
        """
        owner: Any = self
        scores: Array = owner.predict_joint_log_proba(X)
        return scores[:, 1] - scores[:, 0] if len(owner.classes_) == 2 else scores
