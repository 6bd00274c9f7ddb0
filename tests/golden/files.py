"""Where frozen outputs and model files are, and how two outputs compare."""

import gzip
import json
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path
from typing import Any

from golden.cases import INTENDED, slug

HERE = Path(__file__).parent
OUTPUTS, FILES = HERE / "outputs", HERE / "files"

RELATIVE, ABSOLUTE, FRACTIONS = 1e-9, 1e-10, 64
ROUNDED = {"mean", "mean_lo", "scatter", "scatter_lo", "log_factorials"}
"""Sums of reals among what was counted. All else there has the same bits, if it is whole or a small fraction."""


OF_FILES = "said by files"
"""Where outputs that were frozen again keep what model files, which stay as they are, said before."""

SHOWN = 12


def output_file(case: str) -> Path:
    """Return where the outputs of a case are."""
    return OUTPUTS / f"{slug(case)}.json.gz"


def model_file(case: str, part: str) -> Path:
    """Return where a model is."""
    return FILES / f"{slug(case)}.{slug(part)}.suffice"


def write(path: Path, outputs: Any) -> None:
    """Write outputs: the same bytes for the same outputs."""
    path.parent.mkdir(exist_ok=True)
    text = json.dumps(outputs, ensure_ascii=False, separators=(",", ":"), sort_keys=True)
    path.write_bytes(gzip.compress(text.encode(), 9, mtime=0))


@cache
def read(path: Path) -> Any:
    """Read outputs."""
    return json.loads(gzip.decompress(path.read_bytes()))


def held_to(case: str, part: str) -> Any:
    """Return what the model of a file must say: what it said when it was written, if its outputs were frozen again."""
    frozen = read(output_file(case))
    if OF_FILES in frozen:
        return frozen[OF_FILES][part]
    for name in part.split("/"):
        frozen = frozen[name]
    return frozen


def reason(path: str) -> str | None:
    """Return why outputs differ, if that is wanted."""
    return next((why for pattern, why in INTENDED.items() if fnmatchcase(path, pattern)), None)


def must_agree(path: str, frozen: Any, now: Any) -> None:
    """Fail with the first differences, if there are any."""
    found = differences(path, frozen, now)
    assert not found, "\n".join([f"{len(found)} differences", *found[:SHOWN]])


def differences(path: str, frozen: Any, now: Any, exact: bool = False) -> list[str]:
    """Return where outputs are not what they were, a line each. New attributes are no difference."""
    if frozen == now or reason(path) is not None:
        return []
    name = path.rpartition("/")[2]
    exact = (exact or name == "counts") and name not in ROUNDED
    if isinstance(frozen, dict) and isinstance(now, dict):
        new = set() if name == "attributes" else now.keys() - frozen.keys()
        lost = [
            f"{path}: {key} is {'new' if key in new else 'missing'}"
            for key in sorted({*new, *(frozen.keys() - now.keys())})
            if reason(f"{path}/{key}") is None
        ]
        both = frozen.keys() & now.keys()
        return lost + [
            line for key in sorted(both) for line in differences(f"{path}/{key}", frozen[key], now[key], exact)
        ]
    if isinstance(frozen, list) and isinstance(now, list) and len(frozen) == len(now):
        pairs = zip(frozen, now, strict=True)
        return [line for i, (a, b) in enumerate(pairs) for line in differences(f"{path}[{i}]", a, b, exact)]
    return [] if same(frozen, now, exact) else [f"{path}: was {short(frozen)}, is {short(now)}"]


def same(frozen: Any, now: Any, exact: bool) -> bool:
    """Return whether two values are the same: numbers to nine digits, counts to the bit."""
    if not is_number(frozen) or not is_number(now):
        return type(frozen) is type(now) and bool(frozen == now)
    if frozen == now or (frozen != frozen and now != now):
        return True
    counted = exact and float(frozen * FRACTIONS).is_integer()
    return not counted and abs(frozen - now) <= ABSOLUTE + RELATIVE * abs(frozen)


def is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def short(value: Any) -> str:
    text = repr(value)
    return text if len(text) < 60 else f"{text[:57]}..."
