"""Nothing is lost in silence: malformed rows are reported by their line, and only they are skipped."""

import codecs
import json
import time
from encodings.aliases import aliases
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyarrow import feather

import suffice as sf
from refusals import refused
from suffice.cli.command_inputs import open_files, reading_by
from suffice.engines.roles import label_among
from suffice.errors import FileError, InputError, LabelError, PathError
from suffice.tables.row_files import Files, Given

CODECS = {found.name: found for found in map(codecs.lookup, sorted(set(aliases.values()) - {"mbcs", "oem"}))}
NO_ENCODINGS = ["punycode", "idna", "undefined", *(name for name, one in CODECS.items() if not one._is_text_encoding)]


def rows_of(path: Path, errors: str = "raise", **given: Any) -> tuple[list[dict[str, Any]], Files]:
    files = Files([path], errors, Given(**given))
    return [row for table in files for row in table.to_pylist()], files


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("suffice.tables.row_files.BLOCK", 2**13)


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("at", [0, 700, 3999])
def test_one_bad_flag_is_one_bad_row_wherever_it_stands(at: int, tmp_path: Path) -> None:
    lines = [f"{str(i % 3 == 0).lower()},{i},{'xy'[i % 2]}" for i in range(4000)]
    lines[at] = f"treu,{at},x"
    path = tmp_path / "a.csv"
    path.write_text("\n".join(["flag,n,label", *lines]))
    with pytest.raises(FileError, match=f"'treu' in column 'flag' in line {at + 2}"):
        rows_of(path)
    rows, files = rows_of(path, "skip")
    assert files.skipped == 1
    assert [row["n"] for row in rows] == [i for i in range(4000) if i != at]
    assert sf.fit_files(sf.NaiveBayes(), path, errors="skip").skipped_rows_ == 1


@pytest.mark.usefixtures("small")
def test_lines_are_right_below_empty_ones_and_values_of_several(tmp_path: Path) -> None:
    lines = [f'"a\nb {i}",{i}' if i % 5 == 0 else f"a,{i}" for i in range(2000)]
    lines[1500:1500] = ["", "a,many", ""]
    path = tmp_path / "a.csv"
    path.write_text("\n".join(["text,n", *lines]))
    line = 2 + 1500 + 300 + 1
    with pytest.raises(FileError, match=f"'many' in column 'n' in line {line}"):
        rows_of(path)
    rows, files = rows_of(path, "skip")
    assert [row["n"] for row in rows] == list(range(2000))
    assert "2 empty lines left out" in str(files.understood[0])


BAD_ROWS = ["1.5,red", "1.5,red,a,b", "word,red,a", "inf,red,a", '1.5,"red, a,b', '1.5,"re\nd",a,b']


@pytest.mark.parametrize("seed", range(30))
def test_the_first_bad_line_is_named(seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(seed)
    monkeypatch.setattr("suffice.tables.row_files.BLOCK", int(rng.choice([2**9, 2**11, 2**14, 2**22])))
    good = ["{i}.5,red,a", "{i}.5,blue,b", "{i}.5,red,b", '{i}.5,"a\nb",c', "", '{i}.5,"q, q",c']
    rows = [str(rng.choice(good, p=[0.3, 0.3, 0.3, 0.04, 0.03, 0.03])).format(i=i) for i in range(600)]
    bad = np.sort(rng.choice(np.arange(150, 600), rng.integers(1, 4), replace=False))
    for at in bad:
        rows[at] = str(rng.choice(BAD_ROWS))
    path = tmp_path / "a.csv"
    path.write_text("\n".join(["x,y,z", *rows]))
    line = 2 + sum(1 + row.count("\n") for row in rows[: bad[0]])
    with pytest.raises(FileError, match=f"in line {line}[,;]"):
        rows_of(path)
    assert rows_of(path, "skip")[1].skipped == len(bad)


@pytest.mark.parametrize("row", ['1.5,"red, a,b', '"1.5,red', '1.5,red,"a,b', '1.5,"red'])
def test_a_quote_that_is_not_closed_is_named(row: str, tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("\n".join(["x,y,z", *['1.5,"red",a', "2.5,blue,b"] * 9, row, *["2.5,blue,b"] * 9]))
    with pytest.raises(FileError, match=r"values? in line 20, .*: a value begins with a quote that is not closed"):
        rows_of(path)


def test_a_quote_that_is_not_closed_leaves_the_names_as_they_are(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text('"text","label"\n"a b, c","x"\n"d e f,"y"\n"g h","x"\n')
    rows, files = rows_of(path)
    assert [row["text"] for row in rows] == ["a b, c", '"d e f', "g h"]
    assert [row["label"] for row in rows] == ["x", "y", "x"]
    assert "1 quote in odd places taken as plain characters" in str(files.understood[0])


@pytest.mark.parametrize("name", ["a.csv", "a.jsonl", "a.parquet"])
def test_the_column_of_labels_can_only_be_dropped_for_answers(name: str, tmp_path: Path) -> None:
    rows = {"n": [1.0, 2.0, 3.0, 4.0], "m": [3, 1, 2, 1], "label": ["x", "y", "x", "y"]}
    path, table = tmp_path / name, pa.table(rows)
    if name == "a.csv":
        path.write_text("n,m,label\n" + "".join(f"{a},{b},{c}\n" for a, b, c in zip(*rows.values(), strict=True)))
    elif name == "a.jsonl":
        path.write_text("".join(json.dumps(row) + "\n" for row in table.to_pylist()))
    else:
        pq.write_table(table, path)
    for target in ["label", None][: 1 if name == "a.jsonl" else 2]:
        with refused(InputError, "drop", must="name columns other than the column of labels", got="'label'"):
            sf.fit_files(sf.NaiveBayes(), path, target, drop=["label"])
    model = sf.fit_files(sf.NaiveBayes(), path)
    with reading_by(drop=["label"], quiet=True):
        (found,) = sf.predict_files(model, open_files([path], "raise", model, labelled=False), keep=True)
    assert found.column_names == ["n", "m", "prediction", "probability", "p_x", "p_y"]


def test_a_loss_of_more_than_one_in_a_hundred_is_warned_of(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("\n".join(["n,label", *(f"{i},{'xy'[i % 2]}" for i in range(100)), "1,2,3", "4"]))
    with pytest.warns(UserWarning, match=r"2 of 102 rows \(2.0%\) were skipped; the first has 3 values"):
        sf.fit_files(sf.NaiveBayes(), path, errors="skip")


def test_labels_of_texts_are_strings_as_they_stand(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    labels = ["0", "1", "01", "007", "None", "NA"]
    path.write_text("\n".join(["n,label", *(f"{i},{labels[i % 6]}" for i in range(60))]))
    model = sf.fit_files(sf.NaiveBayes(), path)
    assert model.classes_.tolist() == sorted(labels)
    assert model.class_count_.sum() == 60
    declared = Files([path], "skip", Given(missing=("NA", "None")), lambda names: "label")
    assert sum(table["label"].null_count for table in declared) == 20


def test_labels_of_typed_files_keep_their_types(tmp_path: Path) -> None:
    pq.write_table(pa.table({"n": [1.0, 2.5, 3.0, 4.5] * 5, "label": [0, 1, 0, 1] * 5}), tmp_path / "a.parquet")
    (tmp_path / "a.jsonl").write_text("\n".join(json.dumps({"n": k + 0.5, "label": k % 2}) for k in range(20)))
    for name in ("a.parquet", "a.jsonl"):
        assert sf.fit_files(sf.NaiveBayes(), tmp_path / name).classes_.tolist() == [0, 1]


def test_what_was_learned_from_one_kind_of_file_judges_another(
    tmp_path: Path,
) -> None:
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 2, 60)
    table = pa.table({"n": rng.normal(labels * 4.0), "label": labels})
    pq.write_table(table, tmp_path / "a.parquet")
    rows = zip(table["n"].to_pylist(), labels.tolist(), strict=True)
    (tmp_path / "a.csv").write_text("\n".join(["n,label", *(f"{n},{y}" for n, y in rows)]))
    for learned, judged in (("a.csv", "a.parquet"), ("a.parquet", "a.csv")):
        model = sf.fit_files(sf.NaiveBayes(), tmp_path / learned)
        X, y, target = sf.engines.read_files(tmp_path / judged, model)
        assert target == "label"
        assert sf.evaluate.validate(model, X, y).accuracy > 0.9
        assert sf.engines.update_files(model, tmp_path / judged) == (60, 0)
        assert model.class_count_.tolist() == [2 * (60 - labels.sum()), 2 * labels.sum()]
    (tmp_path / "b.csv").write_text("n,label\n1.5,high\n")
    with pytest.raises(LabelError, match="must hold numbers"):
        sf.engines.update_files(model, tmp_path / "b.csv")
    assert model.class_count_.sum() == 120


def test_a_column_is_read_as_it_was_learned(tmp_path: Path) -> None:
    """Few rows of a later file may look like another kind: digits among words, words that are all numbers."""
    path, later = tmp_path / "a.csv", tmp_path / "b.csv"
    path.write_text("\n".join(["code,n,label", *(f"{'12A'[i % 3]},{i / 7},{'xy'[i % 2]}" for i in range(60))]))
    later.write_text("code,n,label\n1,3,x\n2,5,y\n")
    model = sf.fit_files(sf.NaiveBayes(), path)
    found = pa.concat_tables(sf.predict_files(model, later))
    wanted = model.predict_proba({"code": ["1", "2"], "n": [3.0, 5.0]})
    np.testing.assert_allclose(found["p_x"].to_numpy(), wanted[:, 0], rtol=1e-12)


def test_a_header_of_megabytes_is_read_at_once(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("text,label\n" + "word " * 800_000 + ",x\nshort,y\n")
    names = ",".join(f"{'name' * 100}{i}" for i in range(10_000))
    (tmp_path / "b.csv").write_text(f"{names}\n")
    start = time.process_time()
    assert [len(row["text"]) for row in rows_of(path)[0]] == [4_000_000, 5]
    assert rows_of(tmp_path / "b.csv")[0] == []
    assert time.process_time() - start < 5  # 11 seconds, when every byte of the header was looked at again and again


BAD_JSON = {
    "deep": '{"a": ' + "[" * 100_000 + "]" * 100_000 + ', "label": "x"}',
    "wide": '{"a": 123456789012345678901234567890, "label": "x"}',
    "long": '{"a": ' + "9" * 5000 + ', "label": "x"}',
    "long and cut": '{"a": -' + "9" * 5000 + ', "label": ',
    "half": '{"a": 1, "label": "\\ud800"}',
    "endless": '{"a": Infinity, "label": "x"}',
    "minus": '{"a": -1e999, "label": "x"}',
    "word": '{"a": "many", "label": "x"}',
    "none": "[1, 2]",
    "cut": '{"a": 1',
}


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("fault", BAD_JSON)
def test_faults_of_json_are_rows_that_can_be_skipped(fault: str, tmp_path: Path) -> None:
    lines = [json.dumps({"a": i, "label": "xy"[i % 2]}) for i in range(1000)]
    lines[800:800] = [BAD_JSON[fault]]
    path = tmp_path / "a.jsonl"
    path.write_text("\n".join(lines))
    with pytest.raises(FileError, match="in line 801"):
        rows_of(path)
    rows, files = rows_of(path, "skip")
    assert [row["a"] for row in rows] == list(range(1000))
    assert files.skipped == 1


def test_a_whole_number_of_json_with_thousands_of_digits_is_named(tmp_path: Path) -> None:
    path = tmp_path / "lines_of_json"
    path.write_text('{"a": %s, "label": "x"}\n' % ("9" * 5000))
    with pytest.raises(FileError, match="a whole number of more than 64 bits in 'a' in line 1"):
        rows_of(path)


def test_nan_of_json_is_missing(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text('{"a": NaN, "label": "x"}\n{"a": 1.5, "label": "y"}\n')
    assert [row["a"] for row in rows_of(path)[0]] == [None, 1.5]


def test_links_out_of_a_folder_are_not_followed(tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.mkdir()
    (secret / "key.txt").write_text("hunter2 secret words")
    root = tmp_path / "mails"
    for label, text in {"ham": "lunch at noon", "spam": "cheap pills"}.items():
        (root / label).mkdir(parents=True)
        (root / label / "1.txt").write_text(text)
    (root / "ham" / "link.txt").symlink_to(secret / "key.txt")
    (root / "ham" / "folder").symlink_to(secret)
    (root / "other").symlink_to(secret)
    (root / "ham" / "again.txt").symlink_to(root / "ham" / "1.txt")
    rows, files = rows_of(root)
    assert sorted(row["text"] for row in rows) == ["cheap pills", "lunch at noon", "lunch at noon"]
    assert "3 links out of the folder not followed" in str(files.understood[0])
    model = sf.fit_files(sf.TextClassifier(), root)
    assert model.classes_.tolist() == ["ham", "spam"]
    assert "hunter2" not in model.words_


PARTS = pa.table(
    {
        "x": np.arange(90) % 7 / 2,
        "words": ["red", "green", "blue"] * 30,
        "year": [2023, 2024] * 45,
        "site": ["a/b", None, "ü"] * 30,
        "label": ["ham", "spam", "01"] * 30,
    }
)


def dataset(folder: Path, *by: str) -> Path:
    """Write the rows as Spark and Hive do, with what they leave beside them."""
    pq.write_to_dataset(PARTS, folder, partition_cols=list(by))
    (folder / "_SUCCESS").touch()
    (folder / ".part.crc").write_text("check")
    (folder / "_temporary" / "0").mkdir(parents=True)
    (folder / "_temporary" / "0" / "half.parquet").write_text("half")
    return folder


@pytest.mark.parametrize("by", [[], ["year"], ["site", "year"], ["label"], ["year", "label"]], ids=str)
def test_a_folder_of_parts_is_one_table(by: list[str], tmp_path: Path) -> None:
    folder = dataset(tmp_path / "rows", *by)
    kinds = {"x": "gaussian", "words": "categorical", "year": "histogram", "site": "categorical"}
    model = sf.fit_files(sf.NaiveBayes(kinds), folder, "label")
    whole = sf.NaiveBayes(kinds).fit(PARTS, "label")
    assert sorted(model.columns_) == sorted(whole.columns_)
    assert model.classes_.tolist() == ["01", "ham", "spam"]
    np.testing.assert_allclose(model.predict_proba(PARTS), whole.predict_proba(PARTS), rtol=1e-9)
    same = sf.fit_files(sf.NaiveBayes(kinds), folder / "/".join(["[!_]*"] * len(by)) / "*.parquet", "label")
    assert sf.store.to_bytes(same) == sf.store.to_bytes(model)
    one = next(iter(sorted(folder.glob("[!_]*=*"))), folder)  # a part of the rows has the columns of its folders, too
    tables = list(sf.predict_files(model, one, keep=True))
    assert {*PARTS.column_names, "prediction"} <= set(tables[0].column_names)


def test_columns_of_folders_are_numbers_if_all_are(tmp_path: Path) -> None:
    for path in ("n=1/m=-0.5/w=01/label=1", "n=20/m=3/w=2/label=0", "n=__HIVE_DEFAULT_PARTITION__/m=7/w=x%2Fy/label=1"):
        (tmp_path / path).mkdir(parents=True)
        (tmp_path / path / "a.csv").write_text("x,n\n1,5\n" if "20" in path else "x\n1\n")
    files = Files([tmp_path], label=label_among)
    rows = [row for table in files for row in table.to_pylist()]
    assert [(row["n"], row["m"], row["w"], row["label"]) for row in rows] == [
        (1, -0.5, "01", "1"),
        (5, 3.0, "2", "0"),  # the file's own column comes first
        (None, 7.0, "x/y", "1"),
    ]
    alone = tmp_path / "n=1" / "m=-0.5" / "w=01" / "label=1" / "a.csv"  # adds only what a model knows
    assert rows_of(alone)[0] == [{"x": 1}]
    assert [table.to_pylist() for table in Files([alone], wanted={"m": "number"})] == [[{"x": 1, "m": -0.5}]]
    kept = Files([tmp_path], given=Given(keep=("x", "w")), label=label_among)
    assert [table.column_names for table in kept] == [["x", "w", "label"]] * 3
    read_as_words = Files([tmp_path], wanted={"m": "word"}, label=label_among)
    assert [table["m"].to_pylist() for table in read_as_words] == [["-0.5"], ["3"], ["7"]]


@pytest.mark.parametrize("ending", ["csv", "csv.gz", "jsonl", "feather"])
def test_folders_of_any_kind_of_rows(ending: str, tmp_path: Path) -> None:
    for k, part in enumerate((PARTS.slice(0, 40), PARTS.slice(40))):
        (path := tmp_path / "rows" / str(k)).mkdir(parents=True)
        if ending == "feather":
            feather.write_feather(part, path / f"a.{ending}")
        elif ending == "jsonl":
            (path / f"a.{ending}").write_text("".join(json.dumps(row) + "\n" for row in part.to_pylist()))
        else:
            part.to_pandas().to_csv(path / f"a.{ending}", index=False)
    (tmp_path / "rows" / "README.md").write_text("what this is")
    rows, files = rows_of(tmp_path / "rows")
    assert [row["words"] for row in rows] == PARTS["words"].to_pylist()
    assert "1 other file in" in str(files.understood[0])
    (tmp_path / "rows" / "1" / "note.txt").write_text("a text makes it a folder of texts")
    assert [row["label"] for row in rows_of(tmp_path / "rows")[0]] == ["0", "1", "1"]


def test_links_to_parts_elsewhere_are_not_followed_and_told(tmp_path: Path) -> None:
    folder = tmp_path / "rows"
    folder.mkdir()
    pq.write_table(PARTS, tmp_path / "elsewhere.parquet")
    (folder / "b.parquet").symlink_to(tmp_path / "elsewhere.parquet")
    with pytest.raises(FileError, match=r"holds neither \(1 link out of the folder not followed\)"):
        rows_of(folder)
    pq.write_table(PARTS, folder / "a.parquet")
    rows, files = rows_of(folder)
    assert len(rows) == 90
    assert "1 link out of the folder not followed" in str(files.understood[0])


def test_patterns_that_match_nothing_are_named(tmp_path: Path) -> None:
    with pytest.raises(PathError, match=r"No file matches '.*nothing\*\.csv'"):
        Files([tmp_path / "nothing*.csv"])
    (tmp_path / "[1].csv").write_text("x,label\n1,a\n")
    assert rows_of(tmp_path / "[1].csv")[0] == [{"x": 1, "label": "a"}]


@pytest.mark.parametrize(
    ("given", "error"),
    [
        ({"sep": ",,"}, "'sep'"),
        ({"quote": "''"}, "'quote'"),
        ({"encoding": "martian"}, "'encoding'"),
        *(({"encoding": name}, f"must name a text encoding.*{name!r}") for name in NO_ENCODINGS),
        ({"drop": ["nothing"]}, "'drop'"),
        ({"keep": ["nothing"]}, "'keep'"),
        ({"missing": "NA"}, "'missing'"),
    ],
)
def test_options_that_cannot_be_used(given: dict[str, Any], error: str, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("n,m,label\n1,2,x\n2,3,y\n")
    with pytest.raises((InputError, TypeError), match=error):
        sf.fit_files(sf.NaiveBayes(), tmp_path / "a.csv", **given)


def test_every_text_encoding_can_be_given(tmp_path: Path) -> None:
    path, rows = tmp_path / "a.csv", [{"age": 31, "city": "Oslo"}, {"age": 42, "city": "Rome"}]
    assert len(CODECS) > 80
    for encoding in set(CODECS) - set(NO_ENCODINGS):
        path.write_bytes("age,city\n31,Oslo\n42,Rome\n".encode(encoding))
        assert rows_of(path, encoding=encoding)[0] == rows, encoding


def test_options_that_are_given_are_not_guessed(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes("1;a,b;x\n-9;c,é;y\n3;d,e;x\n4;a,b;y\n".encode("cp1252"))
    given: dict[str, Any] = {"sep": ",", "header": False, "encoding": "cp1252", "quote": "none"}
    assert rows_of(path, **given)[0][1] == {"c1": "-9;c", "c2": "é;y"}
    options: dict[str, Any] = {"missing": ["-9"], "drop": ["c2"]}
    model = sf.fit_files(sf.NaiveBayes(), path, "c3", **options)
    assert list(model.columns_) == ["c1"]
    assert rows_of(path, missing=("-9",))[0][1]["c1"] is None
    assert list(sf.fit_files(sf.NaiveBayes(), path, "c3", keep=["c2"]).columns_) == ["c2"]
