"""The package as an installer, an importer and a type checker see it."""

import ast
import os
import pickle
import re
import subprocess
import sys
import sysconfig
import zipfile
from functools import cache
from importlib.metadata import version
from pathlib import Path

import pytest

import suffice as sf
from suffice import _native

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "suffice"


def python(code: str, *options: str, **extra: str) -> str:
    done = subprocess.run(
        [sys.executable, *options, "-c", code], capture_output=True, text=True, check=False, env={**os.environ, **extra}
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_one_version() -> None:
    assert version("suffice") == sf.__version__


def test_importing_the_package_imports_nothing_heavy() -> None:
    """numpy alone would take longer than all of us may."""
    loaded = python(
        "import sys, suffice; print([m for m in ('numpy', 'scipy', 'suffice._native') if m in sys.modules])"
    )
    assert loaded == "[]"


def test_lazy_names_are_all_there_and_typed() -> None:
    stub = ast.parse((PACKAGE / "__init__.pyi").read_text())
    typed = {alias.asname for node in stub.body if isinstance(node, ast.ImportFrom) for alias in node.names}
    modules = {
        "concepts",
        "datasets",
        "errors",
        "estimators",
        "evaluate",
        "models",
        "plots",
        "posterior",
        "engines",
        "readers",
        "reporting",
        "stats",
        "store",
        "tables",
        "text",
        "typing",
    }  # not in __all__: import * must not hide a user's own names
    assert typed | {"__version__"} == set(sf.__all__) | modules
    for name in [*sf.__all__, *modules]:
        assert getattr(sf, name) is not None
        assert name in dir(sf)
    typo = "Bata"
    with pytest.raises(AttributeError, match="no attribute 'Bata'"):
        getattr(sf, typo)


def test_the_compiled_module_has_the_stub_it_claims() -> None:
    stub = ast.parse((PACKAGE / "_native.pyi").read_text())
    named = {node.name for node in stub.body if isinstance(node, ast.FunctionDef | ast.ClassDef)}
    named |= {
        t.id for node in stub.body if isinstance(node, ast.Assign) for t in node.targets if isinstance(t, ast.Name)
    }
    assert named == {name for name in dir(_native) if not name.startswith("_")}


def test_typed() -> None:
    assert (PACKAGE / "py.typed").exists()


def test_show_versions(capsys: pytest.CaptureFixture[str]) -> None:
    sf.show_versions()
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == [
        "suffice",
        "numpy",
        "scipy",
        "scikit-learn",
        "narwhals",
        "pyarrow",
        "python",
        "platform",
    ]


def test_the_compiler_may_not_fuse_or_specialise() -> None:
    flags = (ROOT / "CMakeLists.txt").read_text()
    assert "-ffp-contract=off" in flags
    assert "-O3" in flags
    assert "march=native" not in flags


OPTIONAL = {"dask": {"engines/dask.py"}, "pyspark": {"engines/spark.py", "engines/spark_passes.py"}}
"""Libraries that only an engine needs, and where they are known."""


@pytest.mark.thorough
def test_an_engine_is_known_only_to_itself() -> None:
    for library, places in OPTIONAL.items():
        users = {path for path in PACKAGE.rglob("*.py") if any(m.split(".")[0] == library for m in imports(path))}
        assert {path.relative_to(PACKAGE).as_posix() for path in users} == places
    loaded = python("import sys, suffice.engines; print([m for m in ('dask', 'pyspark') if m in sys.modules])")
    assert loaded == "[]"


@pytest.mark.thorough
@pytest.mark.parametrize("library", list(OPTIONAL))
def test_an_engine_that_is_not_installed_says_so(library: str) -> None:
    engine = {"dask": "dask", "pyspark": "spark"}[library]
    code = f"""
import sys
sys.modules[{library!r}] = None
try:
    import suffice.engines.{engine}
except ImportError as error:
    print(type(error).__name__, error)
"""
    printed = python(code)
    assert printed.startswith("MissingLibrary")
    assert f"pip install suffice[{engine}]" in printed


def test_dependencies_declared_are_those_imported() -> None:
    declared = re.search(r"^dependencies = \[(.*?)\]", (ROOT / "pyproject.toml").read_text(), re.MULTILINE | re.DOTALL)
    assert declared
    names = set(re.findall(r'"([a-z-]+)', declared[1]))
    imported = {module.split(".")[0] for path in PACKAGE.rglob("*.py") for module in imports(path)}
    ours = imported - set(sys.stdlib_module_names) - set(OPTIONAL)
    assert {name.replace("sklearn", "scikit-learn") for name in ours} == names | {"suffice"}


def test_scikit_learn_is_known_only_to_the_estimators() -> None:
    users = {path for path in PACKAGE.rglob("*.py") if any(m.startswith("sklearn") for m in imports(path))}
    assert {path.relative_to(PACKAGE).parts[0] for path in users} == {"estimators"}


def test_modules_that_are_imported_later_travel_to_other_processes() -> None:
    from suffice import later

    there = pickle.loads(pickle.dumps(later.sparse))
    assert there.csr_matrix is later.sparse.csr_matrix


@cache
def imports(path: Path) -> set[str]:
    """Return all that a file imports, inside functions too: `from a import b` counts as a and as a.b."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found |= {node.module} | {f"{node.module}.{alias.name}" for alias in node.names}
    return found


@pytest.mark.thorough
def test_a_wheel_installs_and_imports_elsewhere(tmp_path: Path) -> None:
    build = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation"]
    done = subprocess.run(
        [*build, "--wheel-dir", str(tmp_path), str(ROOT)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    (wheel,) = tmp_path.glob("suffice-*.whl")
    target = tmp_path / "elsewhere"
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(target)
        names = archive.namelist()
    assert {"suffice/py.typed", "suffice/__init__.pyi", "suffice/_native.pyi"} <= set(names)
    stable = sys.version_info >= (3, 12)
    assert f"suffice/_native{'.abi3.so' if stable else sysconfig.get_config_var('EXT_SUFFIX')}" in names
    assert not [name for name in names if name.startswith(("tests", "native", "examples"))]
    code = "import suffice as sf; print(sf.__file__, sf.Beta(2, 2).update(values=[1, 0, 0]))"
    path = os.pathsep.join([str(target), sysconfig.get_path("purelib")])
    where, answer = python(code, "-S", PYTHONPATH=path).split(" ", 1)  # -S: no editable install gets in the way
    assert where.startswith(str(target))
    assert answer == "Beta(a=3, b=4)"
