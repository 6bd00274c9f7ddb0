"""Print measures of the house: how much of it there is, and how much of it comes twice or is told by no type.

python tools/house.py
"""

from __future__ import annotations

import ast
import inspect
import pkgutil
import re
import tokenize
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from importlib import import_module
from pathlib import Path

import suffice
from suffice.models.likelihoods.base import Likelihood

SOURCE = Path(suffice.__file__).parent
FOLDERS = ("models", "readers", "estimators")
LONG = 350


def files(*folders: str) -> list[Path]:
    """Return Python files of some folders, or of all."""
    return sorted(path for folder in folders or ("",) for path in (SOURCE / folder).rglob("*.py"))


def lines(path: Path) -> int:
    """Return how many lines a file has."""
    return path.read_text().count("\n")


def dispatchers(paths: Iterable[Path]) -> int:
    """Return how many functions are decorated with `singledispatch`."""
    nodes = (node for path in paths for node in ast.walk(ast.parse(path.read_text())))
    functions = (node for node in nodes if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))
    return sum(ast.unparse(each).endswith("singledispatch") for one in functions for each in one.decorator_list)


def names(path: Path, name: str) -> int:
    """Return how often a name stands in the code of a file."""
    with tokenize.open(path) as file:
        return sum(
            token.type == tokenize.NAME and token.string == name for token in tokenize.generate_tokens(file.readline)
        )


def classes() -> set[type]:
    """Return all classes of the library."""
    found: set[type] = set()
    for module in pkgutil.walk_packages(suffice.__path__, "suffice."):
        members = inspect.getmembers(import_module(module.name), inspect.isclass)
        found |= {kind for _, kind in members if kind.__module__.startswith("suffice.")}
    return found


def own_bases(kind: type) -> int:
    """Return how many classes of the library a class inherits from."""
    return sum(base.__module__.startswith("suffice.") for base in kind.__mro__[1:])


def contract(kind: type) -> tuple[list[str], list[str]]:
    """Return the public methods and the public class attributes that a class defines or declares itself."""
    own = vars(kind)
    methods = [name for name, value in own.items() if inspect.isfunction(value) or isinstance(value, property)]
    attributes = {*inspect.get_annotations(kind)} | {*own} - {*methods}
    return [name for name in methods if name[0] != "_"], sorted(name for name in attributes if name[0] != "_")


def class_names(paths: Iterable[Path]) -> Iterator[tuple[str, str]]:
    """Yield the names of classes, with the files that they are in."""
    for path in paths:
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ClassDef):
                yield node.name, str(path.relative_to(SOURCE))


def twice(pairs: Iterable[tuple[str, str]]) -> str:
    """Return how many names come more than once, and which."""
    places: dict[str, list[str]] = defaultdict(list)
    for name, place in pairs:
        places[name].append(place)
    found = {name: len(where) for name, where in sorted(places.items()) if len(where) > 1}
    return f"{len(found)}: {', '.join(f'{name} ×{n}' for name, n in found.items())}".rstrip(": ")


def file_names(paths: Iterable[Path]) -> Iterator[tuple[str, str]]:
    """Yield the names of files, with where they are; every folder has an `__init__.py`."""
    return ((path.name, str(path.parent)) for path in paths if path.name != "__init__.py")


def nodes(paths: Iterable[Path]) -> int:
    """Return how many nodes the syntax trees of files have."""
    return sum(1 for path in paths for _ in ast.walk(ast.parse(path.read_text())))


def one_line_helpers(paths: Iterable[Path]) -> int:
    """Return how many functions have a body of one line besides the docstring and a name that is used once."""
    used, helpers = Counter[str](), list[str]()
    for path in paths:
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Name):
                used[node.id] += 1
            elif isinstance(node, ast.Attribute):
                used[node.attr] += 1
            elif isinstance(node, ast.FunctionDef):
                body = [each for each in node.body if not isinstance(each, ast.Expr | ast.Pass)]
                if len(body) == 1 and body[0].end_lineno == body[0].lineno:
                    helpers.append(node.name)
    return sum(used[name] == 1 for name in helpers)


def hooks(kinds: Iterable[type]) -> int:
    """Return how many private members of estimators and stored models are defined again by a subclass."""
    again = set[str]()
    for kind in kinds:
        if kind.__module__.startswith("suffice.estimators"):
            for base in kind.__mro__[1:]:
                if base.__module__.startswith("suffice.estimators"):
                    again |= {name for name in vars(kind).keys() & vars(base).keys() if name[0] == "_" != name[1]}
    return len(again - {"_abc_impl", "_parameter_constraints"})


def main() -> None:
    """Print them."""
    every, inner = files(), files(*FOLDERS)
    kinds = sorted(classes(), key=lambda kind: (-own_bases(kind), kind.__name__))
    most = own_bases(kinds[0])
    named = ", ".join(kind.__name__ for kind in kinds if own_bases(kind) == most)
    long = [f"{path.relative_to(SOURCE)} {lines(path)}" for path in inner if lines(path) > LONG]
    owners = sum(len(re.findall(r"\bowner: Any\b", path.read_text())) for path in every)
    where = "models + readers + estimators"
    methods, attributes = contract(Likelihood)
    print(f"contract of a likelihood: {len(methods)} methods, {len(attributes)} class attributes")
    print(f"@singledispatch: {dispatchers(every)}")
    print(f"owner: Any: {owners}")
    print(f"Any in estimators: {sum(names(path, 'Any') for path in files('estimators'))}")
    print(f"own base classes, at most: {most} ({named})")
    print(f"files in {where}: {len(inner)}, with {sum(map(lines, inner)):,} lines")
    print(f"files of more than {LONG} lines there: {len(long)}: {', '.join(long)}".rstrip(": "))
    print(f"names of files that come twice there: {twice(file_names(inner))}")
    print(f"names of files that come twice in all: {twice(file_names(every))}")
    print(f"names of classes that come twice there: {twice(class_names(inner))}")
    print(f"names of classes that come twice in all: {twice(class_names(every))}")
    print(f"files in all: {len(every)}, with {sum(map(lines, every)):,} lines and {nodes(every):,} nodes")
    print(f"functions of one line that are called from one place: {one_line_helpers(every)}")
    print(f"private hooks of estimators that subclasses define again: {hooks(kinds)}")


if __name__ == "__main__":
    main()
