"""Widgets of the gallery: their numbers are those of scipy and of the library, and they ask nobody for anything."""

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import touch
from gallery import GALLERY, ROOT, cells, page
from scipy import special, stats

import suffice as sf

SCRIPTS = ROOT / "docs" / "touch"
NODE = shutil.which("node")
ON_PAGES = {"coin": "coin", "number_game": "number_game", "die": "die", "few_labels": "em", "em_explained": "em"}
needs_node = pytest.mark.skipif(NODE is None, reason="node is not installed")


def computed(script: str, expression: str) -> Any:
    """Return what an expression is once touch.js and a widget's script have been read."""
    files = [str(SCRIPTS / f"{name}.js") for name in ("touch", script)]
    code = f"{json.dumps(files)}.forEach(require); console.log(JSON.stringify({expression}));"
    assert NODE
    done = subprocess.run([NODE, "-e", code], check=False, capture_output=True, encoding="utf-8", timeout=60)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


# ---- what a page has


@pytest.mark.parametrize(("name", "widget"), ON_PAGES.items())
def test_a_page_asks_for_its_widget_right_after_the_picture(name: str, widget: str) -> None:
    found = cells((GALLERY / f"{name}.py").read_text(encoding="utf-8"))
    [at] = [k for k, cell in enumerate(found) if '<div class="touch"' in cell.text]
    assert found[at].text.startswith(f'<div class="touch" data-touch="{widget}"')
    assert found[at - 1].kind in ("code", "drawing")
    assert (SCRIPTS / f"{widget}.js").exists()
    assert "**How to read it.**" in found[at].text


@pytest.mark.parametrize(
    "name", ["number_game", *(pytest.param(name, marks=pytest.mark.thorough) for name in ("coin", "die"))]
)
def test_the_picture_stands_before_the_widget_and_the_scripts_at_the_end(name: str, tmp_path: Path) -> None:
    text = page(GALLERY / f"{name}.py", tmp_path)
    assert re.search(rf'^!\[.+\]\({name}_1\.svg\)(?:{{ \.wide style=.+ }})?\n\n<div class="touch"', text, re.MULTILINE)
    needed = re.findall(r'<script src="(.+)"></script>', text)
    assert needed == ["../touch/touch.js", f"../touch/{name}.js"]
    assert text.index("made-by") < text.index("<script src")


def test_a_page_without_widgets_has_no_scripts(tmp_path: Path) -> None:
    assert "<script" not in page(GALLERY / "taxicab.py", tmp_path)


def test_scripts_ask_nobody() -> None:
    for path in SCRIPTS.iterdir():
        text = path.read_text(encoding="utf-8").replace('"http://www.w3.org/2000/svg"', "")
        for way in (
            r"https?:",
            r"\bfetch\b",
            r"\bimport\b",
            "XMLHttpRequest",
            "WebSocket",
            "sendBeacon",
            r"url\((?!#)",
        ):
            assert not re.search(way, text), (path.name, way)
        assert len(text.splitlines()) <= 200, path.name


def test_formulas_that_scripts_cite_are_on_the_pages_of_mathematics() -> None:
    maths = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "docs" / "math").glob("*.md"))
    for name in ON_PAGES.values():
        tags = re.findall(r"\b[A-Z]{2}-\d+\b", (SCRIPTS / f"{name}.js").read_text(encoding="utf-8"))
        assert tags
        assert all(re.search(rf"\b{tag}\b", maths) for tag in tags)


def test_values_of_the_page_go_into_the_widget() -> None:
    hook = '<div class="touch" data-touch="em" data-from="X"></div>'
    told = touch.filled(f"Before.\n\n{hook}\n", {"X": {"rows": np.array([[1.0, 2.5]]), "labels": [None], "a": "</b>"}})
    data = '{"rows":[[1.0,2.5]],"labels":[null],"a":"\\u003c/b>"}'
    assert told == f'Before.\n\n{hook[:-6]}<script type="application/json">{data}</script></div>\n'
    assert touch.filled("An inline `x`.", {}) == "An inline `x`."
    with pytest.raises(ValueError, match="asks for 'X', which the page has not defined"):
        touch.filled(hook, {})


def rules() -> Any:
    filled = touch.filled(
        '<div class="touch" data-touch="number_game" data-from="game"></div>', {"game": sf.NumberGame()}
    )
    return json.loads(filled.partition(">")[2].partition(">")[2].removesuffix("</script></div>"))


def test_rules_of_the_number_game_are_those_of_the_library() -> None:
    told, game = rules(), sf.NumberGame()
    assert told["numbers"] == list(range(1, 101))
    assert [rule["name"] for rule in told["rules"]] == list(game.hypotheses)
    assert [len(rule["items"]) for rule in told["rules"]] == game.posterior_.sizes.tolist()
    assert next(rule["items"] for rule in told["rules"] if rule["name"] == "powers of 4") == [4, 16, 64]


# ---- numbers

BELIEFS = [(2, 2), (5, 19), (0.5, 0.5), (0.5, 80), (80, 80), (1, 1), (30.5, 0.5), (52, 3.5), (1, 51)]


@needs_node
def test_the_gamma_function() -> None:
    places = [0.1, 0.5, 1, 1.5, 2, 3.7, 11.9, 12, 60, 160]
    assert computed("coin", f"{places}.map(Touch.logGamma)") == pytest.approx(
        special.gammaln(places), rel=1e-13, abs=1e-13
    )


@needs_node
def test_the_density_and_the_interval_of_a_coin() -> None:
    x = [0.0025, 0.1, 0.3, 0.5, 0.77, 0.9975]
    told = computed(
        "coin",
        f"{[list(pair) for pair in BELIEFS]}.map(([a, b]) => ({{"
        f"density: {x}.map((x) => Touch.coin.density({{a, b}}, x)), "
        f"below: {x}.map((x) => Touch.coin.below({{a, b}}, x)), interval: Touch.coin.interval({{a, b}}), "
        "mean: Touch.coin.mean({a, b})}))",
    )
    for (a, b), one in zip(BELIEFS, told, strict=True):
        known = stats.beta(a, b)
        assert one["density"] == pytest.approx(known.pdf(x), rel=1e-10)
        assert one["below"] == pytest.approx(known.cdf(x), abs=1e-12)
        assert one["interval"] == pytest.approx(known.ppf([0.025, 0.975]), rel=1e-6)
        assert one["interval"] == pytest.approx(sf.Beta(a, b).interval(), rel=1e-6)
        assert one["mean"] == pytest.approx(known.mean(), rel=1e-14)


@needs_node
def test_a_coin_says_what_the_page_says() -> None:
    belief = sf.Beta(2, 2).update(heads=3, tails=17)
    low, high = belief.interval()
    told = computed("coin", "Touch.coin.words({a: 2, b: 2, heads: 3, tails: 17})")
    assert f"Beta(5, 19): its mean is {belief.mean:.4f}, and 95 % lie from {low:.3f} to {high:.3f}" in told


@needs_node
@pytest.mark.parametrize("examples", [[], [16], [16, 8, 2, 64], [60, 80, 10, 30], [81, 25, 4, 36], [1, 2, 3, 97]])
def test_beliefs_about_rules_are_those_of_the_library(examples: list[int]) -> None:
    given = json.dumps(rules()["rules"])
    told = computed(
        "number_game",
        f"((b) => ({{posterior: b.map((r) => r.posterior), likelihood: b.map((r) => r.likelihood), membership: "
        f"{list(range(1, 101))}.map((n) => Touch.numberGame.membership(b, n))}}))"
        f"(Touch.numberGame.observe({given}, {examples}))",
    )
    game = sf.NumberGame().observe(examples)
    assert told["posterior"] == pytest.approx(game.posterior_.posterior, rel=1e-10, abs=1e-15)
    assert told["likelihood"] == pytest.approx(np.exp(game.posterior_.log_likelihood), rel=1e-10, abs=1e-300)
    assert told["membership"] == pytest.approx(game.membership(), rel=1e-10, abs=1e-15)


@needs_node
@pytest.mark.parametrize("alpha", [[6, 3, 2], [1, 1, 1], [0.1, 0.1, 0.1], [20, 0.5, 7.3]])
def test_the_density_of_a_die(alpha: list[float]) -> None:
    told = computed(
        "die",
        f"Touch.die.cells(5).map(({{middle}}) => [middle, Touch.die.logDensity({alpha}, middle)])",
    )
    middles = np.array([middle for middle, _ in told])
    assert len(told) == 25
    assert [log for _, log in told] == pytest.approx(stats.dirichlet.logpdf(middles.T, alpha), rel=1e-11, abs=1e-11)


@needs_node
@pytest.mark.parametrize("alpha", [[6, 3, 2], [0.3, 1, 0.5]])
def test_draws_of_a_die(alpha: list[float]) -> None:
    told = computed("die", f"Array.from({{length: 4000}}, (_, k) => Touch.die.sample({alpha}, k))")
    for k, first in enumerate(alpha):
        marginal = stats.beta(first, sum(alpha) - first)
        assert stats.kstest([draw[k] for draw in told], marginal.cdf).pvalue > 1e-3


def by_hand(rows: Any, labels: list[int | None], start: Any, steps: int) -> Any:
    """Return classes, shares and log-likelihood after some rounds of EM, with scipy's normal distributions."""
    classes = start
    for step in range(steps + 1):
        joint = np.stack([np.log(w) + stats.multivariate_normal(m, v).logpdf(rows) for w, m, v in classes], axis=1)
        shares = special.softmax(joint, axis=1)
        each = special.logsumexp(joint, axis=1)
        for at, label in enumerate(labels):
            if label is not None:
                shares[at], each[at] = np.eye(len(classes))[label], joint[at, label]
        if step == steps:
            return classes, shares, each.sum()
        classes = [
            (q.mean(), np.average(rows, axis=0, weights=q), np.cov(rows.T, aweights=q, ddof=0)) for q in shares.T
        ]
    return None


@needs_node
@pytest.mark.parametrize("known", [0, 3])
@pytest.mark.parametrize("steps", [0, 1, 2, 7])
def test_rounds_of_em(known: int, steps: int) -> None:
    rng = np.random.default_rng(1)
    rows = np.concatenate([rng.normal([0, 0], [1, 2], (30, 2)), rng.normal([2, 3], 0.8, (40, 2))])
    labels = [int(at >= 30) if at % 30 < known else None for at in range(70)]
    start = [(0.4, [0.0, 1.0], [[2.0, 0.3], [0.3, 1.0]]), (0.6, [1.5, 1.0], [[1.0, -0.2], [-0.2, 3.0]])]
    given = [dict(zip(("weight", "mean", "covariance"), one, strict=True)) for one in start]
    data = {"rows": rows.tolist(), "labels": labels}
    told = computed("em", f"Touch.em.rounds({json.dumps(data)}, {json.dumps(given)}, 8)[{steps}]")
    classes, shares, total = by_hand(rows, labels, start, steps)
    for one, (weight, mean, covariance) in zip(told["classes"], classes, strict=True):
        assert one["weight"] == pytest.approx(weight, rel=1e-9)
        assert one["mean"] == pytest.approx(mean, rel=1e-9)
        assert np.array(one["covariance"]) == pytest.approx(np.array(covariance), rel=1e-9)
    assert np.array(told["shares"]) == pytest.approx(shares, rel=1e-8, abs=1e-12)
    assert told["logLikelihood"] == pytest.approx(total, rel=1e-10)


@needs_node
def test_em_never_falls_and_ends_where_scikit_learn_ends() -> None:
    from sklearn.mixture import GaussianMixture

    rng = np.random.default_rng(3)
    rows = np.concatenate([rng.normal([0, 0], 1, (60, 2)), rng.normal([5, 4], [1, 0.5], (40, 2))])
    code = (
        f"((d) => Touch.em.rounds(d, Touch.em.start(d, 2, 1)).map((r) => r.logLikelihood))({{rows: {rows.tolist()}}})"
    )
    climbed = computed("em", code)
    assert (np.diff(climbed) >= -1e-9).all()
    other = GaussianMixture(2, reg_covar=0, tol=1e-9, max_iter=500, random_state=0).fit(rows)
    assert climbed[-1] == pytest.approx(other.score(rows) * len(rows), abs=2e-3)


@needs_node
def test_em_begins_at_means_that_are_given() -> None:
    rows = np.random.default_rng(4).normal(size=(20, 2))
    data = {"rows": rows.tolist(), "labels": [1, *[None] * 19], "means": [[0.0, 1.0], [0.0, -1.0]]}
    first, second = computed("em", f"Touch.em.start({json.dumps(data)}, 2, 1)")
    assert first["mean"] == [0.0, 1.0]
    assert second["mean"] == pytest.approx(rows[0])  # rows with a label say more
    assert first["weight"] == second["weight"] == 0.5
    assert np.array(first["covariance"]) == pytest.approx(np.cov(rows.T, ddof=0))


@needs_node
def test_a_class_of_one_row_or_of_none_leaves_numbers_finite() -> None:
    rows = [[0, 0], [0, 0], [0, 0], [1, 1], [9, 9]]
    code = f"((d) => Touch.em.rounds(d, Touch.em.start(d, 3, 2)))({{rows: {rows}, floor: Touch.em.floor({rows})}})"
    told = computed("em", code)
    assert all(np.isfinite(one["logLikelihood"]) for one in told)
    assert all(np.isfinite(np.array(one["shares"], float)).all() for one in told)
