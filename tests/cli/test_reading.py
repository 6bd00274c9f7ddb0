"""What verbs say of the files they read, and the options of reading; real files as they are shipped."""

import gzip
import subprocess
import sys
from inspect import signature
from pathlib import Path

import pytest
from typer.main import get_command

import suffice as sf
from suffice.cli.command_inputs import FilesCommand, reading_options
from suffice.cli.verbs import app

from .test_cli import run

DATA = Path(__file__).parents[3] / "shared" / "data"
real = pytest.mark.skipif(not DATA.is_dir(), reason="the real files are not here")
READS = ["fit", "predict", "evaluate", "update", "forget", "refresh", "report", "compare"]


def test_every_verb_that_reads_has_the_options() -> None:
    for name, command in get_command(app).commands.items():  # type: ignore[attr-defined]
        if name in READS:
            assert set(signature(reading_options).parameters) <= {option.name for option in command.params}, name


def test_one_line_says_what_was_understood(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    rows = [f"{i / 4:.2f};{'red' if i % 3 else '?'};{i % 2}".replace(".", ",") for i in range(60)]
    Path("a.csv").write_text("\n".join(["size; colour; class", *rows]), encoding="utf-16")
    says = (
        "suffice: read a.csv: semicolon-separated, utf-16, header, decimal comma; 60 rows; target 'class'{}; "
        "1 numeric column, 1 text column; missing: '?'\n"
    )
    words = {"fit": ["a.csv", "-o", "m"], "predict": ["m", "a.csv", "-o", "p"], "update": ["m", "a.csv"]}
    words |= {"evaluate": ["a.csv", "--method", "holdout"]}
    for verb, given in words.items():
        assert run(monkeypatch, verb, *given) == 0
        assert says.format(", guessed" if given[0] == "a.csv" else "") in capfd.readouterr().err
        assert run(monkeypatch, verb, *given, "--quiet") == 0
        assert "suffice: read" not in capfd.readouterr().err
    assert sf.load("m").classes_.tolist() == ["0", "1"]


def test_options_of_reading(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.txt").write_text("\n".join(f"{i}^'-'^{'ab'[i % 2]}^{i % 3}" for i in range(60)))
    options = ["--sep", "^", "--quote", "'", "--no-header", "--missing", "-", "--encoding", "ascii", "--drop", "c2"]
    assert run(monkeypatch, "fit", "a.txt", "-o", "m", "--target", "c4", *options) == 0
    assert list(sf.load("m").columns_) == ["c1", "c3"]
    assert run(monkeypatch, "fit", "a.txt", "-o", "k", "--target", "c4", "--sep", "^", "--keep", "c3") == 0
    assert list(sf.load("k").columns_) == ["c3"]
    assert run(monkeypatch, "fit", "a.txt", "-o", "x", "--target", "c4", "--sep", "^", "--keep", "c9") == 2


STRICT = {
    "fit": ["t.csv", "half.csv", "-o", "out"],
    "predict": ["t.suffice", "half.csv", "-o", "out"],
    "evaluate": ["t.suffice", "half.csv"],
    "explain": ["t.suffice", "half.csv"],
    "update": ["t.suffice", "half.csv", "-o", "out"],
    "forget": ["h.suffice", "half.csv", "-o", "out"],
    "refresh": ["t.suffice", "half.csv", "-o", "out"],
    "compare": ["t.suffice", "--data", "half.csv"],
    "report": ["t.suffice", "half.csv", "-o", "out"],
}
"""Commands on rows without columns that the model has learned; every verb that reads files has one."""


@pytest.fixture
def half(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder with a table, one without half of its columns, and models of the first and of both."""
    monkeypatch.chdir(tmp_path)
    rows = [f"{i % 7}.5,c{i % 3},k{i * 7 % 5},{'xy'[i % 2]}" for i in range(60)]
    Path("t.csv").write_text("\n".join(["size,colour,kind,class", *rows]))
    Path("half.csv").write_text("\n".join(["size,class", *(",".join(row.split(",")[::3]) for row in rows)]))
    sf.save(sf.fit_files(sf.NaiveBayes(effort="fast"), "t.csv"), "t.suffice")
    with pytest.warns(UserWarning, match="Columns missing from the table"):
        sf.save(sf.fit_files(sf.NaiveBayes(effort="fast"), ["t.csv", "half.csv"]), "h.suffice")
    return tmp_path


@pytest.mark.filterwarnings("default")
def test_missing_columns_are_an_error_if_one_is_strict(
    half: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    reading = [command.callback for command in app.registered_commands if command.cls is FilesCommand]
    assert STRICT.keys() == {verb.__name__ for verb in reading if verb}
    for verb, words in STRICT.items():
        assert run(monkeypatch, verb, *words, "--strict") == 2, verb
        whose = "the first file has" if verb == "fit" else "the model has learned"
        says = f"The file 'half.csv' must have every column that {whose}; it lacks 'colour', 'kind'"
        assert says in capfd.readouterr().err
        assert not (half / "out").exists()
        assert run(monkeypatch, verb, *[word.replace("half", "t") for word in words], "--strict") == 0, verb
        (half / "out").unlink(missing_ok=True)
        assert run(monkeypatch, verb, *words) == 0, verb
        (half / "out").unlink(missing_ok=True)


@pytest.mark.filterwarnings("default")
def test_rows_of_json_need_not_have_every_column(half: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("suffice.tables.row_files.BLOCK", 32)
    Path("a.jsonl").write_text('{"size": 1.5, "colour": "c1"}\n{"size": 2.5}\n{"kind": "k1"}\n')
    assert run(monkeypatch, "predict", "t.suffice", "a.jsonl", "--only-prediction", "--strict") == 0
    Path("a.jsonl").write_text('{"size": 1.5, "colour": "c1"}\n{"size": 2.5}\n')
    assert run(monkeypatch, "predict", "t.suffice", "a.jsonl", "--only-prediction", "--strict") == 2


@pytest.mark.thorough
def test_a_table_of_tabs_on_standard_input(tmp_path: Path) -> None:
    lines = ["label\ttext", *("ham\tlunch at noon, you", "spam\tcheap pills for you") * 20]
    command = [sys.executable, "-m", "suffice.cli", "fit", "-", "-o", "m"]
    done = subprocess.run(command, input="\n".join(lines), text=True, cwd=tmp_path, capture_output=True, check=True)
    assert "standard input: tab-separated" in done.stderr
    assert sf.load(tmp_path / "m").class_count_.tolist() == [20, 20]


@pytest.mark.thorough
@real
@pytest.mark.parametrize(
    ("name", "rows", "says"),
    [
        ("adult/adult.data.gz", 32_561, "6 numeric columns, 9 text columns; missing: '?'"),
        ("adult/adult.test.gz", 16_281, "1 line above it left out"),
        ("sms_spam/SMSSpamCollection", 5_574, "tab-separated, utf-8, no header, quotes are plain characters"),
        ("german/german.data", 1_000, "space-separated, utf-8, no header"),
        ("pendigits/pendigits.train.data", 7_494, "17 numeric columns"),
        ("magic/magic04.data", 19_020, "10 numeric columns, 1 text column"),
        ("nursery/nursery.data", 12_960, "9 text columns"),
        ("tictactoe/tic-tac-toe.data", 958, "no header; 958 rows; 10 text columns"),
        ("krkp/kr-vs-kp.data", 3_196, "no header; 3,196 rows; 37 text columns"),
        ("votes/house-votes-84.data", 435, "17 text columns; missing: '?'"),
        ("car/car.data", 1_728, "7 text columns"),
        ("mushroom/agaricus-lepiota.data", 8_124, "23 text columns; missing: '?'"),
        ("vowel/vowel-context.data", 990, "14 numeric columns"),
        ("sonar/sonar.all-data", 208, "60 numeric columns, 1 text column"),
        ("ionosphere/ionosphere.data", 351, "34 numeric columns, 1 text column"),
        ("titanic/titanic.csv", 891, "2 flag columns; missing: ''"),
        ("penguins/penguins.csv", 344, "header; 344 rows"),
        ("reuters_r8/reuters-r8-train.tab.gz", 5_485, "2 lines below it left out"),
    ],
)
def test_real_files_are_read_as_they_are_shipped(name: str, rows: int, says: str) -> None:
    from suffice.tables.row_files import Files

    files = Files([DATA / name])
    assert sum(table.num_rows for table in files) == rows
    assert says in str(files.understood[0])


@real
def test_every_message_is_counted(tmp_path: Path) -> None:
    """Quotes at the start of messages swallowed others."""
    model = sf.fit_files(sf.TextClassifier(effort="fast"), DATA / "sms_spam" / "SMSSpamCollection", "c1")
    assert model.class_count_.tolist() == [4_827, 747]


@real
def test_adult_is_a_table_of_numbers_and_words(tmp_path: Path) -> None:
    path = tmp_path / "adult.data"
    with gzip.open(DATA / "adult" / "adult.data.gz") as file:
        path.write_bytes(b"".join(file.readlines()[:3000]))
    model = sf.fit_files(sf.NaiveBayes(effort="fast"), path, "c15")
    assert model.classes_.tolist() == ["<=50K", ">50K"]
    assert "?" not in model.statistics_["c2"].values.tolist()
