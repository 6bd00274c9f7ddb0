"""The words of the command line: where to begin, and messages about files, columns and options, never about Python."""

import re
import subprocess
import sys
import warnings
from pathlib import Path

import pytest
from typer.main import get_command

import suffice as sf
from cli.test_cli import VERBS, here, mails, run, write
from suffice.cli.main import for_the_shell
from suffice.cli.verbs import app
from suffice.errors import DataError, FileError, InputError
from suffice.telling import tell

__all__ = ["here"]

PYTHON = re.compile(r"[Tt]he arguments? '|\w=[\['\"]|\w+\(\)|'[Xy]'|Classifier\b|NaiveBayes|\bsf\.|parameter|Traceback")
"""What only makes sense in Python."""


@pytest.fixture
def files(here: Path) -> Path:
    """Add tables with a flaw each, and models of another kind."""
    rows = [f"{k % 7}.5,{'red' if k % 3 else 'blue'},{'ab'[k % 2]}" for k in range(60)]
    texts = {
        "t.csv": "\n".join(["size,colour,class", *rows]),
        "bad.csv": "size,colour,class\n1.0,red,a\n2.0,blue,b\n1.0,red,a,b\n",
        "other.csv": "weight,shape,class\n1,round,a\n2,flat,b\n",
        "nolabel.csv": "size,colour\n1,red\n2,blue\n",
        "gap.csv": "size,class\n1,a\n2,\n3,b\n",
        "header.csv": "text,label\n",
        "empty.csv": "",
        "x.parquet": "no parquet",
        "key": "secret\n",
    }
    for name, text in texts.items():
        (here / name).write_text(text)
    (here / "empty").mkdir()
    sf.save(sf.fit_files(sf.NaiveBayes(effort="fast"), here / "t.csv"), here / "t.suffice")
    sf.save(sf.MultinomialNB().fit([[2, 0], [0, 1]], ["tea", "rum"]), here / "tea.suffice")
    kept = sf.fit_files(sf.TextClassifier(effort="fast"), here / "mail.csv", journal=True)
    sf.save(kept, here / "journal.suffice")
    sf.save(sf.fit_files(sf.TextClassifier(effort="fast"), here / "mail.csv", journal="k"), here / "key.suffice")
    return here


@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize(
    ("words", "code", "says"),
    [
        ("fit mail.csv --target lable", 2, "The option '--target' must name a column .* Did you mean 'label'"),
        ("fit mail.csv --text txt", 2, "The option '--text' .* Did you mean 'text'"),
        ("fit nolabel.csv", 2, "The option '--target' must name the column of labels, one of 'size', 'colour'"),
        ("fit nolabel.csv --no-header", 2, "'c1', 'c2'.*--header takes them from its first line"),
        ("fit t.csv --drop size --drop colour", 2, "a column to learn from besides the labels 'class'"),
        ("fit t.csv --sep ,,", 2, "The option '--sep' must be one character"),
        ("fit t.csv --quote ab", 2, "The option '--quote'"),
        ("fit t.csv --encoding klingon", 2, "'--encoding' must name a text encoding, .*'latin-1'; got 'klingon'"),
        ("predict t.suffice t.csv --encoding hex", 2, "'--encoding' must name a text encoding, .*; got 'hex'"),
        ("fit mail.csv --drop label", 2, "'--drop' must name columns other than the column of labels; got 'label'"),
        ("inspect mail.suffice --top -1", 2, "'--top'.*See 'suffice inspect --help'"),
        ("explain mail.suffice hello --top -1", 2, "'--top'.*See 'suffice explain --help'"),
        ("fit t.csv --drop nope", 2, "The option '--drop'.*'nope'"),
        ("fit t.csv --effort much", 2, "'--effort'.*'much'.*'fast', 'balanced', 'best'.*'suffice fit --help'"),
        ("fit t.csv --kind poem", 2, "'--kind'.*'poem'.*'auto', 'text', 'table'"),
        ("fit t.csv --errors ignore", 2, "'--errors'.*'ignore'.*'raise', 'skip'"),
        ("fit gap.csv", 2, "The column 'class' .* 1 row lacks one. --errors skip leaves such rows out"),
        ("fit bad.csv", 3, "'bad.csv'.*line 4.*--errors skip"),
        ("fit t.csv other.csv", 2, "row 61 of the files"),
        ("fit header.csv", 2, "The files must hold rows; found none in 'header.csv'"),
        ("fit empty.csv", 3, "'empty.csv'"),
        ("fit empty", 3, "'empty'"),
        ("fit x.parquet", 3, "'x.parquet' cannot be read"),
        ("fit nowhere.csv", 3, "'nowhere.csv' does not exist"),
        ("fit t.csv -o nowhere/m.suffice", 3, "'nowhere/m.suffice' cannot be written: there is no such folder"),
        ("fit t.csv -o empty", 3, "'empty' cannot be written: it is a folder"),
        ("fit t.csv --journal-key nokey", 3, "'nokey' cannot be opened: no such file"),
        ("predict nowhere.suffice t.csv", 3, "The model file 'nowhere.suffice' does not exist"),
        ("predict t.csv t.csv", 3, "'t.csv' is not a model file"),
        ("predict t.suffice other.csv", 2, "'size', 'colour'.*got 'weight', 'shape'"),
        ("predict mail.suffice t.csv", 2, "the model's column of texts, 'text'; its columns are 'size', 'colour'"),
        ("predict tea.suffice t.csv", 2, "The file must hold only numbers; got 'blue'"),
        ("predict t.suffice bad.csv", 3, "'bad.csv'.*line 4"),
        ("evaluate t.csv --method guess", 2, "'--method'.*'holdout', 'folds', 'loo'"),
        ("evaluate t.csv --folds 1", 2, "The option '--folds' must be 2 or more"),
        ("evaluate t.csv --folds 3 --method loo", 2, "The option '--folds' needs --method folds; got --method loo"),
        ("evaluate t.suffice nolabel.csv", 2, "the model's column of labels, 'class'; its columns are 'size'"),
        ("evaluate tea.suffice mail.csv", 2, "labels that the model knows, such as 'rum', 'tea'; they have 'ham'"),
        ("explain mail.suffice hello --against eggs", 2, "no class 'eggs'; its classes are ham, spam"),
        ("explain mail.suffice hello --target ham --against ham", 2, "The options '--target' and '--against'"),
        ("explain mail.suffice new.csv --row 99", 2, "'--row' must name a row of the file, which has 20 rows"),
        ("explain t.suffice hello", 3, "This model reads tables: name a file, and its row by --row"),
        ("explain t.suffice bad.csv --row 3", 3, "line 4.*--errors skip"),
        ("inspect mail.csv", 3, "'mail.csv' is not a model file"),
        ("update t.suffice mail.csv", 2, "the model's column of labels, 'class'"),
        ("update mail.suffice mail.csv --journal", 2, "The option '--journal'"),
        ("update journal.suffice more.csv --journal-key key", 2, "The option '--journal-key' must name the file"),
        ("forget mail.suffice test.csv", 2, "a row that was not learned .* 'mail.suffice' is unchanged"),
        ("forget journal.suffice test.csv", 2, "Row 1 of the files was not learned"),
        ("forget key.suffice withdrawn.csv", 2, "The option '--journal-key' must name the file"),
        ("forget mail.suffice mail.csv --certificate c.json", 2, "'--certificate' needs a model with a journal"),
        ("refresh t.suffice mail.csv", 2, "the model's column of labels, 'class'"),
        ("merge mail.suffice t.suffice", 2, "'mail.suffice' holds a text classifier and 't.suffice' a table"),
        ("merge mail.suffice tea.suffice", 2, "models of one kind"),
        ("merge journal.suffice key.suffice", 2, "they have different keys. .*--journal-key"),
        ("merge journal.suffice mail.suffice", 2, "some keep none"),
        ("compare mail.suffice --data t.csv", 2, "the model's column of labels, 'label'"),
        ("report mail.suffice t.csv", 2, "the model's column of labels, 'label'"),
        ("fit", 2, "Missing argument 'FILES'. See 'suffice fit --help'"),
        ("compare mail.suffice", 2, "'--data'.*'suffice compare --help'"),
    ],
)
def test_errors_speak_of_files_columns_and_options(
    words: str, code: int, says: str, files: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    before = {path.name: path.read_bytes() for path in files.iterdir() if path.is_file()}
    assert run(monkeypatch, *words.split()) == code
    printed = capfd.readouterr()
    assert printed.out == ""
    assert re.search(says, printed.err.splitlines()[-1]), printed.err
    assert not PYTHON.search(printed.err), printed.err
    assert {path.name: path.read_bytes() for path in files.iterdir() if path.is_file()} == before


def test_the_hint_of_a_bad_value_can_be_followed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """The option replaces the usual words, so the hint repeats those that these rows hold."""
    monkeypatch.chdir(tmp_path)
    lines = [f"{size % 9},{'?' if size % 7 == 3 else size % 5 + 1},{'ab'[size % 2]}" for size in range(60)]
    for name, more in {"good": [], "bad": ["x,5,a"]}.items():
        Path(f"{name}.csv").write_text("\n".join(["size,price,class", *lines, *more]) + "\n", encoding="utf-8")
    assert run(monkeypatch, "fit", "good.csv", "--target", "class", "-o", "m.suffice") == 0
    capfd.readouterr()
    assert run(monkeypatch, "update", "m.suffice", "bad.csv") == 3
    said = " ".join(capfd.readouterr().err.split())
    assert "--missing '?' --missing 'x' reads it as a missing value, in place of the usual words" in said
    assert said.count("--errors skip") == 1
    assert run(monkeypatch, "update", "m.suffice", "bad.csv", "--missing", "?", "--missing", "x") == 0


def test_notes_speak_of_options_too() -> None:
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        tell("Dates are left out.", python="columns={'day': 'drop'} does.", shell="--drop 'day' does.")
        tell("The urns need more steps.", python="Increase max_iter or tol.")
    assert str(told[0].message) == "Dates are left out. columns={'day': 'drop'} does."
    assert [for_the_shell(one.message) for one in told] == [
        "Dates are left out. --drop 'day' does.",
        "The urns need more steps.",
    ]


def test_errors_are_told_in_words_of_the_shell() -> None:
    for error, line in {
        InputError("target and against", "differ", got=["a", "b"]):
            "The options '--target' and '--against' must differ; got 'a', 'b'.",
        InputError("longest_row", "be above 0", got=0).advise(python="Use f(x)."):
            "The option '--longest-row' must be above 0; got 0.",
        InputError("X", "hold rows", got=[]): "The file must hold rows; got none.",
        DataError("paths", "hold rows", row=999, cause=InputError("y", "hold labels"))
        .but("row 999 of the files cannot"):
            "The files must hold rows; row 1,000 of the files cannot: The column of labels must hold labels.",
        FileError("The file 'a=b.csv' has 'f(x)' in line 4.").advise(python="errors='skip'", shell="--errors skip"):
            "The file 'a=b.csv' has 'f(x)' in line 4. --errors skip",
        ValueError("could not convert string to float: 'blue'"): "The file must hold only numbers; got 'blue'.",
    }.items():  # fmt: skip
        assert for_the_shell(error) == line


@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize(
    ("words", "line"),
    [
        ("fit one.csv -o one.suffice", "Fitted a text classifier to 1 row of 1 class; wrote one.suffice"),
        ("fit mail.csv -o m.suffice", "Fitted a text classifier to 120 rows of 2 classes; wrote m.suffice"),
        ("fit t.csv -o m.suffice", "Fitted a table classifier to 60 rows of 2 classes; wrote m.suffice"),
        ("fit gap.csv --errors skip", "Skipped 1 row"),
        ("update mail.suffice one.csv", "Learned 1 more row; wrote mail.suffice"),
        ("update mail.suffice more.csv -o m.suffice", "Learned 120 more rows; wrote m.suffice"),
        ("forget mail.suffice withdrawn.csv", "Forgot 10 rows; wrote mail.suffice"),
        ("refresh mail.suffice mail.csv", "Chose hyperparameters on 120 rows; wrote mail.suffice"),
        ("merge mail.suffice old.suffice", "Merged 2 models of 240 rows in all; wrote merged.suffice"),
        ("evaluate few.csv", "1 row. Hold-out: a model fitted to 4 rows is evaluated on 1 other row."),
        ("evaluate few.csv", "log loss   0.0000"),
        ("inspect journal.suffice", "journal of 1.. different rows: 'suffice forget' refuses all others"),
    ],
)
def test_results_are_counted_in_words(
    words: str, line: str, files: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    write(files / "one.csv", [("cheap pills", "spam")])
    write(files / "few.csv", [("cheap pills", "spam")] * 5)
    assert run(monkeypatch, *words.split()) == 0
    printed = capfd.readouterr()
    assert any(re.fullmatch(line, one) for one in printed.out.splitlines()), printed.out
    assert not re.search(r"\b1 (rows|classes|models|columns)\b", printed.out + printed.err)


def test_suffice_alone_tells_what_to_type_first(
    here: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    assert run(monkeypatch) == 0
    printed = capfd.readouterr()
    commands = re.findall(r"^  suffice (\S.*?)(?:  .*)?$", printed.out, re.MULTILINE)
    assert "Type this first" in printed.out
    assert commands[0] == "evaluate mail.csv"
    assert max(map(len, printed.out.splitlines())) <= 80
    for line in commands:
        words = [word.strip('"') for word in re.findall(r'"[^"]*"|\S+', line)]
        assert run(monkeypatch, *words) == 0
    assert re.findall(r"^  (\w+)  +[A-Z]", printed.out, re.MULTILINE) == VERBS


OPTION = re.compile(r"--[a-z][a-z-]+")
ELSEWHERE = re.compile(r"'suffice [^']*'")
"""Commands that are quoted, which may have options of their own."""


def options_of(verb: str) -> set[str]:
    command = next(one for name, one in get_command(app).commands.items() if name == verb)  # type: ignore[attr-defined]
    return {"--help", *(name for parameter in command.params for name in (*parameter.opts, *parameter.secondary_opts))}


@pytest.mark.parametrize("verb", VERBS)
def test_help_speaks_of_the_options_and_the_verb_that_it_is_for(
    verb: str, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    assert run(monkeypatch, verb, "--help") == 0
    said = ELSEWHERE.sub("", " ".join(capfd.readouterr().out.split()))
    assert set(OPTION.findall(said)) <= options_of(verb)
    assert not [
        other for other in VERBS if other != verb and re.search(rf"\b(suffice|for '?){other}\b|; {other} then", said)
    ]


@pytest.mark.parametrize("verb", ["evaluate", "compare", "report"])
def test_results_speak_of_options_that_the_verb_has(
    verb: str, here: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    write(here / "some.csv", mails(0, 120)[:30])
    words = {"compare": ["mail.suffice", "--data", "some.csv"]}.get(verb, ["mail.suffice", "some.csv"])
    assert run(monkeypatch, verb, *words) == 0
    said = " ".join(capfd.readouterr().out.split())
    assert "could contain them" in said
    assert set(OPTION.findall(ELSEWHERE.sub("", said))) <= options_of(verb)
    assert "held_out" not in said


@pytest.mark.parametrize("name", ["mail.suffice", "model"])
def test_evaluate_takes_the_model_first(
    name: str, here: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    (here / "model").write_bytes((here / "mail.suffice").read_bytes())
    assert run(monkeypatch, "evaluate", name, "test.csv") == 0
    assert "120 rows. The counts of the model do not contain all of these rows" in capfd.readouterr().out
    assert run(monkeypatch, "evaluate", "test.csv", name) == 2
    assert run(monkeypatch, "evaluate", name) == 2
    assert run(monkeypatch, "evaluate", name, "old.suffice", "test.csv") == 2
    assert capfd.readouterr().err.count("must be one model file, and after it the files of rows") == 3


def test_each_verb_has_a_summary_of_one_short_line() -> None:
    for command in app.registered_commands:
        summary = (command.callback.__doc__ or "").splitlines()[0] if command.callback else ""
        assert summary.endswith(".")
        assert len(summary) <= 62


def test_the_shell_completes_verbs_options_and_their_values() -> None:
    code = "import sys; sys.argv = ['suffice']; from suffice.cli.main import main; main()"
    for typed, expected in {
        "suffice re": {"refresh", "report"},
        "suffice fit --ef": {"--effort"},
        "suffice fit --effort b": {"balanced", "best"},
    }.items():
        number = str(len(typed.split()) - 1)
        environment = {"_SUFFICE_COMPLETE": "complete_bash", "COMP_WORDS": typed, "COMP_CWORD": number}
        done = subprocess.run(
            [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False
        )
        assert set(done.stdout.split()) == expected, done.stderr


@pytest.mark.filterwarnings("default")
def test_a_row_of_a_file_with_flaws_is_explained(
    files: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    assert run(monkeypatch, "explain", "t.suffice", "bad.csv", "--row", "2", "--errors", "skip") == 0
    assert "log-odds" in capfd.readouterr().out
    assert run(monkeypatch, "compare", "t.suffice", "--data", "gap.csv", "--errors", "skip") == 0
    assert "t.suffice" in capfd.readouterr().out
