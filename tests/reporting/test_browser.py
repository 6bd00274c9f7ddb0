"""The page in a browser: charts are drawn, nothing is requested from the network, nothing goes wrong."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import suffice as sf
from browsing import launched, needs_browser
from reporting.data import NASTY, letters, lights, table

pytestmark = [
    needs_browser,
    pytest.mark.filterwarnings("ignore"),
]


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with launched() as one:
        yield one


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("pages")
    texts, labels = letters()
    texts[0] = NASTY
    X, y = table()
    text, of_table = sf.TextClassifier().fit(texts, labels), sf.NaiveBayes().fit(X, y)
    sf.report(text, texts, labels, folder / "texts.html", title=NASTY, examples=[0, 1])
    sf.report(of_table, X, y, folder / "table.html")
    Z, z = lights()
    sets: Any = [("lamp", "door"), ("lamp", "hour"), ("lamp", "door", "rain <b>")]
    sf.report(sf.NaiveBayes(joint=sets).fit(Z, z), Z, z, folder / "joint.html")
    return {name: folder / f"{name}.html" for name in ("texts", "table", "joint")}


class Visit:
    """A page that was opened, with its requests and its complaints."""

    def __init__(self, browser: Any, file: Path, **options: Any) -> None:
        self.page = browser.new_page(**options)
        self.requests: list[str] = []
        self.said: list[str] = []
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.on("console", lambda message: self.said.append(f"{message.type}: {message.text}"))
        self.page.on("pageerror", lambda error: self.said.append(f"error: {error}"))
        self.page.goto(file.as_uri())
        self.page.wait_for_selector("html[data-drawn=yes]")

    def __enter__(self) -> "Visit":
        return self

    def __exit__(self, *_: object) -> None:
        self.page.close()


@pytest.mark.parametrize("name", ["texts", "table", "joint"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_charts_are_drawn_without_requests_or_complaints(browser: Any, pages: Any, name: str, scheme: Any) -> None:
    with Visit(browser, pages[name], color_scheme=scheme) as visit:
        assert visit.requests == [pages[name].as_uri()]
        assert visit.said == []
        charts = visit.page.query_selector_all(".chart")
        assert len(charts) >= 8
        for chart in charts:
            assert chart.query_selector("svg path, svg rect") is not None
        dark = visit.page.evaluate("getComputedStyle(document.documentElement).backgroundColor")
        assert (dark == "rgb(20, 23, 27)") == (scheme == "dark")


def test_colours_follow_the_scheme(browser: Any, pages: Any) -> None:
    of_label = "getComputedStyle(document.querySelector('#accuracy .role-axis-label text')).fill"
    with Visit(browser, pages["texts"]) as light, Visit(browser, pages["texts"], color_scheme="dark") as dark:
        assert light.page.evaluate(of_label) == "rgb(100, 107, 116)"
        assert dark.page.evaluate(of_label) == "rgb(154, 162, 171)"


def test_a_script_in_a_text_is_text(browser: Any, pages: Any) -> None:
    with Visit(browser, pages["texts"]) as visit:
        assert "<script>alert(1)</script>" in visit.page.inner_text("h1")
        assert "<script>alert(1)</script>" in visit.page.inner_text("#why .text >> nth=0")
        assert visit.page.title().startswith('say "free" <script>')


def test_a_script_that_got_in_would_not_run(browser: Any, pages: Any, tmp_path: Path) -> None:
    bad = tmp_path / "bad.html"
    whole = pages["texts"].read_text(encoding="utf-8")
    bad.write_text(whole.replace("<main", "<script>document.title='in'</script><main", 1), encoding="utf-8")
    with Visit(browser, bad) as visit:
        assert visit.page.title() != "in"
        assert any("Content Security Policy" in line for line in visit.said)


def test_it_fits_a_phone(browser: Any, pages: Any) -> None:
    for name in pages:
        with Visit(browser, pages[name], viewport={"width": 390, "height": 800}) as visit:
            assert visit.page.evaluate("document.documentElement.scrollWidth") <= 390
            widths = visit.page.evaluate("[...document.querySelectorAll('.chart svg')].map(x => x.clientWidth)")
            assert max(widths) <= 390


def test_a_word_is_chosen_by_keyboard_and_by_pointing(browser: Any, pages: Any) -> None:
    curve = "document.querySelector('#posterior svg').innerHTML"
    with Visit(browser, pages["texts"]) as visit:
        visit.page.wait_for_function(
            "document.querySelector('#posterior .mark-line path').getAttribute('d').length > 99"
        )
        first = visit.page.evaluate(curve)
        visit.page.focus("#feature")
        visit.page.keyboard.press("Home")
        visit.page.wait_for_timeout(200)
        assert visit.page.evaluate(curve) != first
        assert visit.page.evaluate("document.getElementById('feature').selectedIndex") == 0
        spikes = visit.page.query_selector("#spikes-0")
        spikes.scroll_into_view_if_needed()
        box = spikes.bounding_box()
        visit.page.mouse.move(box["x"] + 0.7 * box["width"], box["y"] + 0.7 * box["height"])
        visit.page.wait_for_timeout(200)
        assert visit.page.evaluate("document.getElementById('feature').selectedIndex") > 0
        assert "posterior mean" in visit.page.inner_text("#vg-tooltip-element")


def test_it_can_be_walked_by_keyboard(browser: Any, pages: Any) -> None:
    with Visit(browser, pages["table"]) as visit:
        visit.page.keyboard.press("Tab")
        assert visit.page.evaluate("document.activeElement.className") == "skip"
        visit.page.focus("#classes summary")
        visit.page.keyboard.press("Enter")
        assert visit.page.evaluate("document.querySelector('#classes details').open")


def test_it_prints_all_that_is_folded(browser: Any, pages: Any, tmp_path: Path) -> None:
    with Visit(browser, pages["texts"]) as visit:
        visit.page.pdf(path=tmp_path / "page.pdf", format="A4")
        assert visit.page.evaluate("[...document.querySelectorAll('details')].every(one => one.open)")
        assert (tmp_path / "page.pdf").stat().st_size > 20_000
