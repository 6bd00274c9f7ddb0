"""`suffice fit` on files of a gigabyte, beside reading them and fitting in memory, and beside pandas with scikit-learn.

A CSV of texts (Zipf's words, 20 classes) and a Parquet of mixed columns are made in a temporary folder, or in
SUFFICE_SCRATCH, where they stay. Each job is a process of its own, so that its memory is its own: wall time and peak
memory. All fits have effort="fast", one pass. SUFFICE_FILE_GB sets another size. Writes its table into docs/files.md.
"""

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv as arrow_csv
import pyarrow.parquet as pq
from side_by_side import ROOT, keep, machine, markdown, put

from text import zipf

PAGE = ROOT / "docs" / "files.md"
SIZE = float(os.environ.get("SUFFICE_FILE_GB", "1")) * 1e9

READ = {
    "csv": "import pyarrow.csv as c; t = c.read_csv({path!r})",
    "parquet": "import pyarrow.parquet as q; t = q.read_table({path!r})",
}
FIT = {
    "csv": "sf.TextClassifier(effort='fast').fit(t['text'].combine_chunks(), t['label'].to_numpy())",
    "parquet": "sf.NaiveBayes(effort='fast').fit(t.drop_columns(['label']), t['label'].to_numpy())",
}
PEERS = {
    "csv": """
import pandas as pd
from sklearn.feature_extraction.text import HashingVectorizer
from sklearn.naive_bayes import MultinomialNB
vector, model = HashingVectorizer(alternate_sign=False, norm=None), MultinomialNB()
for part in pd.read_csv({path!r}, chunksize=50_000):
    model.partial_fit(vector.transform(part['text']), part['label'], classes=[f'c{{k}}' for k in range(20)])
""",
    "parquet": """
import numpy as np, pandas as pd, pyarrow.parquet as pq
from sklearn.naive_bayes import GaussianNB, CategoricalNB
from sklearn.preprocessing import OrdinalEncoder
numbers, words = GaussianNB(), CategoricalNB(min_categories=40)
for batch in pq.ParquetFile({path!r}).iter_batches(200_000):
    part = batch.to_pandas()
    y, classes = part.pop('label'), ['a', 'b', 'c']
    real = part.select_dtypes('number')
    named = part.drop(columns=real.columns).astype(str)
    codes = named.apply(lambda column: column.str[1:].astype(int))
    numbers.partial_fit(real.fillna(real.mean()), y, classes=classes)
    words.partial_fit(codes, y, classes=classes)
""",
}


def text_file(path: Path) -> None:
    texts, labels = zipf(100_000, 200_000, 20)
    table = pa.table({"text": texts, "label": [f"c{k}" for k in labels]})
    with arrow_csv.CSVWriter(path, table.schema) as writer:
        while path.stat().st_size < SIZE:
            writer.write_table(table)


def mixed_file(path: Path) -> None:
    rng, rows = np.random.default_rng(0), 500_000
    names = pa.array([f"v{k}" for k in range(40)])
    with pq.ParquetWriter(path, mixed(rng, 10, names).schema, compression="none", use_dictionary=False) as writer:
        while path.stat().st_size < SIZE:
            writer.write_table(mixed(rng, rows, names))


def mixed(rng: np.random.Generator, rows: int, names: Any) -> Any:
    codes = rng.integers(0, 3, rows)
    real = {f"x{j}": rng.normal(codes * j / 5, 1.0, rows) for j in range(6)}
    words = {f"w{j}": names.take(pa.array((rng.integers(0, 36, rows) + codes) % 40)) for j in range(4)}
    return pa.table({**real, **words, "label": pa.array(np.array(["a", "b", "c"])[codes])})


def run(*command: str) -> tuple[float, float]:
    """Return seconds and peak MB of a process."""
    start = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        raise SystemExit(f"{' '.join(command[:6])} failed")
    return time.perf_counter() - start, usage.ru_maxrss / 1024


def inside(code: str) -> dict[str, float]:
    """Return seconds that a process says its parts took."""
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    return {name: float(seconds) for name, seconds in (line.split() for line in done.stdout.splitlines())}


def measure(kind: str, path: Path, folder: Path) -> dict[str, Any]:
    command = [
        sys.executable,
        "-m",
        "suffice.cli",
        "fit",
        str(path),
        "-o",
        str(folder / "m.suffice"),
        "--effort",
        "fast",
    ]
    ours, memory = run(*command)
    code = (
        "import time, suffice as sf; sf.TextClassifier, sf.NaiveBayes; import pyarrow.csv, pyarrow.parquet\n"
        f"a = time.perf_counter(); {READ[kind].format(path=str(path))}; b = time.perf_counter()\n"
        f"{FIT[kind]}; c = time.perf_counter(); print('read', b - a); print('fit', c - b)"
    )
    parts = inside(code)
    peer, _ = run(sys.executable, "-c", PEERS[kind].format(path=str(path)))
    figures = {"ours": ours, "memory": memory, "peer": peer, **parts}
    print(f"{path.name}: {figures}", flush=True)
    return figures


def lines(name: str, size: float, figures: dict[str, Any]) -> list[str]:
    ratio, faster = figures["ours"] / (figures["read"] + figures["fit"]), figures["peer"] / figures["ours"]
    shown = [f"{figures['ours']:.1f} s", f"{figures['read']:.1f} s + {figures['fit']:.1f} s", f"{ratio:.2f}"]
    peer = f"{figures['peer']:.1f} s, {faster:.1f}×"
    return [f"{name}, {size / 1e9:.2f} GB", *shown, f"{figures['memory']:.0f} MB", peer]


def main() -> None:
    given = os.environ.get("SUFFICE_SCRATCH")
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(given or temporary)
        rows, facts = [], {}
        for kind, name, make in (("csv", "texts.csv", text_file), ("parquet", "mixed.parquet", mixed_file)):
            path = folder / name
            if not path.exists():
                make(path)
            facts[name] = measure(kind, path, Path(temporary))
            rows.append(lines(name, path.stat().st_size, facts[name]))
        helps = min(run(sys.executable, "-m", "suffice.cli", "--help")[0] for _ in range(5))
    head = [
        "file",
        "`suffice fit --effort fast`",
        "reading alone + fit in memory",
        "ratio",
        "peak memory",
        "pandas and scikit-learn",
    ]
    verdict = f"`suffice --help` takes {helps * 1000:.0f} ms."
    put(PAGE, "files", "\n".join([markdown(head, rows), "", verdict, "", machine() + "."]))
    keep("files", {**facts, "help": helps})


if __name__ == "__main__":
    main()
