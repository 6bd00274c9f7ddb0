"""Do the tests notice? Change one operator, number or statement of the source at a time, and run the tests of it.

    make mutation                              the statistics and the families
    make mutation MUTATE="--minutes 10"        as many changes as fit, in an order that a seed shuffles
    make mutation MUTATE="--again"             only what no test noticed the last time
    tools/mutation.py --only dirichlet         changes whose place, function or kind holds that text

Nothing is written but build/mutation.txt, a line per change: `killed`, `survived` (no test noticed: write one, or see
that nothing can), `timeout`, `unreached` (no test comes by). Tests are collected once; then every change is made in
a forked process, in memory, by giving the functions new code, so properties and class methods change like any other.
Left as they are: docstrings, annotations, decorators, class bodies, text, and what a raise statement says.
Needs a system that can fork.
"""

from __future__ import annotations

import argparse
import ast
import gc
import os
import pickle
import random
import resource
import signal
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import CodeType, FrameType, FunctionType
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[1]
SOURCES = ["src/suffice/stats/counts.py", "src/suffice/stats/moments.py", "src/suffice/posterior"]
TESTS = ["tests/stats", "tests/posterior", "tests/laws/test_statistics.py", "tests/laws/test_posteriors.py"]
SLOW = "not number_of_threads and not release_the_interpreter"
"""Of the compiled kernels alone, and slow."""

OPERATORS: dict[type[ast.AST], type[ast.AST]] = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult, ast.Pow: ast.Mult, ast.FloorDiv: ast.Div,
    ast.Mod: ast.FloorDiv, ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd, ast.And: ast.Or, ast.Or: ast.And,
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In,
}  # fmt: skip
NAMES = {
    "maximum": "minimum", "minimum": "maximum", "max": "min", "min": "max", "any": "all", "all": "any",
    "floor": "ceil", "log1p": "log", "zeros_like": "ones_like", "zeros": "ones", "argmax": "argmin",
}  # fmt: skip


@dataclass
class Mutant:
    """One change, and the lines of which a test must run one to notice it."""

    path: str
    line: int
    column: int
    function: str
    what: str
    lines: range
    apply: Callable[[], None]

    def __str__(self) -> str:
        return f"{Path(self.path).relative_to(ROOT)}:{self.line}:{self.column}\t{self.function}\t{self.what}"


class Site:
    """All changes to one file. Each is made in the tree itself: the process that makes it makes no other."""

    def __init__(self, path: Path) -> None:
        self.path, self.tree = str(path), ast.parse(path.read_text())

    def mutants(self) -> Iterator[Mutant]:
        """Yield the mutants of all functions, methods and properties."""
        for node in self.tree.body:
            for method in node.body if isinstance(node, ast.ClassDef) else [node]:
                if isinstance(method, ast.FunctionDef) and not is_overload(method):
                    name = f"{node.name}.{method.name}" if isinstance(node, ast.ClassDef) else method.name
                    yield from self._function(method, name)

    def _function(self, node: ast.FunctionDef, name: str) -> Iterator[Mutant]:
        inside = range(node.body[0].lineno, (node.end_lineno or node.lineno) + 1)
        for defaults in (node.args.defaults, node.args.kw_defaults):
            for default in defaults:
                if default is not None:
                    yield from self._expression(default, name, inside, "default ")
        yield from self._block(node, "body", name)

    def _block(self, owner: Any, field: str, name: str) -> Iterator[Mutant]:
        for i, statement in enumerate(getattr(owner, field)):
            first, last = statement.lineno, statement.end_lineno
            if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant):
                continue  # a docstring, or ...
            if isinstance(statement, ast.Expr | ast.Raise | ast.AugAssign):
                dropped = ast.If(ast.Constant(0), [statement], [])  # still compiled, so names keep their scope
                yield self._mutant(statement, name, range(first, last + 1), "drop", self._put(owner, field, i, dropped))
            if isinstance(statement, ast.Raise):
                continue
            if isinstance(statement, ast.Return) and statement.value is not None:
                none = ast.IfExp(ast.Constant(1), ast.Constant(None), statement.value)
                put = self._put(statement, "value", None, none)
                yield self._mutant(statement, name, range(first, last + 1), "return None", put)
            blocks = [f for f in ("body", "orelse", "finalbody") if isinstance(getattr(statement, f, None), list)]
            inner = [s for f in blocks for s in getattr(statement, f)]
            head = range(first, (inner[0].lineno if inner else last + 1))
            if isinstance(statement, ast.With):
                null = ast.parse("__import__('contextlib').nullcontext()", mode="eval").body
                for item in statement.items:
                    yield self._mutant(statement, name, head, "no with", self._put(item, "context_expr", None, null))
            for child, value in ast.iter_fields(statement):
                if child not in (*blocks, "handlers", "annotation", "returns", "decorator_list", "args"):
                    for part in value if isinstance(value, list) else [value]:
                        if isinstance(part, ast.AST):
                            yield from self._expression(part, name, head, "")
            if isinstance(statement, ast.If):
                negated = ast.UnaryOp(ast.Not(), statement.test)
                yield self._mutant(statement, name, head, "if not", self._put(statement, "test", None, negated))
            if isinstance(statement, ast.AugAssign):
                yield from self._operator(statement, statement, "op", None, name, head, "")
            for block in blocks:
                yield from self._block(statement, block, name)
            for handler in getattr(statement, "handlers", []):
                yield from self._block(handler, "body", name)

    def _expression(self, root: ast.AST, name: str, lines: range, prefix: str) -> Iterator[Mutant]:
        if isinstance(root, ast.JoinedStr | ast.expr_context | ast.operator):
            return
        if isinstance(root, ast.BinOp | ast.BoolOp):
            yield from self._operator(root, root, "op", None, name, lines, prefix)
        elif isinstance(root, ast.Compare):
            for i in range(len(root.ops)):
                yield from self._operator(root, root, "ops", i, name, lines, prefix)
        elif isinstance(root, ast.IfExp):
            negated = ast.UnaryOp(ast.Not(), root.test)
            yield self._mutant(root, name, lines, f"{prefix}if not", self._put(root, "test", None, negated))
        elif isinstance(root, ast.Constant) and isinstance(root.value, bool | int | float):
            changed = not root.value if isinstance(root.value, bool) else root.value + 1
            changed = changed if changed != root.value else root.value * 2
            what = f"{prefix}{root.value} -> {changed}"
            yield self._mutant(root, name, lines, what, self._put(root, "value", None, changed))
        elif isinstance(root, ast.UnaryOp):
            same = ast.UnaryOp(ast.UAdd(), root.operand) if not isinstance(root.op, ast.Not) else root.operand
            if isinstance(root.op, ast.Invert | ast.Not):
                same = ast.IfExp(ast.Constant(1), root.operand, ast.Constant(0))
            what = f"{prefix}drop {type(root.op).__name__}"

            def plain() -> None:
                root.__class__, root.__dict__ = same.__class__, {**same.__dict__, **_place(root)}  # type: ignore[assignment]

            yield self._mutant(root, name, lines, what, plain)
        elif isinstance(root, ast.Call) and isinstance(root.func, ast.Attribute) and root.func.attr in NAMES:
            what = f"{prefix}{root.func.attr} -> {NAMES[root.func.attr]}"
            yield self._mutant(root.func, name, lines, what, self._put(root.func, "attr", None, NAMES[root.func.attr]))
        for field, value in ast.iter_fields(root):
            for part in value if isinstance(value, list) else [value]:
                if isinstance(part, ast.AST) and field not in ("annotation", "returns", "op", "ops"):
                    yield from self._expression(part, name, lines, prefix)

    def _operator(
        self, at: Any, owner: Any, field: str, i: int | None, name: str, lines: range, prefix: str
    ) -> Iterator[Mutant]:
        old = getattr(owner, field) if i is None else getattr(owner, field)[i]
        new = OPERATORS.get(type(old))
        if new is not None:
            what = f"{prefix}{type(old).__name__} -> {new.__name__}"
            yield self._mutant(at, name, lines, what, self._put(owner, field, i, new()))

    @staticmethod
    def _put(owner: Any, field: str, i: int | None, new: Any) -> Callable[[], None]:
        def put() -> None:
            if i is None:
                setattr(owner, field, new)
            else:
                getattr(owner, field)[i] = new

        return put

    def _mutant(self, at: Any, name: str, lines: range, what: str, apply: Callable[[], None]) -> Mutant:
        return Mutant(self.path, at.lineno, at.col_offset, name, what, lines, apply)


def is_overload(node: ast.FunctionDef) -> bool:
    """Return whether a function is there for type checkers only."""
    return any(isinstance(decorator, ast.Name) and decorator.id == "overload" for decorator in node.decorator_list)


def _place(node: Any) -> dict[str, int]:
    return {key: getattr(node, key) for key in ("lineno", "col_offset", "end_lineno", "end_col_offset")}


def codes(code: CodeType) -> Iterator[CodeType]:
    """Yield a code and all that it contains."""
    yield code
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            yield from codes(inner)


class Runs:
    """A replacement of pytest's loop over the tests: once watching the lines they reach, then once per change."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.options, self.out = options, ROOT / "build" / "mutation.txt"
        paths = [ROOT / source for source in options.sources]
        files = [file for path in paths for file in (sorted(path.glob("*.py")) if path.is_dir() else [path])]
        self.sites = {str(file): Site(file) for file in files}

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection(self) -> None:
        """Use fewer examples for every law, and stop at the first that fails."""
        from hypothesis import Phase, settings  # after pytest, which rewrites its assertions

        usual, enough = settings.get_profile("suffice"), (Phase.explicit, Phase.generate)
        few = settings(usual, max_examples=self.options.examples, phases=enough, report_multiple_bugs=False)
        settings.register_profile("mutation", few)
        settings.load_profile("mutation")

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Run all mutants."""
        from hypothesis import given, strategies

        given(strategies.floats())(lambda x: None)()  # what Hypothesis does but once
        mutants = [mutant for site in self.sites.values() for mutant in site.mutants()]
        mutants = [mutant for mutant in mutants if self.options.only in str(mutant)]
        if self.options.again:
            lines = [line.split("\t", 1) for line in self.out.read_text().splitlines()]
            lived = {mutant for verdict, mutant in lines if verdict in ("survived", "unreached")}
            mutants = [mutant for mutant in mutants if str(mutant) in lived]
        random.Random(self.options.seed).shuffle(mutants)
        print(f"\n{len(mutants)} changes, {len(session.items)} tests; first the tests as they are")
        reached, times = self._reach(session)
        self.functions: dict[tuple[str, str, int], list[FunctionType]] = {}
        for thing in gc.get_objects():
            if isinstance(thing, FunctionType) and thing.__code__.co_filename in self.sites:
                code = thing.__code__
                self.functions.setdefault((code.co_filename, code.co_qualname, code.co_firstlineno), []).append(thing)
        gc.freeze()  # or every child would copy what its collector looks at
        end, counts = time.monotonic() + 60 * self.options.minutes, Counter[str]()
        self.out.parent.mkdir(exist_ok=True)
        with self.out.open("w") as out:
            for mutant in mutants:
                if time.monotonic() > end:
                    break
                tests = {test for line in mutant.lines for test in reached.get((mutant.path, line), ())}
                verdict = self._verdict(session, mutant, sorted(tests, key=times.__getitem__), times)
                counts[verdict] += 1
                print(verdict, mutant, sep="\t", file=out, flush=True)
        print(f"{counts.total()} of {len(mutants)} changes made: {dict(counts)}; see {self.out.relative_to(ROOT)}")
        return True

    def _reach(self, session: pytest.Session) -> tuple[dict[tuple[str, int], set[int]], list[float]]:
        """Return which tests run a line, and how long they take; in a process of its own, like all that follows."""
        read, write = os.pipe()
        if (child := os.fork()) == 0:
            self._quiet()
            reached: dict[tuple[str, int], set[int]] = {}
            times: list[float] = []

            def local(frame: FrameType, event: str, _: Any) -> Any:
                reached.setdefault((frame.f_code.co_filename, frame.f_lineno), set()).add(len(times))
                return local

            def calls(frame: FrameType, event: str, _: Any) -> Any:
                return local(frame, event, None) if frame.f_code.co_filename in self.sites else None

            for item in session.items:
                start = time.process_time()
                sys.settrace(calls)
                item.config.hook.pytest_runtest_protocol(item=item, nextitem=None)
                sys.settrace(None)
                if session.testsfailed:
                    os.write(write, pickle.dumps(item.nodeid))
                    os._exit(1)
                times.append(time.process_time() - start)
            with os.fdopen(write, "wb") as sender:
                sender.write(pickle.dumps((reached, times)))
            os._exit(0)
        os.close(write)
        with os.fdopen(read, "rb") as receiver:
            found = pickle.loads(receiver.read())
        if os.waitpid(child, 0)[1] != 0:
            pytest.exit(f"A test fails although nothing was changed: {found}", returncode=1)
        return found  # type: ignore[no-any-return]

    def _verdict(self, session: pytest.Session, mutant: Mutant, tests: list[int], times: list[float]) -> str:
        if not tests:
            return "unreached"
        if (child := os.fork()) == 0:
            self._quiet()
            limit = 20 + 5 * sum(times[test] for test in tests)
            signal.setitimer(signal.ITIMER_PROF, limit)  # of the processor's time: others may work here
            signal.alarm(int(30 * limit))
            resource.setrlimit(resource.RLIMIT_AS, (8 << 30, 8 << 30))
            try:
                self._change(mutant)
                for test in tests:
                    item = session.items[test]
                    item.config.hook.pytest_runtest_protocol(item=item, nextitem=None)
                    if session.testsfailed:
                        os._exit(1)
            except BaseException:  # whatever it is, it was noticed
                os._exit(1)
            os._exit(0)
        status = os.waitpid(child, 0)[1]
        if os.WIFSIGNALED(status):
            return "timeout" if os.WTERMSIG(status) in (signal.SIGALRM, signal.SIGPROF) else "killed"
        return "killed" if os.WEXITSTATUS(status) else "survived"

    def _change(self, mutant: Mutant) -> None:
        tree = self.sites[mutant.path].tree
        mutant.apply()
        new = compile(ast.fix_missing_locations(tree), mutant.path, "exec")
        for code in codes(new):
            for function in self.functions.get((mutant.path, code.co_qualname, code.co_firstlineno), ()):
                function.__code__ = code
        if mutant.what.startswith("default "):
            self._defaults(tree, mutant)

    def _defaults(self, tree: ast.Module, mutant: Mutant) -> None:
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef) and node.lineno <= mutant.line <= node.body[0].lineno:
                for (path, qualname, _), functions in self.functions.items():
                    if (path, qualname) == (mutant.path, mutant.function):
                        for function in functions:
                            values = [self._value(default, function) for default in node.args.defaults]
                            function.__defaults__ = tuple(values) or None
                            names = zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True)
                            function.__kwdefaults__ = {a.arg: self._value(d, function) for a, d in names if d}

    @staticmethod
    def _value(default: ast.expr, function: FunctionType) -> Any:
        code = compile(ast.fix_missing_locations(ast.Expression(default)), "default", "eval")
        return eval(code, function.__globals__)

    @staticmethod
    def _quiet() -> None:
        gc.disable()
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, 1)
        os.dup2(null, 2)


def main() -> int:
    """Parse the arguments and hand over to pytest."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sources", nargs="+", default=SOURCES, help="files and folders to change")
    parser.add_argument("--tests", nargs="+", default=TESTS, help="tests to run; doctests of the sources always are")
    parser.add_argument("--only", default="", help="only changes whose line in the results holds this text")
    parser.add_argument("--again", action="store_true", help="only what survived, or was not reached, the last time")
    parser.add_argument("--minutes", type=float, default=120, help="when to stop")
    parser.add_argument("--examples", type=int, default=20, help="examples per law")
    parser.add_argument("--seed", type=int, default=0, help="of the order of the changes")
    options = parser.parse_args()
    os.chdir(ROOT)
    arguments = ["-q", "--no-header", "--tb=no", "--capture=no", "-p", "no:cacheprovider", "-k", SLOW]
    return int(pytest.main([*arguments, *options.tests, *options.sources], plugins=[Runs(options)]))


if __name__ == "__main__":
    sys.exit(main())
