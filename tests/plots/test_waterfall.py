import sys
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

import suffice as sf
from suffice.models.answers.explanation import Explanation


def made(n: int, **parts: Any) -> Explanation:
    rng = np.random.default_rng(n)
    names, values = (
        [f"a column with a name that is long, number {i}" for i in range(n)],
        [f"value {i}" for i in range(n)],
    )
    return Explanation("yes", "no", parts.get("prior", 0.5), names, values, parts.get("weights", rng.normal(size=n)))


def bars(chart: Any) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = chart.to_dict()["hconcat"][0]["data"]["values"]
    return rows


@pytest.mark.parametrize("n", [0, 1, 3, 14, 15, 16, 60])
def test_bars_lead_from_the_prior_to_the_sum(n: int) -> None:
    explanation = made(n)
    rows = bars(sf.plots.waterfall(explanation))
    assert rows[0]["kind"] == "prior"
    assert (rows[0]["start"], rows[0]["end"]) == (0, 0.5)
    for one, following in pairwise(rows[:-1]):
        assert one["end"] == following["start"]
    assert rows[-2]["end"] == pytest.approx(explanation.log_odds)
    assert (rows[-1]["start"], rows[-1]["end"], rows[-1]["kind"]) == (0, explanation.log_odds, "total")
    assert len(rows) == min(n, 15) + 2
    assert (f"{n - 14} others" in [row["name"] for row in rows]) == (n > 15)


def test_long_names_are_cut_and_shown_in_full_where_the_mouse_is() -> None:
    rows = bars(sf.plots.waterfall(made(3)))
    assert all(len(row["name"]) <= 28 and len(row["value"]) <= 34 for row in rows)
    assert rows[1]["name"].endswith("…")
    assert "number" in rows[1]["feature"]


def test_the_total_says_the_odds() -> None:
    for weight, odds in ((2.0, "7.39 : 1 for yes"), (-2.0, "7.39 : 1 for no"), (-50.0, "over 100,000 : 1 for no")):
        explanation = made(1, prior=0.0, weights=np.array([weight]))
        assert bars(sf.plots.waterfall(explanation))[-1]["value"] == odds


def test_what_cannot_be_drawn_is_refused() -> None:
    with pytest.raises(TypeError, match="must be a result of explain; got a list"):
        sf.plots.waterfall([1, 2])  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="needs finite log-odds"):
        sf.plots.waterfall(made(1, weights=np.array([np.inf])))


def test_without_altair_the_error_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "altair", None)
    with pytest.raises(ImportError, match=r"pip install 'suffice\[report\]'"):
        sf.plots.waterfall(made(3))
