"""Names that have changed: an old one raises an error that says the new one; old model files are read by it."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from functools import wraps
from typing import Any

from suffice.errors import KeywordError

__all__ = ["MOVED", "PARAMETERS", "refuse_old_names"]

FEATURE_WEIGHTS = {"weights": "feature_weights"}
FIT_PRIOR = {"fit_prior": "class_prior"}

PARAMETERS: dict[str, dict[str, str]] = {
    "DirichletMultinomialNB": FIT_PRIOR,
    "GaussianDiscriminant": {"priors": "class_prior"},
    "GaussianNB": {"prior": "belief"},
    "MultinomialNB": FEATURE_WEIGHTS,
    "NaiveBayes": FEATURE_WEIGHTS | FIT_PRIOR,
    "PoissonNB": FIT_PRIOR,
    "TextClassifier": FEATURE_WEIGHTS | FIT_PRIOR,
}
"""Parameters by class: the old name, and the new one."""

VALUES: dict[tuple[str, Any], str] = {
    ("fit_prior", True): "counted",
    ("fit_prior", False): "uniform",
    ("priors", None): "counted",
}
"""Values of old parameters that are values of `class_prior` now."""

TOKENS = (
    "analyzer", "lowercase", "strip_accents", "stop_words", "token_pattern", "tokenizer", "preprocessor", "encoding",
    "decode_error",
)  # fmt: skip
TRANSFORM = ("sublinear_tf", "use_idf", "normalize", "norm")

MOVED: dict[str, dict[str, str]] = {
    "LanguageModel": dict.fromkeys(TOKENS, "tokens"),
    "TextClassifier": {
        **dict.fromkeys((*TOKENS, "binary", "max_df", "hash_bits"), "tokens"),
        **dict.fromkeys(TRANSFORM, "transform"),
    },
}
"""Parameters that are part of a value now: the name they have there, and the parameter that takes the value."""

WEIGHTS_ = {"weights_": "is now 'feature_weights_'"}

LEFT_OUT = {"loo_log_loss_": "log_loss", "loo_accuracy_": "accuracy", "n_singletons_": "n_singletons"}

ATTRIBUTES: dict[str, dict[str, str]] = {
    "Classifier": {
        old: f"is now '{new}' of what sf.evaluate.leave_one_out(model, X, y) returns" for old, new in LEFT_OUT.items()
    },
    "GaussianNB": {"prior_": "is now 'belief_'"},
    "LanguageModel": {"update": "is now 'partial_fit'"},
    "MultinomialNB": WEIGHTS_,
    "NaiveBayes": WEIGHTS_,
    "TextClassifier": WEIGHTS_,
}
"""Attributes and methods by class: the old name, and what became of it."""


class OldName:
    """An attribute that was renamed or removed: reading it raises an AttributeError that says what to use."""

    def __init__(self, name: str, fate: str) -> None:
        self.name, self.fate = name, fate

    def __get__(self, instance: Any, kind: type[Any]) -> OldName:
        if instance is None:
            return self
        raise AttributeError(f"The attribute '{self.name}' of {kind.__name__} {self.fate}.")


def refuse_old_names(cls: type[Any]) -> None:
    """Let a class refuse the names that it had, in its constructor, in `set_params` and as attributes."""
    renamed, moved = PARAMETERS.get(cls.__name__, {}), MOVED.get(cls.__name__, {})
    parameters = {name: f"is now '{new}'" for name, new in renamed.items()}
    parameters |= {name: f"is now part of '{new}'" for name, new in moved.items()}
    fates = parameters | ATTRIBUTES.get(cls.__name__, {})
    if not fates or not cls.__module__.startswith("suffice."):
        return
    for name, fate in fates.items():
        setattr(cls, name, OldName(name, fate))
    cls.__dir__ = _names  # type: ignore[assignment]
    if parameters:
        cls.__init__ = _refusing(cls.__init__, cls.__name__, parameters)
        cls.set_params = _refusing(cls.set_params, cls.__name__, parameters)


def _refusing(method: Callable[..., Any], name: str, parameters: dict[str, str]) -> Callable[..., Any]:
    """Return the method, which raises KeywordError where a parameter has its old name."""

    @wraps(method)
    def refusing(self: Any, *args: Any, **given: Any) -> Any:
        old = next((one for one in given if one in parameters), None)
        if old is not None:
            use = _instead(old, given, MOVED.get(name, {}))
            raise KeywordError(f"The '{old}' parameter of {name} {parameters[old]}; got {old}={given[old]!r}{use}.")
        return method(self, *args, **given)

    return refusing


def _instead(old: str, given: dict[str, Any], moved: dict[str, str]) -> str:
    """Return what to write instead of a value that has another name now, or is part of one; nothing for others."""
    if old in moved:
        alike = ", ".join(f"{one}={given[one]!r}" for one in given if moved.get(one) == moved[old])
        return f": use {moved[old]}=sf.{moved[old].capitalize()}({alike})"
    value = given[old]
    known = value is None or isinstance(value, bool)
    return f": use class_prior={VALUES[old, value]!r}" if known and (old, value) in VALUES else ""


def _names(instance: Any) -> Iterable[str]:
    """Return the names of an object that are in use."""
    kind = type(instance)
    names = object.__dir__(instance)
    return [name for name in names if not isinstance(inspect.getattr_static(kind, name, None), OldName)]
