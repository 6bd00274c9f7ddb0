"""Give pickle, joblib and skops the model file of an estimator, and build the estimator from it."""

from __future__ import annotations

from copy import copy, deepcopy
from typing import Any, Self

import suffice
from suffice.errors import KindError

__all__ = ["Portable", "file_of"]


class Portable:
    """An estimator whose state, for pickle, joblib and skops, is the bytes of its model file, once it is fitted.

    So there is one format to trust, and whatever comes back was checked as a file is. A model that no file can hold,
    such as one with a function as tokenizer, is pickled object by object.
    """

    def __getstate__(self) -> dict[str, Any]:
        now = copy(self)  # one state, whatever other threads do
        data = file_of(now)
        if data is None:
            return dict(vars(now))
        kept = {name: value for name, value in vars(now).items() if name in BY_SKLEARN or _is_of_user(now, name)}
        return {**kept, FILE: data}

    def __setstate__(self, state: dict[str, Any]) -> None:
        if FILE in state:
            built = suffice.store.from_bytes(state[FILE])  # above the estimators in the import order, so used late
            if type(built) is not type(self):
                raise KindError(f"The state must be that of a {type(self).__name__}; got a {type(built).__name__}.")
            state = {**vars(built), **{name: value for name, value in state.items() if name != FILE}}
        self.__dict__ = dict(state)

    def __copy__(self) -> Self:
        twin = object.__new__(type(self))
        twin.__dict__ = vars(self).copy()
        return twin

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        twin = memo[id(self)] = object.__new__(type(self))
        twin.__dict__ = deepcopy(vars(self).copy(), memo)
        return twin


FILE = "model_file"
"""The key of a model file in the state of an estimator."""

BY_SKLEARN = {"_metadata_request", "_sklearn_output_config"}
"""Attributes that scikit-learn sets on request, and files do not hold."""


def file_of(model: object) -> bytes | None:
    """Return the bytes that `save` writes; None if the model is not fitted, or no file can hold it."""
    store: Any = suffice.store  # above the estimators in the import order, so used late
    try:
        data: bytes = store.to_bytes(model)
    except (KindError, ValueError) as error:
        if isinstance(error, KindError) or type(error).__name__ == "NotFittedError":
            return None
        raise
    return data


def _is_of_user(model: Any, name: str) -> bool:
    """Return whether a user has set an attribute, which is neither a parameter nor learned."""
    return not (name.startswith("_") or name.endswith("_") or name in model.get_params(deep=False))
