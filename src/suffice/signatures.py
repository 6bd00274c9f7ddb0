"""Replace Python's errors about wrong arguments by errors that list the known ones."""

import inspect
from collections.abc import Callable
from difflib import get_close_matches
from functools import wraps
from typing import Any, ParamSpec, TypeVar

from suffice.errors import KeywordError

P = ParamSpec("P")
R = TypeVar("R")


ELSEWHERE = {
    "'class_weight'": " Weigh rows by 'sample_weight' in fit, or classes by their prior.",
    "'n_jobs'": " Set the number of threads by sf.threads.",
}
"""What replaces a parameter that estimators of other libraries have."""


def explained(method: Callable[P, R]) -> Callable[P, R]:
    """Make a method's errors about wrong arguments list the known ones."""
    signature = inspect.signature(method)
    known = [name for name in signature.parameters if name not in ("self", "cls", "statistic")]

    @wraps(method)
    def checked(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            signature.bind(*args, **kwargs)
        except TypeError:
            kind: Any = args[0] if isinstance(args[0], type) else type(args[0])
            name = kind.__name__ + ("" if method.__name__ == "__init__" else f".{method.__name__}")
            unknown = [keyword for keyword in kwargs if keyword not in signature.parameters]
            came = repr(unknown[0]) if unknown else f"{len(args) - 1} by position and {list(kwargs) or 'none'} by name"
            guess = get_close_matches(unknown[0], known, 1, cutoff=0.75) if unknown else []
            hint = f" Did you mean {guess[0]!r}?" if guess else ELSEWHERE.get(came, "")
            takes = f"takes the arguments {', '.join(known)}" if known else "takes no arguments"
            raise KeywordError(f"{name} {takes}; got {came}.").advise(hint) from None
        return method(*args, **kwargs)

    return checked


def explain_arguments(owner: type) -> None:
    """Make errors of all public methods that a class itself defines list the known arguments."""
    for name, member in list(vars(owner).items()):
        if name.startswith("_") and name != "__init__":
            continue
        if inspect.isfunction(member):
            setattr(owner, name, explained(member))
        elif isinstance(member, classmethod):
            setattr(owner, name, classmethod(explained(member.__func__)))
