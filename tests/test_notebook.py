"""Markup of cards: escaping, numbers, tables that are cut, curves by the points they were given."""

import re
from collections.abc import Iterator
from xml.etree import ElementTree

import numpy as np

import suffice as sf
from suffice import notebook
from suffice.notebook import bar, card, figures, folded, line, plot, short, table, written


def test_numbers() -> None:
    for value, shown in [
        (0, "0"),
        (-0.0, "0"),
        (1e9, "1e+09"),
        (123456789, "123,456,789"),
        (-np.inf, "−∞"),
        (1.5e-10, "1.5e-10"),
        (np.int64(-3), "−3"),
    ]:
        assert short(value) == shown


def test_text_is_escaped_cut_and_clean() -> None:
    assert written("<a href='x'>&\"") == "&lt;a href=&#x27;x&#x27;&gt;&amp;&quot;"
    assert len(written("x" * 1000)) == notebook.LONGEST
    assert written("a\x00b\ud800") == "a\ufffdb?"


def test_a_table_counts_what_it_leaves_out() -> None:
    whole = table(["a", "b"], [(k, f"x{k}") for k in range(25)])
    assert "… and 5 more" in whole
    assert "more" not in table(["a"], [(k,) for k in range(20)])
    assert "… and 75 more" in table(["a"], iter([(k,) for k in range(25)]), total=95)
    assert ElementTree.fromstring(table(["<a>"], [], caption="&")).find("caption") is not None


def test_only_the_rows_that_are_shown_are_made() -> None:
    def rows() -> Iterator[tuple[int]]:
        for k in range(1000):
            assert k <= notebook.MOST
            yield (k,)

    table(["k"], rows(), total=1000)


def test_bars() -> None:
    assert "left:0%;width:50.0%" in bar(0.5)
    assert "left:50%;width:25.0%" in bar(0.5, signed=True)
    assert "right:50%;width:50.0%" in bar(-3.0, signed=True)
    assert "width:0.0%" in bar(float("nan"))


def test_a_curve_goes_through_its_points() -> None:
    x, y = np.linspace(0, 10, 101), np.exp(-((np.linspace(0, 10, 101) - 5) ** 2))
    root = ElementTree.fromstring(plot(x, y, "a bell & more", axis=(0.0, 10.0), ends=(4.0, 6.0), mean=5.0))
    paths = [one.get("d") or "" for one in root.iter("path")]
    points = np.array([[float(n) for n in pair.split()] for pair in paths[1][1:].split("L")])
    np.testing.assert_allclose(points[:, 0], 6 + 26.8 * x, atol=0.06)
    np.testing.assert_allclose(points[:, 1], 80 - 74 * y, atol=0.06)
    area = re.findall(r"[\d.]+", paths[0])
    assert (float(area[0]), float(area[-2])) == (6 + 26.8 * 4, 6 + 26.8 * 6)
    assert paths[2].startswith("M140.0 ")
    assert root.get("aria-label") == "a bell & more"


def test_what_cannot_be_drawn_is_left_out() -> None:
    nothing = np.full(5, np.nan)
    assert plot(np.arange(5), nothing, "", axis=(0, 4)) == ""
    assert plot(np.arange(5), np.zeros(5), "", axis=(0, 4)) == ""
    assert plot(np.arange(5), np.ones(5), "", axis=(0, np.inf)) == ""


def test_a_pole_is_cut() -> None:
    x = np.linspace(0.001, 1, 200)
    root = ElementTree.fromstring(plot(x, 1 / x, "pole", axis=(0, 1)))
    heights = [float(pair.split()[1]) for pair in (next(root.iter("path")).get("d") or "")[1:].split("L")]
    assert min(heights) == notebook.EDGE


def test_figures_tell_the_ends_apart() -> None:
    assert (
        figures({"mean": 0.3}, (0.29999991, 0.30000009)) == "<p>mean 0.3 · 95 % interval 0.29999991 to 0.30000009</p>"
    )
    assert figures({"words": 3, "done": True}) == "<p>words 3 · done True</p>"


def test_a_card_never_raises() -> None:
    def parts() -> Iterator[str]:
        yield line("fine")
        raise ValueError("<no>")

    html = card("<thing>", parts)
    assert "sf-plain" in html
    assert "fine" not in html
    ElementTree.fromstring(html)
    assert "<summary>a &lt; b</summary>" in folded("a < b", line(1))


def test_a_stale_model_says_so() -> None:
    texts, labels = ["tea milk", "rum cola"] * 60, ["a", "b"] * 60
    model = sf.TextClassifier().fit(texts, labels)
    assert "Stale" not in model._repr_html_()
    assert "Stale: rows came or went" in model.partial_fit(["tea"], ["a"])._repr_html_()
