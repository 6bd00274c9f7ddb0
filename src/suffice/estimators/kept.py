"""What a file keeps of an estimator that stands on a fitted classifier: that, and how it came about."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from sklearn.utils.validation import check_is_fitted

from suffice.errors import DataError
from suffice.estimators.shell.bounds import check_bounds
from suffice.estimators.shared import Classifier
from suffice.estimators.shell.whole import Whole

__all__ = ["Kept"]


class Kept(Whole):
    """State to be taken out and put in; labels of training rows are not part of it."""

    estimator_: Any
    objective_: list[float]
    converged_: bool
    n_iter_: int
    _more: ClassVar[tuple[str, ...]] = ()
    """Numbers, or dicts of them, that there may be on top."""

    def _get_state(self) -> dict[str, Any]:
        check_is_fitted(self, "estimator_")
        told = {name: vars(self)[name] for name in ("objective_", "converged_", *self._more) if name in vars(self)}
        return {"schema": {}, "statistics": {"estimator": self.estimator_}, "views": told}

    def _set_state(self, state: dict[str, Any]) -> None:
        """Take a state, which may come from anywhere; raises if it is none of this class."""
        told, model = state["views"], state["statistics"].get("estimator")
        if not isinstance(model, Classifier) or not hasattr(model, "classes_") or state["schema"]:
            raise DataError(f"A fitted classifier must be in it; got {type(model).__name__}.")
        if not {"objective_", "converged_"} <= set(told) <= {"objective_", "converged_", *self._more}:
            raise DataError(f"What is told of steps must be known; got {sorted(told)}.")
        objective = told["objective_"]
        if type(told["converged_"]) is not bool or type(objective) is not list or not objective:
            raise DataError("What is told of steps must be a list of numbers, and whether they came to an end.")
        numbers = [*objective, *(x for name in self._more if name in told for x in _numbers(told[name]))]
        if not all(type(x) in (int, float) for x in numbers):
            raise DataError("What is told of steps must be numbers.")
        model._must_share()
        vars(self).update(told)
        self.estimator_, self.n_iter_ = model, len(objective)
        self._restored()
        check_bounds(self)

    def _restored(self) -> None:
        """What follows from the classifier."""


def _numbers(value: Any) -> list[Any]:
    return [*value, *value.values()] if isinstance(value, dict) else np.ravel(value).tolist()
