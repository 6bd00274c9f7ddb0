"""Widgets of the gallery in a browser: by pointer and keys, on a phone, on paper, without scripts."""

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from gallery import GALLERY, ROOT, page

import suffice as sf
from browsing import launched, needs_browser

markdown = pytest.importorskip("markdown", reason="markdown is not installed")
pytestmark = [needs_browser, pytest.mark.thorough, pytest.mark.filterwarnings("ignore")]
SAID = ".touch-said"
STILL = "getComputedStyle(document.querySelector('.touch').previousElementSibling).display"
SHOWN = "getComputedStyle(document.querySelector('.touch')).display"
EM = '''"""EM."""

# %%
import altair as alt
import numpy as np

rng = np.random.default_rng(0)
points = np.concatenate([rng.normal(m, 1, (40, 2)) for m in (0, 4)]).round(2)
alt.Chart().mark_point()

# %% [markdown]
# <div class="touch" data-touch="em" data-from="points" data-classes="2"></div>
'''


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with launched() as one:
        yield one


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    shutil.copytree(ROOT / "docs" / "touch", folder / "touch")
    (folder / "em.py").write_text(EM, encoding="utf-8")
    for path in (*(GALLERY / f"{name}.py" for name in ("coin", "die", "number_game")), folder / "em.py"):
        body = markdown.markdown(page(path, folder / "gallery"), extensions=["md_in_html", "attr_list"])
        head = '<meta charset="utf-8"><meta name="viewport" content="width=device-width">'
        style = '<link rel="stylesheet" href="../touch/touch.css">'
        html = f"<!doctype html><html>{head}{style}<body class=md-typeset>{body}</body></html>"
        (folder / "gallery" / f"{path.stem}.html").write_text(html, encoding="utf-8")
    return folder / "gallery"


class Visit:
    """A page that was opened, with what it complained of and asked for."""

    def __init__(self, browser: Any, file: Path, **options: Any) -> None:
        self.page = browser.new_page(**options)
        self.said: list[str] = []
        self.requests: list[str] = []
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.on("console", lambda message: self.said.append(message.text))
        self.page.on("pageerror", lambda error: self.said.append(str(error)))
        self.page.goto(file.as_uri())

    def __enter__(self) -> Any:
        return self.page

    def __exit__(self, *_: object) -> None:
        self.page.close()
        assert self.said == []
        assert all(url.startswith("file:") for url in self.requests)


@pytest.mark.parametrize("name", ["coin", "die", "number_game", "em"])
def test_a_widget_takes_the_place_of_its_picture_and_gives_it_back_to_paper(
    browser: Any, site: Path, name: str
) -> None:
    with Visit(browser, site / f"{name}.html") as opened:
        assert opened.inner_text(SAID)
        assert (opened.evaluate(STILL), opened.evaluate(SHOWN)) == ("none", "block")
        opened.emulate_media(media="print")
        assert (opened.evaluate(STILL), opened.evaluate(SHOWN)) == ("block", "none")
    with Visit(browser, site / f"{name}.html", java_script_enabled=False) as opened:
        assert opened.is_visible("img >> nth=0")
        assert not opened.query_selector(SAID)
        assert opened.locator(".touch").bounding_box()["height"] == 0


@pytest.mark.parametrize("name", ["coin", "die", "number_game", "em"])
def test_it_fits_a_narrow_phone(browser: Any, site: Path, name: str) -> None:
    with Visit(browser, site / f"{name}.html", viewport={"width": 360, "height": 700}) as opened:
        box = opened.locator(".touch").bounding_box()
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= 360
        inside = "[...document.querySelectorAll('.touch *')].map((x) => x.getBoundingClientRect().right)"
        assert max(opened.evaluate(inside)) <= 360


@pytest.mark.parametrize("name", ["coin", "die", "number_game", "em"])
def test_controls_have_names(browser: Any, site: Path, name: str) -> None:
    with Visit(browser, site / f"{name}.html") as opened:
        controls = opened.locator(".touch input, .touch button")
        assert controls.count() >= 3
        for control in controls.all()[:8]:
            named = control.evaluate("x => x.getAttribute('aria-label') || x.labels?.[0]?.innerText || x.innerText")
            assert named.strip()


def test_a_coin_by_keyboard(browser: Any, site: Path) -> None:
    with Visit(browser, site / "coin.html") as opened:
        curve = opened.get_attribute(".touch-curve >> nth=2", "points")
        opened.focus("input >> nth=2")
        opened.keyboard.press("ArrowRight")
        low, high = sf.Beta(6, 19).interval()
        assert f"its mean is {6 / 25:.4f}, and 95 % lie from {low:.3f} to {high:.3f}" in opened.inner_text(SAID)
        assert opened.get_attribute(".touch-curve >> nth=2", "points") != curve
        assert opened.evaluate("document.activeElement.type") == "range"


def test_numbers_are_clicked_and_walked_to(browser: Any, site: Path) -> None:
    with Visit(browser, site / "number_game.html") as opened:
        cell = opened.locator(".touch-numbers button")
        for number in (8, 2, 64):
            cell.nth(number - 1).click()
        known = sf.NumberGame().observe([16, 8, 2, 64])
        assert f"“powers of 2”, with {known.posterior_['powers of 2']:.3f}" in opened.inner_text(SAID)
        assert cell.nth(31).get_attribute("title") == f"32: {known.membership([32])[0]:.3f}"
        assert [k + 1 for k in range(100) if cell.nth(k).get_attribute("aria-pressed") == "true"] == [2, 8, 16, 64]
        opened.focus(".touch-numbers button >> nth=63")
        opened.keyboard.press("ArrowUp")
        opened.keyboard.press("Space")
        assert cell.nth(53).get_attribute("aria-pressed") == "true"
        opened.get_by_role("button", name="none").click()
        first = sf.NumberGame().posterior_["even"]
        said = f"Before any example, the most probable rules are “even” and “odd”, with {first:.3f} each."
        assert opened.inner_text(SAID) == said


def test_a_die_is_turned(browser: Any, site: Path) -> None:
    with Visit(browser, site / "die.html") as opened:
        opened.locator("input").nth(0).fill("20")
        assert opened.inner_text(SAID) == "Dirichlet(20, 3, 2). Next: red 0.800, green 0.120, blue 0.080."
        assert opened.locator(".touch-draw").count() == 200


def test_em_steps_forth_and_back(browser: Any, site: Path) -> None:
    with Visit(browser, site / "em.html") as opened:
        first = opened.inner_text(SAID)
        assert first.startswith("Round 0")
        opened.get_by_role("button", name="step").click()
        assert opened.inner_text(SAID).startswith("Round 1")
        opened.get_by_role("button", name="back").click()
        assert opened.inner_text(SAID) == first
        opened.focus("input")
        opened.keyboard.press("End")
        assert opened.inner_text(SAID).endswith("EM has converged: this round gained less than 0.00001 per row.")
        opened.get_by_role("button", name="another start").click()
        assert opened.inner_text(SAID).startswith("Round 0")
        assert opened.inner_text(SAID) != first


def test_it_starts_again_when_a_page_is_put_in_place_of_another(browser: Any, site: Path) -> None:
    """Themes that load pages without leaving put the new text in place and run its scripts again."""
    again = """() => {
        const fresh = document.createElement("div");
        fresh.className = "touch"; fresh.dataset.touch = "coin"; fresh.dataset.start = "1 1 0 3";
        document.body.replaceChildren(fresh);
        return Promise.all(["touch", "coin"].map((name) => new Promise((done) => {
            const script = document.createElement("script");
            script.async = false; script.src = `../touch/${name}.js`; script.onload = done;
            document.body.append(script);
        })));
    }"""
    with Visit(browser, site / "coin.html") as opened:
        opened.evaluate(again)
        assert "Beta(1, 4): its mean is 0.2000" in opened.inner_text(SAID)
