"""Delimited files as the world has them, each with what is the right reading, written down by hand.

`benchmarks/file_readers.py` shows what other readers make of them.
"""

from __future__ import annotations

import bz2
import gzip
import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

__all__ = ["FILES", "Hostile"]


@dataclass(frozen=True)
class Hostile:
    """A file, and its columns as they should be read; `target` is its column of labels."""

    name: str
    data: bytes
    rows: dict[str, list[Any]]
    target: str | None = None
    refused: str = ""
    """What an error says, where no row can be read without harm."""
    given: dict[str, Any] = field(default_factory=dict)
    """Options that the reader must be given, since no file can say it."""
    skipped: int = 0
    """Rows that are themselves malformed."""

    def write(self, folder: Path) -> Path:
        """Write the file into a folder."""
        path = folder / self.name
        path.write_bytes(self.data)
        return path


def text(*lines: str, end: str = "\n", encoding: str = "utf-8") -> bytes:
    """Join lines, each with its end."""
    return "".join(line + end for line in lines).encode(encoding)


AGES: dict[str, list[Any]] = {"age": [31, 42, 53], "city": ["Oslo", "Bergen", "Oslo"]}
PLAIN = ("age,city", "31,Oslo", "42,Bergen", "53,Oslo")
LONG = "word " * 300_000
MANY = [f"{i},{'xy'[i % 2]}" for i in range(500)]


def plain(sep: str) -> list[str]:
    """Return the rows with another separator."""
    return [line.replace(",", sep) for line in PLAIN]


FILES = [
    # --- separators
    Hostile("comma.csv", text(*PLAIN), AGES),
    Hostile("tab.csv", text(*plain("\t")), AGES),
    Hostile("semicolon.csv", text(*plain(";")), AGES),
    Hostile("pipe.txt", text(*plain("|")), AGES),
    Hostile(
        "spaces_between.dat",
        text("1 red 5", "2 blue 6", "3 red 7"),
        {"c1": [1, 2, 3], "c2": ["red", "blue", "red"], "c3": [5, 6, 7]},
    ),
    Hostile(
        "aligned.dat",
        text("  1   red  5", " 20  blue  6", "300   red  7"),
        {"c1": [1, 20, 300], "c2": ["red", "blue", "red"], "c3": [5, 6, 7]},
    ),
    Hostile("caret.csv", text(*plain("^")), AGES, given={"sep": "^"}),
    Hostile(
        "commas_in_semicolons.csv",
        text("name;note", "a;one, two", "b;three, four", "c;five, six"),
        {"name": ["a", "b", "c"], "note": ["one, two", "three, four", "five, six"]},
    ),
    Hostile("told_by_excel.csv", text("sep=;", *plain(";")), AGES),
    Hostile(
        "tabs_named_csv.csv",
        text("label\ttext", "ham\thello, you, there", "spam\tbuy, now", "ham\tyes"),
        {"label": ["ham", "spam", "ham"], "text": ["hello, you, there", "buy, now", "yes"]},
    ),
    # --- line ends and encodings
    Hostile("crlf.csv", text(*PLAIN, end="\r\n"), AGES),
    Hostile("cr.csv", text(*PLAIN, end="\r"), AGES),
    Hostile("no_last_line_end.csv", text(*PLAIN)[:-1], AGES),
    Hostile(
        "utf8_mark.csv",
        b"\xef\xbb\xbf" + text("größe,city", "31,Åre", "42,Oslo"),
        {"größe": [31, 42], "city": ["Åre", "Oslo"]},
    ),
    Hostile(
        "utf16_le.csv",
        b"\xff\xfe" + text("age,city", "31,Åre", "42,東京", encoding="utf-16-le"),
        {"age": [31, 42], "city": ["Åre", "東京"]},
    ),
    Hostile(
        "utf16_be.csv",
        b"\xfe\xff" + text("age,city", "31,Åre", "42,東京", end="\r\n", encoding="utf-16-be"),
        {"age": [31, 42], "city": ["Åre", "東京"]},
    ),
    Hostile(
        "utf16_without_mark.csv",
        text("age,city", "31,Rome", "42,Oslo", encoding="utf-16-le"),
        {"age": [31, 42], "city": ["Rome", "Oslo"]},
    ),
    Hostile(
        "latin1.csv",
        text("age,city", "31,Åre", "42,Málaga", encoding="latin-1"),
        {"age": [31, 42], "city": ["Åre", "Málaga"]},
    ),
    Hostile(
        "windows1252.csv",
        text("age,note", "31,“fine”", "42,5 €", encoding="cp1252"),
        {"age": [31, 42], "note": ["“fine”", "5 €"]},
    ),
    Hostile(
        "latin1_late.csv",
        text("i,city", *(f"{i},Oslo" for i in range(60_000))) + "60000,Åre\n".encode("latin-1"),
        {"i": list(range(60_001)), "city": ["Oslo"] * 60_000 + ["Åre"]},
    ),
    Hostile(
        "cyrillic.csv",
        text("age,city", "31,Пермь", encoding="koi8-r"),
        {"age": [31], "city": ["Пермь"]},
        given={"encoding": "koi8-r"},
    ),
    Hostile(
        "damaged_utf8.csv",
        text("city,i", *(f"Åre,{i}" for i in range(50))) + b"\xc5re,50\n",
        {"city": ["Åre"] * 50, "i": list(range(50))},
        skipped=1,
    ),
    Hostile("nul.csv", b"a,b\nx\0y,1\nz,2\n", {"a": ["x\0y", "z"], "b": [1, 2]}),
    # --- header
    Hostile("no_header.csv", text(*PLAIN[1:]), {"c1": [31, 42, 53], "c2": ["Oslo", "Bergen", "Oslo"]}),
    Hostile(
        "no_header_words.csv",
        text("p,x,s", "e,x,y", "e,b,s", "p,x,y"),
        {"c1": ["p", "e", "e", "p"], "c2": ["x", "x", "b", "x"], "c3": ["s", "y", "s", "y"]},
    ),
    Hostile(
        "no_header_texts",
        text("ham\tGo until jurong point, crazy", "ham\tOk lar", "spam\tFree entry in 2 a wkly comp"),
        {"c1": ["ham", "ham", "spam"], "c2": ["Go until jurong point, crazy", "Ok lar", "Free entry in 2 a wkly comp"]},
    ),
    Hostile(
        "header_of_words.csv",
        text("colour,class", "red,a", "blue,b", "red,a", "blue,a"),
        {"colour": ["red", "blue", "red", "blue"], "class": ["a", "b", "a", "a"]},
    ),
    Hostile("header_only.csv", text("age,city"), {}),
    Hostile("empty.csv", b"", {}, refused="must start with a line of column names"),
    Hostile("blank.csv", b"\n\n  \n", {}, refused="must start with a line of column names"),
    Hostile("double_names.csv", text("a,a,b", "1,2,3"), {}, refused="distinct names"),
    Hostile("no_names.csv", text(",age,", "0,31,x", "1,42,y"), {"c1": [0, 1], "age": [31, 42], "c3": ["x", "y"]}),
    Hostile(
        "spaces_in_names.csv", text("age, city", "31, Oslo", "42, Rome"), {"age": [31, 42], "city": ["Oslo", "Rome"]}
    ),
    Hostile(
        "remarks_above.csv",
        text("# made by a program", "# on a Monday", "a,b,c", "1,2,x", "3,4,y", "5,6,x"),
        {"a": [1, 3, 5], "b": [2, 4, 6], "c": ["x", "y", "x"]},
    ),
    Hostile(
        "cross_validator.test",
        text("|1x3 Cross validator", "25, Private, 7, <=50K.", "38, ?, 9, >50K.", "44, Private, 10, <=50K."),
        {"c1": [25, 38, 44], "c2": ["Private", None, "Private"], "c3": [7, 9, 10], "c4": ["<=50K.", ">50K.", "<=50K."]},
    ),
    Hostile(
        "orange.tab",
        text("status\tage\tsurvived", "d\tc\td", "\t\tclass", "first\t31\tyes", "crew\t42\tno", "first\t53\tno"),
        {"status": ["first", "crew", "first"], "age": [31, 42, 53], "survived": ["yes", "no", "no"]},
    ),
    Hostile(
        "rows_named_by_r.csv",
        text("age,city", "a,31,Oslo", "b,42,Rome"),
        {"row": ["a", "b"], "age": [31, 42], "city": ["Oslo", "Rome"]},
    ),
    # --- spaces
    Hostile(
        "adult.data",
        text(
            "39, State-gov, 77516, Bachelors, <=50K",
            "50, ?, 83311, HS-grad, >50K",
            "38, Private, 215646, HS-grad, <=50K",
            "",
        ),
        {
            "c1": [39, 50, 38],
            "c2": ["State-gov", None, "Private"],
            "c3": [77516, 83311, 215646],
            "c4": ["Bachelors", "HS-grad", "HS-grad"],
            "c5": ["<=50K", ">50K", "<=50K"],
        },
        target="c5",
    ),
    Hostile(
        "padded_numbers.data",
        text(" 88, 92,100, 8", "  0,100,  2, 1", " 95, 82,100, 9"),
        {"c1": [88, 0, 95], "c2": [92, 100, 82], "c3": [100, 2, 100], "c4": ["8", "1", "9"]},
        target="c4",
    ),
    Hostile(
        "spaces_before_quotes.csv",
        text("name, note", 'a, "one, two"', 'b, "three"'),
        {"name": ["a", "b"], "note": ["one, two", "three"]},
    ),
    Hostile("spaces_that_matter.csv", text("a,b", "x, y", "x,y", "x,z"), {"a": ["x", "x", "x"], "b": [" y", "y", "z"]}),
    # --- quotes
    Hostile(
        "quoted.csv",
        text('"age","city"', '"31","Oslo, Norway"', '"42","Rome"'),
        {"age": [31, 42], "city": ["Oslo, Norway", "Rome"]},
    ),
    Hostile("doubled.csv", text("a,b", '"he said ""no""",1', '"""x""",2'), {"a": ['he said "no"', '"x"'], "b": [1, 2]}),
    Hostile(
        "lines_within.csv",
        text("a,b", '"two\nlines, and ""more""",1', '"three\n\nlines",2', "one,3"),
        {"a": ['two\nlines, and "more"', "three\n\nlines", "one"], "b": [1, 2, 3]},
    ),
    Hostile(
        "stray_inside.csv",
        text("size,n", '5" pipe,1', '7" pipe,2', "10 cm,3"),
        {"size": ['5" pipe', '7" pipe', "10 cm"], "n": [1, 2, 3]},
    ),
    Hostile(
        "stray_first.tsv",
        text("label\ttext", 'ham\t"Hi" he said', "spam\tbuy", 'ham\t"never closed', "spam\tnow", 'ham\t"closed" not'),
        {
            "label": ["ham", "spam", "ham", "spam", "ham"],
            "text": ['"Hi" he said', "buy", '"never closed', "now", '"closed" not'],
        },
    ),
    Hostile(
        "stray_swallows.tsv",
        text(
            "label\ttext", *["ham\tyes", "spam\tno"] * 5, 'ham\t"it starts', "spam\tbuy", 'ham\tit ends"', "spam\tnow"
        ),
        {
            "label": [*["ham", "spam"] * 5, "ham", "spam", "ham", "spam"],
            "text": [*["yes", "no"] * 5, '"it starts', "buy", 'it ends"', "now"],
        },
    ),
    Hostile(
        "stray_late.csv",
        text(
            "i,word,kind", *(f'{i},"w, {i % 7}",k{i % 3}' for i in range(30_000)), '30000,"open,k1', '30001,"w, 1",k2'
        ),
        {
            "i": list(range(30_002)),
            "word": [*(f"w, {i % 7}" for i in range(30_000)), '"open', "w, 1"],
            "kind": [*(f"k{i % 3}" for i in range(30_000)), "k1", "k2"],
        },
    ),
    Hostile(
        "single_quotes.csv",
        text("a,b", "'one, two',1", "'three, four',2", "'five',3"),
        {"a": ["one, two", "three, four", "five"], "b": [1, 2, 3]},
    ),
    Hostile(
        "apostrophes.csv", text("a,b", "it's,1", "'tis,2", "don't,3"), {"a": ["it's", "'tis", "don't"], "b": [1, 2, 3]}
    ),
    Hostile(
        "backslashes.csv",
        text("a,b", '"he said \\"no, no\\"",1', '"x",2', '"y, z",3'),
        {"a": ['he said "no, no"', "x", "y, z"], "b": [1, 2, 3]},
    ),
    Hostile(
        "quotes_declared.csv",
        text("a,b", '"x",1', '"y",2'),
        {"a": ['"x"', '"y"'], "b": [1, 2]},
        given={"quote": "none"},
    ),
    # --- rows
    Hostile(
        "ragged.csv",
        text("a,b,c", "1,2,x", "3,4", "5,6,y", "7,8,z,9", "1,1,x"),
        {"a": [1, 5, 1], "b": [2, 6, 1], "c": ["x", "y", "x"]},
        skipped=2,
    ),
    Hostile("empty_lines.csv", text("a,b", "", "1,x", "", "", "2,y", ""), {"a": [1, 2], "b": ["x", "y"]}),
    Hostile("trailing_separators.csv", text("a,b", "1,x,", "2,y,"), {"a": [1, 2], "b": ["x", "y"]}),
    Hostile(
        "trailing_everywhere.csv", text("a,b,", "1,x,", "2,y,"), {"a": [1, 2], "b": ["x", "y"], "c3": [None, None]}
    ),
    Hostile(
        "one_column.txt",
        text("text", "hello, you", "yes; and no", "hi, x, y"),
        {"text": ["hello, you", "yes; and no", "hi, x, y"]},
    ),
    Hostile(
        "long_line.csv", text("text,label", f"{LONG},x", "short,y"), {"text": [LONG, "short"], "label": ["x", "y"]}
    ),
    Hostile(
        "long_header.csv",
        text(",".join(f"{'name' * 1000}{i}" for i in range(200)), ",".join("1" * 200)),
        {f"{'name' * 1000}{i}": [1] for i in range(200)},
    ),
    Hostile("packed.csv.gz", gzip.compress(text(*plain(";"))), AGES),
    Hostile("packed.tsv.bz2", bz2.compress(text(*plain("\t"))), AGES),
    Hostile(
        "lines_of_json",
        "".join(json.dumps({"age": a, "city": c}) + "\n" for a, c in zip(*AGES.values(), strict=True)).encode(),
        AGES,
    ),
    # --- what is missing
    Hostile(
        "missing.csv",
        text("a,b,c", "1,x,", "?,?,2.5", "NA,y,NaN", "3,NA,null", ",x,4"),
        {"a": [1, None, None, 3, None], "b": ["x", None, "y", None, "x"], "c": [None, 2.5, None, None, 4.0]},
    ),
    Hostile(
        "dashes.csv",
        text("n,word", "1,-", "-,x", "--,y", "2.5,-"),
        {"n": [1.0, None, None, 2.5], "word": ["-", "x", "y", "-"]},
    ),
    Hostile(
        "declared.csv",
        text("n,word", "1,x", "-999,NA", "2,unknown"),
        {"n": [1, None, 2], "word": ["x", "NA", None]},
        given={"missing": ("-999", "unknown")},
    ),
    # --- labels
    Hostile(
        "labels_of_digits.csv",
        text("n,label", "1,0", "2,1", "3,01", "4,007"),
        {"n": [1, 2, 3, 4], "label": ["0", "1", "01", "007"]},
        target="label",
    ),
    Hostile(
        "labels_of_gaps.csv",
        text("n,label", "1,None", "2,NA", "3,x", "4,null"),
        {"n": [1, 2, 3, 4], "label": ["None", "NA", "x", "null"]},
        target="label",
    ),
    Hostile(
        "labels_of_flags.csv",
        text("n,label", "1,true", "2,false", "3,True"),
        {"n": [1, 2, 3], "label": ["true", "false", "True"]},
        target="label",
    ),
    # --- numbers and others
    Hostile(
        "flags.csv",
        text("flag,y", "true,1", "false,2", "True,3", ",4"),
        {"flag": [True, False, True, None], "y": [1, 2, 3, 4]},
    ),
    Hostile(
        "one_bad_flag.csv",
        text("flag,y", *(f"{'true' if i % 2 else 'false'},{i}" for i in range(300)), "treu,300"),
        {"flag": [bool(i % 2) for i in range(300)], "y": list(range(300))},
        skipped=1,
    ),
    Hostile(
        "one_bad_number.csv",
        text("n,y", *MANY, "many,x"),
        {"n": list(range(500)), "y": ["xy"[i % 2] for i in range(500)]},
        skipped=1,
    ),
    Hostile(
        "infinity.csv",
        text("n,y", *MANY, "inf,x", "1e999,y"),
        {"n": list(range(500)), "y": ["xy"[i % 2] for i in range(500)]},
        skipped=2,
    ),
    Hostile(
        "thousands.csv",
        text("n,y", '"1,234",x', '"12,345,678",y', "5,z"),
        {"n": [1234, 12345678, 5], "y": ["x", "y", "z"]},
    ),
    Hostile(
        "decimal_comma.csv",
        text("n;m;y", "1,5;1;x", "-2,25;2;y", "3;3;z"),
        {"n": [1.5, -2.25, 3.0], "m": [1, 2, 3], "y": ["x", "y", "z"]},
    ),
    Hostile(
        "dates.csv", text("day,n", "2024-01-31,1", "2024-02-29,2"), {"day": ["2024-01-31", "2024-02-29"], "n": [1, 2]}
    ),
    Hostile(
        "long_numbers.csv",
        text("id,n", "123456789012345678901234567890,1", "123456789012345678901234567891,2"),
        {"id": ["123456789012345678901234567890", "123456789012345678901234567891"], "n": [1, 2]},
    ),
    Hostile(
        "codes.csv",
        text("zip,n", "01234,1", "90210,2", "02134,3"),
        {"zip": ["01234", "90210", "02134"], "n": [1, 2, 3]},
    ),
    Hostile(
        "mixed_codes.csv", text("doors,n", "2,1", "3,2", "5more,3"), {"doors": ["2", "3", "5more"], "n": [1, 2, 3]}
    ),
    Hostile(
        "reals_after_whole.csv",
        text("n,y", *MANY, "1.5,x"),
        {"n": [*map(float, range(500)), 1.5], "y": [*("xy"[i % 2] for i in range(500)), "x"]},
    ),
]
"""At least one of each: what separates, ends, encodes, names, pads, quotes, is missing, and is none of its column."""
