"""The scripts of the how-to page run, and the page shows them as they are."""

import importlib.util
from pathlib import Path
from typing import Any

import pytest

from engines.clusters import quiet

ROOT = Path(__file__).parents[2]
pytestmark = quiet


def load(name: str) -> Any:
    spec = importlib.util.spec_from_file_location(f"suffice_example_{name}", ROOT / "examples" / f"{name}.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.filterwarnings("ignore:The inplace keyword in DataFrame")  # Dask reads Parquet so, and pandas minds
def test_the_dask_script_runs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    load("dask_fit").main(tmp_path)
    printed = capsys.readouterr().out
    assert "200 texts in 10 partitions, classes ['ham', 'spam']" in printed
    assert [line.split() for line in printed.splitlines() if line.endswith(" 100")] == [
        ["ham", "ham", "100"],
        ["spam", "spam", "100"],
    ]


@pytest.mark.thorough
def test_the_spark_script_runs(spark: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """In the session that is there: another would take as long to start."""
    load("spark_fit").main(tmp_path)
    printed = capsys.readouterr().out
    assert "200 texts, classes ['ham', 'spam']" in printed
    assert [line.split("|")[1:4] for line in printed.splitlines() if "100|" in line.replace(" ", "")] == [
        ["  ham", "       ham", "  100"],
        [" spam", "      spam", "  100"],
    ]


@pytest.mark.parametrize("name", ["dask_fit", "spark_fit"])
def test_the_page_shows_the_script(name: str) -> None:
    script = (ROOT / "examples" / f"{name}.py").read_text(encoding="utf-8")
    start, end = script.index("def main("), script.index("\n\n\nif __name__")
    shown = script[start:end].split("\n\n", 1)[1]
    page = (ROOT / "docs" / "engines.md").read_text(encoding="utf-8")
    assert "\n".join(line[4:] for line in shown.splitlines()) in page
