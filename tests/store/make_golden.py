"""Writes a file of each kind of model in the format of this version, and what the models say: golden, never changed.

    PYTHONPATH=tests python tests/store/make_golden.py

Run it once for a new format version; files that are there already stay as they are.
"""

import json
from pathlib import Path

import suffice as sf
from store.cases import answer, models
from suffice.store.models import VERSION

GOLDEN = Path(__file__).with_name("golden")


def main() -> None:
    folder = GOLDEN / str(VERSION)
    folder.mkdir(parents=True, exist_ok=True)
    for name, (model, rows) in models().items():
        path = folder / f"{name}.suffice"
        if not path.exists():
            sf.save(model, path)
            path.with_suffix(".json").write_text(json.dumps(answer(model, rows).tolist()) + "\n")


if __name__ == "__main__":
    main()
