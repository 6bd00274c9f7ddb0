"""Base of estimators that fit a classifier by EM: their answers, files and history."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from suffice.errors import DataError
from suffice.estimators.em.reading import must_share
from suffice.estimators.shell.atomic import Atomic
from suffice.estimators.shell.classifier import Classifier
from suffice.estimators.shell.model_cards import bundle_of_estimator, card_of_estimator
from suffice.estimators.shell.parameters import Tags
from suffice.estimators.shell.stored import State, check_bounds
from suffice.models.answers.posteriors import Posteriors
from suffice.models.likelihoods.draws import Parameters
from suffice.notebook import figures
from suffice.posterior import Dirichlet
from suffice.typing import Array, DataLike, Label, LabelArray, Rng

__all__ = ["StandsOnClassifier"]


class StandsOnClassifier(Atomic):
    """Base of estimators that fit a classifier by EM: drawing rows, files, and the history of EM."""

    estimator_: Classifier
    estimator: Classifier
    record_bound: bool
    objective_: list[float]
    bound_: list[float]
    converged_: bool
    n_iter_: int
    _more: ClassVar[tuple[str, ...]] = ()
    """Optional attributes of the history: lists of numbers, or dicts of numbers."""
    _repr_html_, _repr_mimebundle_ = card_of_estimator, bundle_of_estimator

    def _card_parts(self) -> Iterator[str]:
        """Yield how EM ended, and the notebook display of the classifier."""
        yield figures({"steps": self.n_iter_, "converged": self.converged_})
        yield from self.estimator_._card_parts()

    def sample(
        self, n: int | None = None, label: Label | None = None, *, parameters: Parameters = "estimate", rng: Rng = None
    ) -> tuple[Any, LabelArray]:
        """Draw rows and their classes or clusters, as ``estimator_.sample`` does.

        Parameters
        ----------
        n, parameters, rng : int; {"estimate", "each", "once"}; int, Generator or None
            As for the estimator's own ``sample``.
        label : label, default=None
            The class or cluster of all rows; if not given, they are drawn by their probabilities.

        Returns
        -------
        X, labels : rows as for fit, and ndarray of shape (n,)
            Drawn rows, and their classes or clusters.
        """
        check_is_fitted(self, "estimator_")
        return self.estimator_.sample(n, label, parameters=parameters, rng=rng)

    @available_if(lambda self: hasattr(self.estimator, "score_samples"))
    def score_samples(self, X: DataLike) -> Array:
        """Return ln p(x) of each row; see the estimator's own ``score_samples``."""
        check_is_fitted(self, "estimator_")
        logs: Array = self.estimator_.score_samples(X)
        return logs

    @property
    def posterior_(self) -> Posteriors:
        """Posterior of the parameters, given the final shares of the rows in the classes."""
        check_is_fitted(self, "estimator_")
        return self.estimator_.posterior_

    @property
    def class_posterior_(self) -> Dirichlet:
        """Posterior of the class or cluster probabilities, given the final shares of the rows."""
        check_is_fitted(self, "estimator_")
        return self.estimator_.class_posterior_

    def __sklearn_tags__(self) -> Tags:
        tags: Tags = super().__sklearn_tags__()  # type: ignore[misc]
        if hasattr(self.estimator, "__sklearn_tags__"):
            tags.input_tags = self.estimator.__sklearn_tags__().input_tags
        return tags

    def _get_state(self) -> State:
        """Return what a file stores besides the parameters."""
        check_is_fitted(self, "estimator_")
        names = ("objective_", "converged_", *self._more)
        steps = {name: vars(self)[name] for name in names if name in vars(self)}
        return {"schema": {}, "statistics": {"estimator": self.estimator_}, "views": steps}

    def _set_state(self, state: State) -> None:
        """Restore a state from a file, which may be forged; raise if it is invalid for this class."""
        steps, model = state["views"], state["statistics"].get("estimator")
        if not isinstance(model, Classifier) or not hasattr(model, "classes_") or state["schema"]:
            raise DataError(f"The file must hold a fitted classifier; got {type(model).__name__}.")
        if not {"objective_", "converged_"} <= set(steps) <= {"objective_", "converged_", *self._more}:
            optional = list(self._more)
            raise DataError(f"The history of EM must have objective_, converged_ and {optional}; got {sorted(steps)}.")
        objective = steps["objective_"]
        if type(steps["converged_"]) is not bool or type(objective) is not list or not objective:
            raise DataError(
                "The history of EM must hold a list of objectives, and a bool that says whether it converged."
            )
        numbers = [*objective, *(x for name in self._more if name in steps for x in _numbers(steps[name]))]
        if not all(type(x) in (int, float) for x in numbers):
            raise DataError("The history of EM must hold numbers.")
        must_share(model, model._model)
        vars(self).update(steps)
        self.estimator_, self.n_iter_ = model, len(objective)
        self._restored()
        check_bounds(self, vars(self))

    def _keep(self, objective: list[float], bound: list[float], converged: bool) -> None:
        """Set the history of EM; the bound only with `record_bound`, without one of an earlier fit."""
        self.objective_, self.n_iter_, self.converged_ = objective, len(objective), converged
        self.__dict__.pop("bound_", None)
        if self.record_bound:
            self.bound_ = bound

    def _restored(self) -> None:
        """Set the attributes that follow from `estimator_`."""

    @property
    def n_features_in_(self) -> int:
        """Number of features."""
        return int(self.estimator_.n_features_in_)

    @property
    def feature_names_in_(self) -> LabelArray:
        """Names of the features, if X had them."""
        names: LabelArray = self.estimator_.feature_names_in_
        return names


def _numbers(value: ArrayLike | dict[float, float]) -> list[float]:
    return [*value, *value.values()] if isinstance(value, dict) else np.ravel(value).tolist()
