"""Fit classifiers to labels that are noise, and print how far their loss is above that of the class shares.

    python benchmarks/noise.py [--seeds 5] [--only NAME] [--most ROWS] [--jobs 16]

fresh       log loss on 2,000 fresh rows, minus that of the training shares (one pseudo-count per class)
held out    log loss of leave_one_out, minus that of the shares of the rows, and its paired standard error

The rows and the classifiers are those of `tests/laws/noise.py`, whose law holds for a part of them in `make test`.
"""

from __future__ import annotations

import argparse
import sys
import warnings
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))
from laws.noise import MODELS, Cell, above_shares, cells


def measured(task: tuple[str, Cell, int, bool]) -> tuple[float, float, float, float]:
    """Return the figures of one fit."""
    warnings.simplefilter("ignore")
    name, cell, seed, held_out = task
    return above_shares(MODELS[name][0](), cell, seed, held_out)


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--only", default="", help="name of a model")
    parser.add_argument("--kind", default="", help="kind of rows")
    parser.add_argument("--least", type=int, default=0, help="smallest number of rows")
    parser.add_argument("--most", type=int, default=1000, help="largest number of rows")
    parser.add_argument("--numbers", type=float, default=4e6, help="largest number of rows x columns x classes")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--fresh-only", action="store_true")
    args = parser.parse_args()
    for name, (_, kinds) in MODELS.items():
        every = [cell for kind in kinds if args.kind in ("", kind) for cell in cells(kind)]
        some = [cell for cell in every if args.least <= cell.n <= args.most and cell.size <= args.numbers]
        if some and args.only in ("", name):
            report(name, some, args)


def report(name: str, some: list[Cell], args: argparse.Namespace) -> None:
    """Print the figures of a model, cell by cell, and their means."""
    tasks = [(name, cell, seed, not args.fresh_only) for cell in some for seed in range(args.seeds)]
    with ProcessPoolExecutor(args.jobs) as pool:
        got = np.array([*pool.map(measured, tasks)]).reshape(len(some), args.seeds, 4)
    for cell, (fresh, own, error, seconds) in zip(some, got.transpose(0, 2, 1), strict=True):
        print(
            f"{name:30} {cell.kind:10} n {cell.n:5} d {cell.d:4} classes {cell.classes:3}  fresh {fresh.mean():+.3f}  "
            f"held out {own.mean():+.3f} ± {error.mean():.3f}, {(own < -2 * error).sum()} low  {seconds.mean():.2f} s"
        )
    large, means = np.array([cell.n >= 100 for cell in some]), got[:, :, 0].mean(axis=1)
    for which, what in ((large, "n >= 100"), (~large, "n < 100")):
        if which.any():
            print(f"== {name}: fresh {means[which].mean():+.4f} in the mean, {means[which].max():+.3f} at most, {what}")
    low = int((got[:, :, 1] < -2 * got[:, :, 2]).sum())
    print(f"== {name}: held out too low in {low} of {got[:, :, 0].size}", flush=True)


if __name__ == "__main__":
    main()
