"""Rows and values that are too long are refused by name, before they are held in memory."""

import gzip
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.feather as feather
import pyarrow.parquet as pq
import pytest

import suffice as sf
from cli.test_cli import run
from refusals import refused
from suffice.errors import FileError, InputError
from suffice.tables.row_files import Files, Given

MOST = 100
PEAK = """
import resource, sys
from pathlib import Path
from suffice.errors import FileError
from suffice.tables.row_files import Files, Given

def peak_after(path):
    try:
        list(Files([path], "skip", Given(longest_row=2**20)))
    except FileError:
        pass
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

small = Path(sys.argv[1] + ".csv")
small.write_text("text,label\\ncheap,x\\n")
before = peak_after(small)
print(peak_after(Path(sys.argv[1])) - before)
"""
"""Prints by how many kilobytes the peak of memory grows while a file is read."""

ROWS = [{"text": f"tea {i}", "label": "xy"[i % 2]} for i in range(60)]


def line(row: dict[str, str]) -> str:
    return f'"{row["text"]}",{row["label"]}' if "," in row["text"] else f"{row['text']},{row['label']}"


def written(path: Path, rows: list[dict[str, str]]) -> Path:
    """Write rows in the format that the name says."""
    if path.suffix == ".csv":
        path.write_text("\n".join(["text,label", *map(line, rows)]))
    elif path.suffix == ".jsonl":
        path.write_text("\n".join(json.dumps(row, separators=(",", ":")) for row in rows))
    elif path.suffix == ".parquet":
        pq.write_table(pa.Table.from_pylist(rows), path)
    elif path.suffix == ".arrow":
        feather.write_feather(pa.Table.from_pylist(rows), path)
    else:
        for i, row in enumerate(rows):
            folder = path / row["label"]
            folder.mkdir(parents=True, exist_ok=True)
            (folder / f"{i}").write_text(row["text"])
    return path


def beside(name: str, text: str) -> int:
    """Return the number of bytes of a row besides a text."""
    row = {"text": text, "label": "x"}
    lines = {"a.csv": line(row), "a.jsonl": json.dumps(row, separators=(",", ":"))}
    return len(lines.get(name, text)) - len(text)


def read(path: Path, errors: str = "raise") -> tuple[list[dict[str, Any]], Files]:
    files = Files([path], errors, Given(longest_row=MOST))
    return [row for table in files for row in table.to_pylist()], files


@pytest.mark.parametrize("block", [2**9, *(pytest.param(size, marks=pytest.mark.thorough) for size in (2**22, 64))])
@pytest.mark.parametrize("name", ["a.csv", "a.jsonl", "a.parquet", "a.arrow", "folder"])
@pytest.mark.parametrize("filling", ["x", "x ", "x, "])
def test_a_row_may_be_as_long_as_allowed_and_no_longer(
    filling: str, name: str, block: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("suffice.tables.row_files.BLOCK", block)
    text = (filling * MOST)[: MOST - beside(name, filling) - 1] + "z"
    just = [*ROWS[:40], {"text": text, "label": "x"}, *ROWS[40:]]
    rows, files = read(written(tmp_path / name, just))
    assert sorted(row["text"] for row in rows) == sorted(row["text"] for row in just)
    long = [*ROWS[:40], {"text": text + "y", "label": "x"}, *ROWS[40:]]
    path = written(tmp_path / "long" / name if name == "folder" else tmp_path / f"long_{name}", long)
    with pytest.raises(FileError, match=rf"long.*has a \w+ of more than {MOST} bytes.*argument 'longest_row' allows"):
        read(path)
    rows, files = read(path, "skip")
    assert sorted(row["text"] for row in rows) == sorted(row["text"] for row in ROWS)
    assert files.skipped == 1


@pytest.mark.parametrize(
    "parts",
    [
        ["text,label\ncheap,x\n", None, ",y\nlunch,x\n"],
        ['text,label\n"cheap, pills",x\n"', None, '",y\nlunch,x\n'],
        [None, ",y\n"],
        ['{"text": "cheap", "label": "x"}\n{"text": "', None, '", "label": "y"}\n'],
    ],
    ids=["plain", "quoted", "header", "json"],
)
@pytest.mark.parametrize("errors", [pytest.param("raise", marks=pytest.mark.thorough), "skip"])
def test_what_is_too_long_is_not_held(parts: list[str | None], errors: str, tmp_path: Path) -> None:
    path = tmp_path / ("a.jsonl.gz" if str(parts[0]).startswith("{") else "a.csv.gz")
    with gzip.open(path, "wb", 1) as file:
        for part in parts:
            for _ in range(100 if part is None else 1):
                file.write(b"x" * 2**20 if part is None else part.encode())
    files = Files([path], errors, Given(longest_row=2**20))
    if errors == "raise" or parts[0] is None:
        with pytest.raises(FileError, match=r"line of more than|row of more than 1,048,576 bytes in line 3"):
            list(files)
    else:
        assert sum(table.num_rows for table in files) + files.skipped >= 2
        assert files.skipped == 1
    if errors == "raise":  # in a process of its own, whose peak of memory no other test has raised
        answer = subprocess.run([sys.executable, "-c", PEAK, path], capture_output=True, text=True, check=True)
        print(answer.stdout)
        assert int(answer.stdout) < 60 * 2**10


def test_parquet_is_refused_before_it_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = written(tmp_path / "a.parquet", [{"text": "x" * 5000, "label": "x"}])
    monkeypatch.setattr(pq.ParquetFile, "iter_batches", None)
    with pytest.raises(FileError, match="has a value of more than 100 bytes in column 'text'"):
        read(path)


def test_the_limit_is_an_option_of_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    written(Path("a.csv"), [*ROWS, {"text": "tea " * 50, "label": "x"}])
    model = sf.fit_files(sf.TextClassifier(effort="fast"), "a.csv")
    with pytest.raises(FileError, match="in line 62"):
        sf.fit_files(sf.TextClassifier(), "a.csv", longest_row=100)
    with pytest.raises(FileError, match="in line 62"):
        list(sf.predict_files(model, "a.csv", longest_row=100))
    with refused(InputError, "longest_row", must="be a number of bytes, at least 1", got="0"):
        sf.fit_files(sf.TextClassifier(), "a.csv", longest_row=0)
    assert run(monkeypatch, "fit", "a.csv", "--longest-row", "100") == 3
    says = "a row of more than 100 bytes in line 62, the most that the option '--longest-row' allows. --errors skip"
    assert says in capfd.readouterr().err
    assert run(monkeypatch, "fit", "a.csv", "--longest-row", "300") == 0
    assert run(monkeypatch, "fit", "a.csv", "--longest-row", "-1") == 2
    assert "The option '--longest-row' must be" in capfd.readouterr().err
