"""Readers of text collections, on files made here and on the real ones where they are."""

import gzip
import io
import tarfile
import zipfile
from pathlib import Path

import pytest

from datasets.shared import real
from refusals import refused
from suffice import datasets
from suffice.datasets import read_20newsgroups, read_reuters_r8, read_sms_spam, read_udhr
from suffice.errors import DataError, InputError, PathError

SMS = 'ham\tOk lar... "Joking\nspam\tFree\tentry\x85\nham\tbye'
R8 = "Category\tText\nd\tstring\nclass\t\nearn\tprofit rises\nacq\tbuys a rival\n"
MESSAGE = "From: someone\nSubject: caf\xe9\n\nWords.\n"


def test_sms(tmp_path: Path) -> None:
    (tmp_path / "SMSSpamCollection").write_text(SMS, encoding="utf-8")
    for path in (tmp_path, tmp_path / "SMSSpamCollection", str(tmp_path)):
        corpus = read_sms_spam(path)
        assert corpus.texts == ['Ok lar... "Joking', "Free\tentry\x85", "bye"]
        assert corpus.labels == ["ham", "spam", "ham"]
        assert len(set(corpus.groups)) == 3


def test_sms_that_is_none(tmp_path: Path) -> None:
    file = tmp_path / "messages.txt"
    file.write_text("ham\tyes\nno tab here\n")
    with pytest.raises(DataError, match=r"'label<tab>text' on each line of messages.txt; line 2 is 'no tab here'"):
        read_sms_spam(file)
    file.write_text("eggs\tyes\n")
    with pytest.raises(DataError, match="begin with 'ham' or 'spam'; got 'eggs'"):
        read_sms_spam(file)
    file.write_bytes(b"ham\t\xff\n")
    with pytest.raises(DataError, match=r"messages.txt to be text in utf-8; .* at byte 4"):
        read_sms_spam(file)


def test_a_path_that_does_not_exist(tmp_path: Path) -> None:
    nowhere = tmp_path / "nowhere"
    for name in ("read_sms_spam", "read_20newsgroups", "read_reuters_r8", "read_udhr", "read_xwindows"):
        with pytest.raises(PathError, match=rf"'path' of {name} must be a file or folder that exists; got '.*nowhere'"):
            getattr(datasets, name)(nowhere)
    with pytest.raises(FileNotFoundError):
        read_sms_spam(nowhere)


def test_a_folder_with_something_else(tmp_path: Path) -> None:
    with pytest.raises(PathError, match=r"expects SMSSpamCollection or .* in the folder '.*'; found nothing"):
        read_sms_spam(tmp_path)
    for i in range(7):
        (tmp_path / f"{i}.csv").touch()
    more = r"found 0.csv, 1.csv, 2.csv, 3.csv, 4.csv and 2 more"
    with pytest.raises(PathError, match=rf"expects reuters-r8-test.tab or .*; {more}"):
        read_reuters_r8(tmp_path, subset="test")
    with pytest.raises(PathError, match=rf"expects 20news-bydate-train with a folder per newsgroup in .*; {more}"):
        read_20newsgroups(tmp_path)
    with pytest.raises(PathError, match=rf"texts named by language, such as eng.txt, in .*; {more}"):
        read_udhr(tmp_path)


def test_reuters(tmp_path: Path) -> None:
    (tmp_path / "reuters-r8-train.tab.gz").write_bytes(gzip.compress(R8.encode()))
    (tmp_path / "r8-test-all-terms.txt").write_text("earn\tprofit falls\n")
    assert read_reuters_r8(tmp_path).labels == ["earn", "acq"]
    assert read_reuters_r8(tmp_path, "test").texts == ["profit falls"]
    assert read_reuters_r8(tmp_path, "all").groups == ["train:1", "train:2", "test:1"]
    assert len(read_reuters_r8(tmp_path / "reuters-r8-train.tab.gz")) == 2
    with refused(InputError, "read_reuters_r8.subset", must="be 'train', 'test' or 'all'", got="'dev'"):
        read_reuters_r8(tmp_path, "dev")
    (tmp_path / "reuters-r8-train.tab.gz").write_bytes(b"not packed")
    with pytest.raises(DataError, match=r"cannot unpack reuters-r8-train.tab.gz"):
        read_reuters_r8(tmp_path)


def newsgroups(folder: Path) -> Path:
    for part, group, number in [("train", "sci.med", "2"), ("train", "alt.atheism", "1"), ("test", "sci.med", "3")]:
        file = folder / f"20news-bydate-{part}" / group / number
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(MESSAGE.encode("latin-1"))
    return folder


def test_newsgroups_unpacked(tmp_path: Path) -> None:
    folder = newsgroups(tmp_path / "news")
    train = read_20newsgroups(folder)
    assert train.labels == ["alt.atheism", "sci.med"]
    assert train.texts == [MESSAGE, MESSAGE]
    assert train.groups == ["20news-bydate-train/alt.atheism/1", "20news-bydate-train/sci.med/2"]
    assert read_20newsgroups(folder, "all").sizes == {"alt.atheism": 1, "sci.med": 2}
    assert read_20newsgroups(tmp_path, "test") == read_20newsgroups(folder / "20news-bydate-test", "test")


def test_newsgroups_packed(tmp_path: Path) -> None:
    folder = newsgroups(tmp_path / "news")
    file = tmp_path / "20news-bydate.tar.gz"
    with tarfile.open(file, "w:gz") as archive:
        archive.add(folder, "20news-bydate")
    for subset in ("train", "test", "all"):
        assert (
            read_20newsgroups(file, subset) == read_20newsgroups(tmp_path, subset) == read_20newsgroups(folder, subset)
        )
    file.write_bytes(file.read_bytes()[:100])
    with pytest.raises(DataError, match=r"20news-bydate.tar.gz to be a complete tar archive"):
        read_20newsgroups(file)


def test_udhr(tmp_path: Path) -> None:
    texts = {"eng.txt": "All human\n\n beings \n", "deu.txt": "Alle Menschen\n", "README.txt": "not a language"}
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, text in texts.items():
            archive.writestr(f"udhr2/{name}", text)
    (tmp_path / "udhr2.zip").write_bytes(packed.getvalue())
    corpus = read_udhr(tmp_path)
    assert corpus.labels == ["deu", "eng"]
    assert corpus == read_udhr(tmp_path / "udhr2.zip")
    lines = read_udhr(tmp_path, unit="line")
    assert lines.texts == ["Alle Menschen", "All human", "beings"]
    assert lines.labels == ["deu", "eng", "eng"]
    with refused(InputError, "read_udhr.unit", must="be 'text' or 'line'", got="'word'"):
        read_udhr(tmp_path, unit="word")
    (tmp_path / "udhr2.zip").write_bytes(b"no zip")
    with pytest.raises(DataError, match=r"udhr2.zip to be a zip archive"):
        read_udhr(tmp_path)


def test_udhr_in_old_encodings(tmp_path: Path) -> None:
    (tmp_path / "French-Latin1").write_bytes("égaux".encode("latin-1"))
    (tmp_path / "Greek-Greek").write_bytes("ίσοι".encode("iso8859-7"))
    (tmp_path / "Lao-UTF8").write_bytes(b"\xff\xff")
    (tmp_path / "Magahi-Agra").write_bytes(b"a font")
    assert dict(zip(*(lambda c: (c.labels, c.texts))(read_udhr(tmp_path)), strict=True)) == {
        "French-Latin1": "égaux",
        "Greek-Greek": "ίσοι",
    }


def test_real_sms() -> None:
    assert read_sms_spam(real("sms_spam")).sizes == {"ham": 4827, "spam": 747}


def test_real_newsgroups() -> None:
    everything = read_20newsgroups(real("20news_bydate"), "all")
    parts = [group.split("/")[0] for group in everything.groups]
    assert parts.count("20news-bydate-train") == len(read_20newsgroups(real("20news_bydate"))) == 11_314
    assert parts.count("20news-bydate-test") == 7_532
    assert len(everything.sizes) == 20
    assert sum(map(len, everything.texts)) == 35_855_003


def test_real_reuters() -> None:
    assert len(read_reuters_r8(real("reuters_r8"))) == 5_485
    assert len(read_reuters_r8(real("reuters_r8"), "test")) == 2_189
    assert len(read_reuters_r8(real("reuters_r8"), "all").sizes) == 8


def test_real_udhr() -> None:
    assert len(read_udhr(real("udhr"))) == 387  # of 388: one is blank
    old = read_udhr(real("udhr") / "udhr.zip")
    assert len(old) > 300
    assert "égaux" in old.texts[old.labels.index("French_Francais-Latin1")]
