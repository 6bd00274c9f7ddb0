"""Where the benchmarks find texts and tables that the project does not bring.

SUFFICE_DATA names the folder they are in; without it, ../shared/data beside the clone is looked for. SUFFICE_20NEWS may
name the archive 20news-bydate.tar.gz or its folder. Penguins come with the package palmerpenguins.
"""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd  # type: ignore[import-untyped]
from judging import Split
from palmerpenguins import load_penguins
from side_by_side import ROOT

import suffice as sf

TWICE = {"titanic": ["alive", "class", "who", "adult_male", "embark_town", "alone"], "vowel": ["speaker", "sex"]}
"""Columns left out: Titanic's say again what others say, `alive` the target; vowel's name the speaker."""

READERS: dict[str, Callable[..., sf.datasets.Corpus]] = {
    "20news_bydate": sf.datasets.read_20newsgroups,
    "reuters_r8": sf.datasets.read_reuters_r8,
    "sms_spam": sf.datasets.read_sms_spam,
}


def folder() -> Path | None:
    """Return where the files are."""
    given = os.environ.get("SUFFICE_DATA")
    beside = ROOT.parent / "shared" / "data"
    return Path(given) if given else beside if beside.is_dir() else None


def corpus(name: str, **subset: str) -> sf.datasets.Corpus | None:
    """Return texts with their labels, if they are installed."""
    given, place = os.environ.get("SUFFICE_20NEWS") if name == "20news_bydate" else None, folder()
    path = Path(given) if given else None if place is None else place / name
    return READERS[name](path, **subset) if path is not None and path.exists() else None


def frame(name: str, subset: str = "all") -> tuple[pd.DataFrame, Any] | None:
    """Return columns and target of a table, if it is installed."""
    if name == "penguins":
        penguins = load_penguins()
        return penguins.drop(columns="species"), penguins["species"].to_numpy()
    place = folder()
    if place is None or not (place / name).is_dir():
        return None
    table = sf.datasets.read_table(name, place / name, subset)
    return pd.DataFrame(table.X).drop(columns=TWICE.get(name, [])), table.y


def both(name: str) -> tuple[pd.DataFrame, Any, list[Split]] | None:
    """Return a table that comes in two parts."""
    train, test = frame(name, "train"), frame(name, "test")
    if train is None or test is None:
        return None
    X, y = pd.concat([train[0], test[0]], ignore_index=True), np.concatenate([train[1], test[1]])
    return X, y, [(np.arange(len(train[1])), np.arange(len(train[1]), len(y)))]


TOGETHER: dict[str, dict[str, Any]] = {
    "german": {"file": "german.data", "sep": " "},
    "krkp": {"file": "kr-vs-kp.data"},
    "magic": {"file": "magic04.data"},
    "nursery": {"file": "nursery.data"},
    "tictactoe": {"file": "tic-tac-toe.data"},
}
"""Tables without a head, the label last."""


def joined(name: str) -> tuple[pd.DataFrame, Any, list[Split] | None] | None:
    """Return columns, target and, where it comes with one, the split of a table whose columns may act together."""
    place = folder()
    if name == "pendigits" and place is not None and (place / name).is_dir():
        parts = [_headless(place / name / f"pendigits.{part}.data") for part in ("train", "test")]
        X, y = pd.concat([X for X, _ in parts], ignore_index=True), np.concatenate([y for _, y in parts])
        return X, y, [(np.arange(len(parts[0][1])), np.arange(len(parts[0][1]), len(y)))]
    if name == "adult":
        return both(name)
    if name in TOGETHER:
        given = TOGETHER[name]
        if place is None or not (place / name).is_dir():
            return None
        return *_headless(place / name / given["file"], given.get("sep", ",")), None
    found = frame(name)
    return None if found is None else (*found, None)


def _headless(path: Path, sep: str = ",") -> tuple[pd.DataFrame, Any]:
    table = pd.read_csv(path, header=None, sep=sep, skipinitialspace=True, keep_default_na=False)
    return table.iloc[:, :-1].rename(columns=lambda j: f"x{j}"), table.iloc[:, -1].to_numpy().astype(str)
