"""Each page of the gallery runs, shows pictures, says how to read them, and cites formulas that there are."""

import functools
import json
import re
from pathlib import Path

import altair
import numpy as np
import pages
import pytest
from gallery import GALLERY, INK, ROOT, Cell, cells, notebook, page, readable, run, wrapped

NAMES = sorted(path.stem for path in GALLERY.glob("*.py"))
MATHS = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "docs" / "math").glob("*.md"))
WIDEST, OF_TABLES = 90, 124
"""Characters of a line of code or of what it prints that fit on a page, and of a row of a table, which may scroll."""
TAG = re.compile(r"\b[A-Z]{2}-\d+\b")
TOLD = {
    "bayesian_qda": "averaged: right for 95.0% of all, log loss 0.19",
    "bursts": "put back:           aacbabbacabb",
    "coin": "posterior mean 0.2083",
    "die": "white 2/27  black 1/27  snow 2/27  rain 1/27  unk 5/27",
    "em_explained": "from 0.600 to 0.760: -28.7470 <= -24.3632 <= -22.3151",
    "gda_and_logistic": "coef_:    [ 2.0396 -0.7498] -0.6456",
    "healthy_levels": "[215, 16]: 0.183 of the rectangles drawn, 0.184 by the formula",
    "number_game": "4822.5 to 1 for powers of 2",
    "taxicab": "1 seen: median 200, mean inf, 90 % between 105 and 2000",
    "ten_tosses": "no heads in ten: 0.142, plugged in 0.097",
    "by_hand": "the probability of spam is 0.349",
    "few_labels": "97% of rows have their larger share in the class they came from",
    "forgetting": "what is left is what it would be without them: True",
    "honest_probabilities": "tempered: right 0.856",
    "log_sum_exp": "110 words: [0. 0.]",
    "mixed_tables": "344 rows of 3 classes",
    "what_is_enough": "from presence:    rate 1.59, standard deviation 0.31",
    "where_it_is_wrong": "area error, malignant: maximum                        542.2   simulated 210.9 to 292.7",
    "x_windows": "words, in bits",
    "zero_counts": "mle  probability of spam 0.000",
}
SMALLER: dict[str, dict[str, object]] = {
    "bayesian_qda": {"sizes": (20, 200), "draws": 1},
    "bursts": {"n_paragraphs": 400},
    "dimensions": {"dimensions": (4, 45), "draws": 2},
    "few_labels": {"n_paragraphs": 300, "sizes": (3, 30), "draws": 1},
    "gda_and_logistic": {"sizes": (16, 64), "draws": 2},
    "where_it_is_wrong": {"n_paragraphs": 400},
    "x_windows": {"n_paragraphs": 900},
}
"""Values of names that pages assign, so that tests take less time."""


@pytest.fixture(scope="module")
def drawn(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("gallery")


@functools.cache
def made(path: Path, folder: Path) -> str:
    """Return a page, made once, of fewer rows."""
    return page(path, folder, SMALLER.get(path.stem, {}))


@pytest.mark.parametrize(
    "name", ["coin", *(pytest.param(name, marks=pytest.mark.thorough) for name in NAMES if name != "coin")]
)
def test_a_page_runs_and_tells_how_to_read_it(name: str, drawn: Path) -> None:
    text = made(GALLERY / f"{name}.py", drawn)
    pictures = re.findall(r"^!\[.+\]\((.+\.svg)\)(?:{ \.wide style=.+ })?$", text, re.MULTILINE)
    assert pictures
    for picture in pictures:
        assert (drawn / picture).read_text(encoding="utf-8").startswith("<svg")
    assert text.startswith("# ")
    assert "**How to read it.**" in text
    assert TOLD.get(name, "") in text
    printed = re.findall(r"^```{.text .printed}\n(.+?)\n```$", text, re.MULTILINE | re.DOTALL)
    assert all(len(line) <= WIDEST or "  " in line for block in printed for line in block.splitlines())
    assert all(len(line) <= OF_TABLES for block in printed for line in block.splitlines())


def test_a_page_cites_formulas_and_links_that_there_are() -> None:
    for name in NAMES:
        path = GALLERY / f"{name}.py"
        prose = "".join(cell.text for cell in cells(path.read_text(encoding="utf-8")) if cell.kind == "prose")
        assert TAG.findall(prose)
        for tag in TAG.findall(prose):
            assert re.search(rf"\b{tag}\b", MATHS), tag
        targets = re.findall(r"\]\(([^)#]+)", prose)
        assert any(target.startswith("../math/") for target in targets)
        for target in targets:
            assert (GALLERY / target).exists(), target


def luminance(colour: str) -> float:
    """Return the relative luminance that WCAG 2 defines."""
    parts = np.array([int(colour[k : k + 2], 16) for k in (1, 3, 5)]) / 255
    linear = np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)
    return float(linear @ [0.2126, 0.7152, 0.0722])


@pytest.mark.parametrize(("scheme", "paper"), [("light", "#ffffff"), ("dark", "#1e2129")])
def test_words_in_pictures_stand_out_from_light_and_dark_pages(scheme: str, paper: str) -> None:
    low, high = sorted(luminance(colour) for colour in (INK[scheme], paper))
    assert (high + 0.05) / (low + 0.05) >= 4.5
    shown = readable('<svg width="9"><text fill="#80858f">a</text><text fill="#0072b2">b</text></svg>')
    assert f"fill: {INK[scheme]}" in shown
    assert shown.startswith('<svg width="9"><style>text[fill="#80858f"] {')
    assert shown.endswith('</style><text fill="#80858f">a</text><text fill="#0072b2">b</text></svg>')


def test_cells_of_a_page(tmp_path: Path) -> None:
    head = "# %% [markdown]\n# # A title\n#\n# First words.\n\n# %% [markdown]\n# Some *prose*.\n#\n# More.\n\n"
    source = head + "# %%\nx = 2\nprint(x + 1)\n"
    title, prose, code = cells(source)
    assert cells(source.replace("# %%\n", "# %% drawing\n"))[2].kind == "drawing"
    assert title == Cell("prose", "# A title\n\nFirst words.", 1)
    assert prose == Cell("prose", "Some *prose*.\n\nMore.", 6)
    assert code == Cell("code", "x = 2\nprint(x + 1)", 11)
    path = tmp_path / "page.py"
    path.write_text(source)
    assert [shown.printed for shown in run(path)] == ["", "", "3"]


def test_a_cell_that_is_misspelt_is_refused() -> None:
    with pytest.raises(ValueError, match=r"got '# %% \[md\]"):
        cells("# %% [md]\n# Prose.\n")


def test_an_error_on_a_page_names_its_line(tmp_path: Path) -> None:
    path = tmp_path / "page.py"
    path.write_text("# %%\nx = 1\n\n# %%\ny = 2\n\n\nx / 0\n")
    with pytest.raises(ZeroDivisionError) as caught:
        list(run(path))
    assert (caught.traceback[-1].path, caught.traceback[-1].lineno + 1) == (path, 8)


def test_links_lead_to_where_files_are_on_the_site() -> None:
    def led(text: str, path: str) -> str:
        return pages.relink(text, ROOT / path)

    assert led("[a](docs/guide.md#raw-text)", "ARCHITECTURE.md") == "[a](guide.md#raw-text)"
    assert led("[a](../gallery/by_hand.py)", "docs/math/beta.md") == "[a](../gallery/by_hand.md)"
    assert (
        led("[a](../../src/suffice/models/predictor.py)", "docs/math/beta.md")
        == "[a](../source/src/suffice/models/predictor.md)"
    )
    assert led("[a](../README.md) [b](https://x.org/y.md)", "docs/guide.md") == "[a](index.md) [b](https://x.org/y.md)"
    for code in ("```\nf[0](x)\n```\n", "text\n\n    ```python\n    f[0](x)\n    ```\n"):
        assert led(code, "docs/guide.md") == code


@pytest.mark.thorough
def test_the_site_builds_and_asks_nobody(drawn: Path, tmp_path: Path) -> None:
    pages.stage(tmp_path / "pages", lambda paths, folder: [_moved(path, drawn, folder) for path in paths])
    assert pages.build(tmp_path / "pages", tmp_path / "site") == 0
    site = tmp_path / "site"
    index = (site / "index.html").read_text(encoding="utf-8")
    assert "Counts suffice." in index
    for path in site.rglob("*.html"):
        text = path.read_text(encoding="utf-8")
        assert not re.search(r"""<(script|link|img|iframe)[^>]+(src|href)=["']?(https?:)?//""", text), path.name
        assert "arithmatex" not in text, f"{path.name} has a formula that was not drawn"
        assert path.name == "errors.html" or "doc-module" not in text, f"{path.name} shows a module for a function"
    assert "<math" in (site / "math" / "beta.html").read_text(encoding="utf-8")
    assert (site / "gallery" / "by_hand_1.svg").exists()
    for name in ("coin", "die", "em_explained", "few_labels", "number_game"):
        text = (site / "gallery" / f"{name}.html").read_text(encoding="utf-8")
        assert re.search(r'<p><img [^>]+></p>\s*<div class="touch"', text), f"{name} has no picture before its widget"
        scripts = re.findall(r'<script src="(\.\./touch/[^"]+)"', text)
        assert len(scripts) == 2
        assert all((site / "gallery" / script).exists() for script in scripts)


def _moved(path: Path, drawn: Path, folder: Path) -> str:
    text = made(path, drawn)
    folder.mkdir(parents=True, exist_ok=True)
    for made_file in (*drawn.glob(f"{path.stem}_[0-9]*.svg"), drawn / f"{path.stem}.ipynb"):
        (folder / made_file.name).write_bytes(made_file.read_bytes())
    return text


@pytest.mark.thorough
def test_a_page_that_is_not_in_the_navigation_stops_the_build(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "pages").mkdir()
    (tmp_path / "pages" / "stray.md").write_text("# Stray\n\n[nowhere](nowhere.md)\n")
    assert pages.build(tmp_path / "pages", tmp_path / "site") != 0
    assert "stray.md" in capsys.readouterr().out


def test_names_that_a_page_assigns_may_be_given_other_values(tmp_path: Path) -> None:
    path = tmp_path / "page.py"
    path.write_text("# %%\nn, m = 7, 8\nfor k in range(2):\n    pass\nprint(n, m, k)\n")
    assert [shown.printed for shown in run(path, {"n": 1, "k": 9})][-1] == "1 8 1"


def test_names_with_other_values_are_assigned_by_the_page() -> None:
    for name in sorted(SMALLER):
        source = (GALLERY / f"{name}.py").read_text(encoding="utf-8")
        assert all(re.search(rf"^(\w+, )*{given}(, \w+)* = ", source, re.MULTILINE) for given in SMALLER[name])


def test_a_page_is_a_notebook_too() -> None:
    for name in NAMES:
        path = GALLERY / f"{name}.py"
        made = json.loads(notebook(path))
        assert (made["nbformat"], made["nbformat_minor"]) == (4, 5)
        assert len({cell["id"] for cell in made["cells"]}) == len(made["cells"])
        code = [cell["source"] for cell in made["cells"] if cell["cell_type"] == "code"]
        assert code == [cell.text for cell in cells(path.read_text(encoding="utf-8")) if cell.kind != "prose"]
        assert made["cells"][0]["source"].startswith("# ")
        prose = "".join(cell["source"] for cell in made["cells"] if cell["cell_type"] == "markdown")
        assert "data-touch" not in prose
        assert re.findall(r"\]\((?!https://)[^)]*\)", prose) == []
        if "import altair" in "".join(code):  # whose default loads scripts
            assert 'alt.renderers.enable("svg")' in code[0]


def test_a_page_opens_as_a_notebook() -> None:
    for name in NAMES:
        source = (GALLERY / f"{name}.py").read_text(encoding="utf-8")
        assert source.startswith("# %% [markdown]\n# # ")


def test_a_page_leaves_the_renderer_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "page.py"
    path.write_text('# %%\nimport altair as alt\n\nalt.renderers.enable("svg")\nprint(alt.renderers.active)\n')
    before = altair.renderers.active
    assert [shown.printed for shown in run(path)] == ["svg"]
    assert altair.renderers.active == before


def test_long_sentences_are_wrapped_and_tables_are_not() -> None:
    sentence, row = "word " * 30 + "end.", "name" + " " * 60 + "number " * 6
    assert max(map(len, wrapped(sentence).splitlines())) <= WIDEST
    assert " ".join(wrapped(sentence).split()) == sentence
    assert wrapped(row) == row
