"""Read the docstrings of a module: parsed from its source, or from its objects if it is compiled."""

import ast
import inspect
import warnings
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

__all__ = ["Docstring", "Module"]


class Docstring(NamedTuple):
    """The text of a docstring, and the dotted name of its group."""

    text: str
    group: str


class Module(NamedTuple):
    """A module with its dotted name and its source file, which is None for a compiled module."""

    name: str
    path: Path | None = None

    def docstrings(self) -> list[Docstring]:
        """Return all docstrings of the module, in order; none if it cannot be read."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about escape sequences and deprecations of other libraries
            try:
                return list(self._live() if self.path is None else self._parsed(self.path))
            except (AttributeError, ImportError, OSError, SyntaxError, ValueError, RecursionError):
                return []

    def _parsed(self, path: Path) -> Iterator[Docstring]:
        source = path.read_bytes()
        if b'"""' not in source and b"'''" not in source:
            return  # skip parsing, which takes most of the time
        for node in definitions(ast.parse(source)):
            if isinstance(node, ast.Expr):
                yield from (Docstring(text, self.name) for text in handed_over(node.value))
            elif text := ast.get_docstring(node, clean=False):
                yield Docstring(text, self.name)

    def _live(self) -> Iterator[Docstring]:
        """Yield the docstrings of a compiled module, with each class as a group, since modules can be very large."""
        module = import_module(self.name)
        for name, value in vars(module).items():
            if inspect.isclass(value) and value.__module__ == self.name:
                for member in (value, *vars(value).values()):
                    yield from written(member, f"{self.name}.{name}")
            elif not isinstance(value, type | ModuleType) and callable(value):
                yield from written(value, self.name)


def definitions(parent: ast.Module | ast.stmt) -> Iterator[Any]:
    """Yield the nodes that may have a docstring: module, classes, functions and calls, without nested functions."""
    if isinstance(parent, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef | ast.Expr):
        yield parent
    if isinstance(parent, ast.Module | ast.ClassDef | ast.If | ast.Try | ast.With | ast.For):
        for child in (*parent.body, *getattr(parent, "orelse", ())):
            yield from definitions(child)


def handed_over(call: ast.expr) -> Iterator[str]:
    """Yield the docstrings that numpy and scipy add to compiled functions by `add_newdoc`."""
    if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id.startswith("add_newdoc"):
        for argument in call.args:
            for node in argument.elts if isinstance(argument, ast.Tuple) else [argument]:
                if isinstance(node, ast.Constant) and isinstance(node.value, str):
                    yield node.value


def written(thing: Any, group: str) -> Iterator[Docstring]:
    """Yield the docstring of an object, without the signature that Cython adds above it."""
    text = getattr(thing, "__doc__", None)
    if isinstance(text, str):
        first, _, rest = text.partition("\n")
        yield Docstring(rest if "(self" in first or "(cls" in first else text, group)
