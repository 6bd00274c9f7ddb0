"""What a file keeps of an estimator that stands on a fitted classifier: the classifier, and how it came about."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from sklearn.utils.validation import check_is_fitted

from suffice.errors import DataError
from suffice.estimators.em.reading import must_share
from suffice.estimators.shell.bounds import check_bounds
from suffice.estimators.shell.classifier import Classifier
from suffice.estimators.shell.whole import Whole

__all__ = ["StandsOnClassifier"]


class StandsOnClassifier(Whole):
    """State to be taken out and put in; labels of training rows are not part of it."""

    estimator_: Any
    objective_: list[float]
    converged_: bool
    n_iter_: int
    _more: ClassVar[tuple[str, ...]] = ()
    """Numbers, or dicts of them, that there may be on top."""

    def _get_state(self) -> dict[str, Any]:
        """Return what a file keeps beside the parameters."""
        check_is_fitted(self, "estimator_")
        names = ("objective_", "converged_", *self._more)
        steps = {name: vars(self)[name] for name in names if name in vars(self)}
        return {"schema": {}, "statistics": {"estimator": self.estimator_}, "views": steps}

    def _set_state(self, state: dict[str, Any]) -> None:
        """Take a state, which may come from anywhere; raise if it is none of this class."""
        steps, model = state["views"], state["statistics"].get("estimator")
        if not isinstance(model, Classifier) or not hasattr(model, "classes_") or state["schema"]:
            raise DataError(f"The file must hold a fitted classifier; got {type(model).__name__}.")
        if not {"objective_", "converged_"} <= set(steps) <= {"objective_", "converged_", *self._more}:
            raise DataError(f"The history of EM must have the known fields; got {sorted(steps)}.")
        objective = steps["objective_"]
        if type(steps["converged_"]) is not bool or type(objective) is not list or not objective:
            raise DataError("The history of EM must be a list of numbers, and whether it converged.")
        numbers = [*objective, *(x for name in self._more if name in steps for x in _numbers(steps[name]))]
        if not all(type(x) in (int, float) for x in numbers):
            raise DataError("The history of EM must hold numbers.")
        must_share(model, model._model)
        vars(self).update(steps)
        self.estimator_, self.n_iter_ = model, len(objective)
        self._restored()
        check_bounds(self)

    def _restored(self) -> None:
        """Make what follows from the classifier."""

    @property
    def n_features_in_(self) -> int:
        """Number of features."""
        return int(self.estimator_.n_features_in_)

    @property
    def feature_names_in_(self) -> Any:
        """Names of the features, if X had them."""
        return self.estimator_.feature_names_in_


def _numbers(value: Any) -> list[Any]:
    return [*value, *value.values()] if isinstance(value, dict) else np.ravel(value).tolist()
