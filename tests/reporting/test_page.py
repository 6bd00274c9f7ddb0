"""The page as a file: whole, escaped, small, and made for every classifier."""

import functools
import itertools
import json
import re
import sys
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from scipy.sparse import csr_matrix

import suffice as sf
from reporting.data import NASTY, counts, letters, lights, table
from suffice.reporting.page import _json
from suffice.reporting.wording import percent, question

pd: Any = pytest.importorskip("pandas")

VOID = {"meta", "br", "link", "img", "input", "hr"}


class Tags(HTMLParser):
    """What is opened and closed, and what text there is."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.text: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if not self.open or self.open[-1] not in ("script", "style"):
            self.text.append(data)


def parsed(page: sf.reporting.Report) -> Tags:
    tags = Tags()
    tags.feed(page.html)
    tags.close()
    assert not tags.open
    return tags


def specs(page: sf.reporting.Report) -> dict[str, Any]:
    found = re.findall(r'<script type="application/json" id="spec-([^"]+)">(.*?)</script>', page.html)
    return {name: json.loads(text) for name, text in found}


@functools.cache
def models() -> list[tuple[str, Any, Any, Any]]:
    X, y = counts()
    texts, labels = letters()
    columns, target = table()
    named = pd.DataFrame(X, columns=[f"word {j}" for j in range(X.shape[1])])
    few = np.minimum(X, 2)
    text = sf.TextClassifier
    return [
        ("multinomial", sf.MultinomialNB(), X, y),
        ("sparse", sf.MultinomialNB(alpha=0.5), csr_matrix(X), y),
        ("named", sf.MultinomialNB(), named, y),
        ("bernoulli", sf.BernoulliNB(), pl.DataFrame(few.astype(float), schema=[f"c{j}" for j in range(12)]), y),
        ("complement", sf.ComplementNB(), X, y),
        ("poisson", sf.PoissonNB(), X, y),
        ("urns", sf.DirichletMultinomialNB(), X, y),
        ("gaussian", sf.GaussianNB(), X.astype(float), y),
        ("categorical", sf.CategoricalNB(), few, y),
        ("table", sf.NaiveBayes(), columns, target),
        ("frame", sf.NaiveBayes(), pd.DataFrame({**columns, "y": target}), "y"),
        ("array", sf.NaiveBayes(), X.astype(float), y),
        ("texts", text(), texts, labels),
        ("series", text("bernoulli"), pd.Series(texts), pd.Series(labels)),
        ("hashed", text(tokens=sf.Tokens(hash_bits=6)), texts, labels),
        ("best", text(effort="best"), texts, labels),
        ("letters", text(tokens=sf.Tokens(analyzer="char"), ngram_range=(2, 3)), texts, labels),
        ("transformed", text("complement", term_weighting=sf.TermWeighting(use_idf=True)), texts, labels),
        ("bursts", text("edcm"), texts, labels),
    ]


@functools.cache
def drawn(name: str) -> sf.reporting.Report:
    """Return the page of a model, drawn once."""
    model, X, y = next(rest for first, *rest in models() if first == name)
    return sf.report(model.fit(X, y), X, y)


OFTEN = ["table", "texts"]
RARELY = [pytest.param(name, marks=pytest.mark.thorough) for name, *_ in models() if name not in OFTEN]


@pytest.mark.parametrize("name", [*OFTEN, *RARELY])
@pytest.mark.filterwarnings("ignore:The urns of")
def test_every_classifier_has_a_page(name: str) -> None:
    page = drawn(name)
    tags = parsed(page)
    assert len(page.html.encode()) < 5e6
    charts = [attrs["data-spec"] for _, attrs in tags.found if "data-spec" in attrs]
    assert {f"spec-{one}" for one in specs(page)} == set(charts)
    assert {"accuracy", "reliability", "why-0", "learning"} <= set(specs(page)) or name == "transformed"
    ids = [attrs["id"] for _, attrs in tags.found if "id" in attrs]
    assert len(ids) == len(set(ids))
    links = [str(attrs["href"])[1:] for tag, attrs in tags.found if tag == "a"]
    assert set(links) <= set(ids)
    assert all(attrs.get("scope") for tag, attrs in tags.found if tag == "th")
    assert "flatters it" not in page.html  # rows that were learned are judged by folds, by any classifier


@pytest.mark.parametrize("name", [*OFTEN, *RARELY])
@pytest.mark.filterwarnings("ignore:The urns of")
def test_headings_are_in_order_and_pictures_have_words(name: str) -> None:
    tags = parsed(drawn(name))
    levels = [int(tag[1]) for tag, _ in tags.found if re.fullmatch("h[1-6]", tag)]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(b <= a + 1 for a, b in itertools.pairwise(levels))
    pictures = [attrs for tag, attrs in tags.found if tag == "svg" or attrs.get("class") == "chart"]
    assert pictures
    assert all(attrs["role"] == "img" and attrs["aria-label"] for attrs in pictures)
    labelled = {attrs["for"] for tag, attrs in tags.found if tag == "label"}
    asked = {attrs["id"] for tag, attrs in tags.found if tag in ("input", "select")}
    assert labelled == asked
    sections = [attrs for tag, attrs in tags.found if tag == "section"]
    ids = {attrs.get("id") for _, attrs in tags.found}
    assert all(attrs["aria-labelledby"] in ids for attrs in sections)
    links = [str(attrs["href"])[1:] for tag, attrs in tags.found if tag == "a"]
    assert set(links) == {attrs["id"] for attrs in sections} | {"main"}  # the contents leave no section out


def test_alerts_come_before_all_figures() -> None:
    X, y = table()
    page = sf.report(sf.NaiveBayes().fit({**X, "copy": y}, y), {**X, "copy": y}, y)
    headings = re.findall(r"<h2[^>]*>([^<]+)", page.html)
    assert [heading.strip() for heading in headings[:3]] == ["Alerts", "Summary", "Data"]
    alerts = page.html[page.html.index('id="alerts"') : page.html.index('id="summary"')]
    assert re.findall(r"<strong>([^<]+)</strong>", alerts)[0] == "Leak"
    assert "Leave it out unless it is known before the label." in alerts
    assert "Constant" in alerts


def test_choices_are_in_words() -> None:
    texts, labels = letters(300)
    page = sf.report(sf.TextClassifier().fit(texts, labels), texts, labels)
    shown = "".join(parsed(page).text)
    assert "Pseudo-count: " in shown
    assert "nats per row" in shown
    assert "Larger values smooth more." in shown
    assert "Hyperparameters" not in drawn("multinomial").html  # there nothing was chosen


def test_what_is_strange_shows_as_text() -> None:
    texts, labels = letters()
    strange = {"spam": '<script>alert("1")</script>\n{{ 7*7 }}', "ham": 'שלום "🎈" </title><b>'}
    texts[:3] = [NASTY] * 3
    y = [strange[label] for label in labels]
    model = sf.TextClassifier(tokens=sf.Tokens(token_pattern=r"[^ ]+", lowercase=False)).fit(texts, y)
    page = sf.report(model, texts, y, title="</title><script>alert(2)</script>", examples=[0])
    tags = parsed(page)
    assert [tag for tag, _ in tags.found].count("script") == len(
        specs(page)
    ) + 5  # config, explorer, thresholds and two that run
    assert "b" not in [tag for tag, _ in tags.found]
    shown = "".join(tags.text)
    assert "<script>alert(1)</script> & 'now' </script><!-- עברית 🎈" in shown
    assert "{{ 7*7 }}" in shown
    assert "</title><script>alert(2)</script>" in shown


def test_columns_with_strange_names_and_values() -> None:
    X, y = table()
    X["<script>x</script>"] = np.where(y == "yes", '"quoted\n"', "</script>").astype(object)
    page = sf.report(sf.NaiveBayes().fit(X, y), X, y)
    assert "script>x<" not in page.html.replace("&lt;script&gt;", "")
    assert "<script>x</script>" in "".join(parsed(page).text)


def test_columns_that_act_together_are_shown_where_there_are_some() -> None:
    X, y = lights()
    sets: Any = [("lamp", "door"), ("lamp", "hour"), ("lamp", "door", "rain <b>")]
    page = sf.report(sf.NaiveBayes(joint=sets).fit(X, y), X, y)
    shown = "".join(parsed(page).text)
    assert "Joint columns" in shown
    assert "lamp × door × rain <b>" in shown
    assert 'id="spec-together-0-0"' in page.html
    assert 'id="together"' not in sf.report(sf.NaiveBayes(joint=None).fit(X, y), X, y).html


def test_the_page_says_which_probability_is_calibrated() -> None:
    two = " ".join("".join(parsed(drawn("table")).text).split())
    assert "Probability of yes" in two
    assert "average gap between probability and share of yes" in two
    assert "Share of yes among rows by the probability of yes" in two
    three = " ".join("".join(parsed(drawn("multinomial")).text).split())
    assert "Probability of the predicted class" in three
    assert "average gap between confidence and accuracy" in three


def test_evidence_of_a_row_is_not_called_a_weight() -> None:
    page = drawn("table")
    rest = page.html[page.html.index('<section id="why"') : page.html.index('<section id="more"')]
    assert '<th scope="col">value</th><th scope="col" class="n">log-odds</th>' in rest
    assert '<th scope="col" class="n">weight</th>' not in rest


def test_json_cannot_end_a_script() -> None:
    written = _json({"a": "</script><!--", "b": "\u2028&", "c": np.float64(1.5)})
    assert not set("<>&\u2028") & set(written)
    assert json.loads(written) == {"a": "</script><!--", "b": "\u2028&", "c": 1.5}


def test_nothing_is_loaded_and_only_its_own_scripts_may_run() -> None:
    tags = parsed(drawn("multinomial"))
    policy = next(str(a["content"]) for t, a in tags.found if a.get("http-equiv") == "Content-Security-Policy")
    assert policy.startswith("default-src 'none'; script-src 'sha256-")
    assert "unsafe-eval" not in policy
    assert not any("src" in attrs for _, attrs in tags.found)
    assert not any(tag in ("link", "img", "iframe") for tag, _ in tags.found)


def test_save_is_all_or_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = counts()
    page = sf.report(sf.MultinomialNB().fit(X, y), X, y, tmp_path / "a.html", title="One")
    assert (tmp_path / "a.html").read_text(encoding="utf-8") == page.html
    again = drawn("multinomial")

    def fails(number: int) -> None:
        raise OSError("no room")

    with monkeypatch.context() as patched:
        patched.setattr("os.fsync", fails)
        with pytest.raises(OSError, match="no room"):
            again.save(tmp_path / "a.html")
    assert (tmp_path / "a.html").read_text(encoding="utf-8") == page.html
    assert [file.name for file in tmp_path.iterdir()] == ["a.html"]
    assert again.save(str(tmp_path / "a.html")) == tmp_path / "a.html"
    assert "<title>0, 1 or 2?</title>" in (tmp_path / "a.html").read_text(encoding="utf-8")


@pytest.mark.thorough
def test_the_same_rows_make_the_same_page() -> None:
    texts, labels = letters()
    assert sf.report(sf.TextClassifier().fit(texts, labels), texts, labels).html == drawn("texts").html


def test_a_notebook_shows_it_in_a_frame_of_its_own() -> None:
    page = drawn("multinomial")
    tags = Tags()
    tags.feed(page._repr_html_())
    assert [tag for tag, _ in tags.found] == ["iframe"]
    assert tags.found[0][1]["srcdoc"] == page.html
    assert repr(page).startswith("Report('0, 1 or 2?', ")


def test_one_class_and_few_rows() -> None:
    page = sf.report(sf.TextClassifier().fit(["a word", "two words"], ["x", "x"]), ["a word"], ["x"])
    assert "It cannot be explained: Explaining a prediction needs at least two classes; the model has one." in "".join(
        parsed(page).text
    )
    assert "needs at least 60 rows; got 1." in page.html


@pytest.mark.thorough
def test_a_class_without_rows_here() -> None:
    X, y = counts()
    model = sf.GaussianNB().fit(X, y)
    page = sf.report(model, X[y > 0], y[y > 0])
    assert 'id="spec-accuracy"' in page.html


def test_a_class_that_is_never_the_answer() -> None:
    y = np.array([0] * 95 + [1] * 5)
    page = sf.report(sf.MultinomialNB().fit(np.ones((100, 3)), y), np.ones((100, 3)), y)
    assert "–" in "".join(parsed(page).text)  # right when said: it was not


def test_what_cannot_be_reported_is_refused() -> None:
    X, y = counts()
    with pytest.raises(TypeError, match="must be a fitted classifier of suffice; got builtins's int"):
        sf.report(3, X, y)
    with pytest.raises(TypeError, match="must be fitted"):
        sf.report(sf.MultinomialNB(), X, y)
    model = sf.MultinomialNB().fit(X, y)
    with pytest.raises(ValueError, match="one label for each of 150 rows; got 149"):
        sf.report(model, X, y[1:])
    with pytest.raises(
        ValueError, match="must have labels that the model knows, such as 0, 1, 2; they have 10, 11, 12"
    ):
        sf.report(model, X, y + 10)
    with pytest.raises(ValueError, match="must hold row numbers"):
        sf.report(model, X, y, examples=["first"])  # type: ignore[list-item]
    text = sf.TextClassifier().fit(["a word", "two words"], ["x", "y"])
    with pytest.raises(TypeError, match="a list of texts; got one text"):
        sf.report(text, "a word", ["x"])


@pytest.mark.parametrize("name", ["altair", "jinja2", "vl_convert"])
def test_a_missing_library_is_named(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    from suffice.reporting import page

    X, y = counts()
    page._runtime.cache_clear()
    monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(ImportError, match=r"pip install 'suffice\[report\]'"):
        sf.report(sf.MultinomialNB().fit(X, y), X, y)


def test_words_of_the_page() -> None:
    assert question(["ham", "spam"]) == "ham or spam?"
    assert question(["a", "b", "c"]) == "a, b or c?"
    assert question([str(i) for i in range(20)]) == "Which of 20 classes?"
    assert question([str(i) for i in range(20)], "digit") == "Digit: which of 20 classes?"
    assert [percent(x) for x in (0.5, 0.0, 1.0, 0.9999, 0.0001, float("nan"))] == [
        "50.0\u202f%", "0.0\u202f%", "100.0\u202f%", "> 99.9\u202f%", "< 0.1\u202f%", "–",
    ]  # fmt: skip


def test_the_title_names_the_target() -> None:
    X, y = table(60)
    model = sf.NaiveBayes(joint=None).fit(X, y)
    assert sf.report(model, X, pd.Series(y, name="survived")).title == "Survived: no or yes?"
    assert sf.report(model, X, pl.Series("survived", y)).title == "Survived: no or yes?"
    assert sf.report(model, X, y, target="Survived").title == "Survived: no or yes?"
    assert sf.report(model, X, pd.Series(y)).title == "no or yes?"
    frame = pd.DataFrame({**X, "survived": y})
    named = sf.NaiveBayes(joint=None).fit(frame, "survived")
    assert sf.report(named, frame, "survived").title == "Survived: no or yes?"
    assert sf.report(named, X, y).title == "Survived: no or yes?"  # as it was fitted
    assert sf.report(named, X, y, title="Who?").title == "Who?"
