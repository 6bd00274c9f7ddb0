"""The page in a browser: charts are drawn, nothing is requested from the network, nothing goes wrong."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.metrics import precision_score, recall_score

import suffice as sf
from browsing import launched, needs_browser
from reporting.data import NASTY, letters, lights, table
from suffice.reporting.facts import gather

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


OUTSIDE = """() => [...document.querySelectorAll(".chart svg text")].filter((one) => {
  const [own, all] = [one, one.closest("svg")].map((shape) => shape.getBoundingClientRect());
  const shown = one.textContent && one.getAttribute("opacity") !== "0";
  return shown && (own.right > all.right + 0.5 || own.left < all.left - 0.5);
}).map((one) => `${one.closest(".chart").id}: ${one.textContent}`)"""

OVERLAPS = """() => [...document.querySelectorAll(".chart[id^=together] .role-axis-label")].flatMap((axis) => {
  const labels = [...axis.querySelectorAll("text")]
    .filter((one) => one.textContent && one.getAttribute("opacity") !== "0")
    .map((one) => {
      const [x, y, turned = 0] = one.getAttribute("transform").match(/-?[0-9.]+/g).map(Number);
      const { left, right } = one.getBoundingClientRect();
      return { text: one.textContent, x, y, angle: turned * Math.PI / 180, left, right };
    });
  return labels.slice(1).filter((one, k) => {
    const last = labels[k], [dx, dy] = [one.x - last.x, one.y - last.y];
    const lines = Math.abs(dy * Math.cos(one.angle) - dx * Math.sin(one.angle));  // apart, in pixels
    return lines < 10 && one.left < last.right + 2;
  }).map((one) => one.text);
})"""


def test_words_stay_inside_their_charts_and_apart(browser: Any, pages: Any, tmp_path: Path) -> None:
    rng = np.random.default_rng(8)
    X: dict[str, Any] = {"house": np.char.add("a house with number ", rng.integers(0, 8, 600).astype(str))}
    X["hour"] = rng.choice(["damp summer", "warm summer", "mild summer"], 600)
    X |= {name: np.char.add("m", rng.integers(100, 118, 600).astype(str)) for name in ("month", "meter")}
    y = np.where((X["house"] > "a house with number 3") ^ (X["month"] > "m108"), "yes", "no")
    pairs: Any = [("house", "hour"), ("house", "month"), ("meter", "month")]
    sf.report(sf.NaiveBayes(joint=pairs).fit(X, y), X, y, tmp_path / "wide.html")
    for file in (tmp_path / "wide.html", *pages.values()):
        with Visit(browser, file, viewport={"width": 390, "height": 800}) as visit:
            assert visit.page.evaluate(OUTSIDE) == []
            assert visit.page.evaluate(OVERLAPS) == []


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
        visit.page.focus("#confidence summary")
        visit.page.keyboard.press("Enter")
        assert visit.page.evaluate("document.querySelector('#confidence details').open")


def shown(visit: Visit, name: str) -> str:
    return str(visit.page.inner_text(f"#t-{name}")).replace("\u202f", "")


def test_the_threshold_moves_with_slider_keys_and_costs(browser: Any, pages: Any) -> None:
    X, y = table()
    judged = gather(sf.NaiveBayes().fit(X, y), X, y, None, None).judged
    own = judged.codes == 1
    with Visit(browser, pages["table"]) as visit:
        for place, threshold in ((-1, 0.49), (-20, 0.29), (45, 0.74)):
            visit.page.focus("#t-at")
            for _ in range(abs(place)):
                visit.page.keyboard.press("ArrowRight" if place > 0 else "ArrowLeft")
            flagged = judged.probabilities[:, 1] >= threshold
            assert shown(visit, "shown") == str(threshold)
            assert visit.page.get_attribute("#t-at", "aria-valuetext") == str(threshold)
            assert shown(visit, "precision") == f"{100 * precision_score(own, flagged):.1f}%"
            assert shown(visit, "recall") == f"{100 * recall_score(own, flagged):.1f}%"
            assert shown(visit, "flagged") == f"{100 * flagged.mean():.1f}%"
            assert float(shown(visit, "cost")) == pytest.approx((own != flagged).mean(), rel=1e-3)
        visit.page.fill("#t-fp", "1")
        visit.page.fill("#t-fn", "4")
        visit.page.click("#t-best")
        assert shown(visit, "shown") == "0.2"  # 1 / (1 + 4)
        flagged = judged.probabilities[:, 1] >= 0.2
        cost = (1.0 * (flagged & ~own) + 4.0 * (~flagged & own)).mean()
        assert float(shown(visit, "cost")) == pytest.approx(cost, rel=1e-3)
        visit.page.select_option("#t-class", "no")
        flagged = judged.probabilities[:, 0] >= 0.2
        assert shown(visit, "recall") == f"{100 * recall_score(~own, flagged):.1f}%"


def test_another_class_is_named_everywhere(browser: Any, pages: Any) -> None:
    tables = (
        "[...document.querySelectorAll('#threshold table')].map(one => one.parentElement.getAttribute('aria-label'))"
    )
    with Visit(browser, pages["table"]) as visit:
        for name, other in (("no", "yes"), ("yes", "no")):
            visit.page.select_option("#t-class", name)
            assert visit.page.inner_text("#threshold .caption >> nth=0").startswith(f"A row is flagged as {name} where")
            for picture in ("ranking", "spread"):
                label = visit.page.get_attribute(f"#t-{picture}", "aria-label")
                assert f" of {name}" in label
                assert f" of {other}" not in label
            assert visit.page.evaluate(tables) == [f"Thresholds for {name}", f"Thresholds for {other}"]
            assert visit.page.inner_text("#t-own h4").startswith(name)


@pytest.mark.parametrize("wrong", ["-5", ""])
def test_a_cost_that_is_none_is_marked_and_not_used(browser: Any, pages: Any, wrong: str) -> None:
    with Visit(browser, pages["table"]) as visit:
        visit.page.fill("#t-fp", "3")
        before = shown(visit, "cost"), shown(visit, "bayes")
        assert before[1] == "0.75"
        visit.page.fill("#t-fp", wrong)
        assert visit.page.get_attribute("#t-fp", "aria-invalid") == "true"
        assert (shown(visit, "cost"), shown(visit, "bayes")) == before
        visit.page.focus("#t-fn")
        assert visit.page.input_value("#t-fp") == "3"
        assert visit.page.get_attribute("#t-fp", "aria-invalid") == "false"


def test_the_script_draws_what_the_page_came_with(browser: Any, pages: Any) -> None:
    html = pages["table"].read_text(encoding="utf-8")
    with Visit(browser, pages["table"]) as visit:
        for name in ("curve", "costs", "rule"):
            (before,) = re.findall(rf'id="t-{name}" class="\w+" d="([^"]+)"', html)
            after = visit.page.get_attribute(f"#t-{name}", "d")
            numbers = [[float(x) for x in re.findall(r"-?[0-9.]+", path)] for path in (before, after)]
            assert numbers[0] == pytest.approx(numbers[1], abs=0.11)
        bars = "[...document.querySelectorAll('#t-bars rect')].map(x => Number(x.getAttribute('height')))"
        heights = [float(x) for x in re.findall(r'<rect class="(?:own|rest)"[^>]*height="([^"]+)"', html)]
        assert visit.page.evaluate(bars) == pytest.approx(heights, abs=0.11)


def test_the_contents_stay_and_lead_to_every_section(browser: Any, pages: Any) -> None:
    with Visit(browser, pages["table"], viewport={"width": 1280, "height": 900}) as visit:
        visit.page.evaluate("window.scrollTo(0, 3000)")
        box = visit.page.query_selector(".side").bounding_box()
        assert 0 <= box["y"] < 10
        assert visit.page.query_selector(".side a[aria-current=true]") is not None
        assert not visit.page.is_visible(".top")
    with Visit(browser, pages["table"], viewport={"width": 390, "height": 800}) as visit:
        visit.page.evaluate("window.scrollTo(0, 3000)")
        assert visit.page.query_selector(".top").bounding_box()["y"] == 0
        assert not visit.page.is_visible(".side")
        visit.page.click("#menu summary")
        visit.page.click("#menu a[href='#threshold']")
        visit.page.wait_for_timeout(1000)
        assert not visit.page.evaluate("document.getElementById('menu').open")
        assert 0 <= visit.page.query_selector("#h-threshold").bounding_box()["y"] < 200
        visit.page.click("#menu summary")
        visit.page.keyboard.press("Escape")
        assert not visit.page.evaluate("document.getElementById('menu').open")


def test_without_scripts_all_figures_are_there(browser: Any, pages: Any) -> None:
    context = browser.new_context(java_script_enabled=False, viewport={"width": 390, "height": 800})
    page = context.new_page()
    page.goto(pages["table"].as_uri())
    assert "need JavaScript" in page.inner_text("noscript")
    assert not page.is_visible(".controls")
    assert page.is_visible("#t-curve")
    assert page.locator("#threshold table").first.locator("tbody tr").count() == 13
    assert page.is_visible("#alerts .alerts")
    assert page.is_visible("#t-precision")
    page.click("#menu summary")
    assert page.is_visible("#menu a[href='#data']")
    context.close()


CONTRAST = """() => {
  const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const rgba = (colour) => {
    canvas.clearRect(0, 0, 1, 1); canvas.fillStyle = colour; canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data];
  };
  const behind = (one) => {
    for (let at = one; at; at = at.parentElement) {
      const colour = rgba(getComputedStyle(at).backgroundColor);
      if (colour[3] === 255) return colour;
    }
    return [255, 255, 255, 255];
  };
  const light = (c) => c.slice(0, 3).map((v) => v / 255)
    .map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4))
    .reduce((sum, v, k) => sum + v * [0.2126, 0.7152, 0.0722][k], 0);
  const found = [];
  for (const one of document.querySelectorAll("main *, nav *, .top *")) {
    const own = [...one.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim());
    if (!own || one.closest("svg, mark, .less, .more, script, noscript") || !one.checkVisibility()) continue;
    const [a, b] = [light(rgba(getComputedStyle(one).color)), light(behind(one))].sort((x, y) => y - x);
    const ratio = (a + 0.05) / (b + 0.05);
    if (ratio < 4.5) found.push(`${one.tagName}.${one.className} ${one.textContent.slice(0, 30)} ${ratio.toFixed(2)}`);
  }
  return found;
}"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", ["texts", "table"])
def test_text_has_the_contrast_of_wcag_aa(browser: Any, pages: Any, name: str, scheme: Any) -> None:
    with Visit(browser, pages[name], color_scheme=scheme, viewport={"width": 1280, "height": 900}) as visit:
        assert visit.page.evaluate(CONTRAST) == []


def test_it_prints_all_that_is_folded(browser: Any, pages: Any, tmp_path: Path) -> None:
    with Visit(browser, pages["texts"]) as visit:
        visit.page.pdf(path=tmp_path / "page.pdf", format="A4")
        assert visit.page.evaluate(
            "[...document.querySelectorAll('details')].every(one => one.open || one.id == 'menu')"
        )
        assert (tmp_path / "page.pdf").stat().st_size > 20_000
