"""Few labels and many rows without, on 20 Newsgroups as in Nigam et al. (2000); clusters; what a step of EM costs.

A table and a picture for docs/unlabelled.md. `corpora.py` says where the corpus is looked for. --quick has one draw.
"""

import sys
from functools import partial
from typing import Any

import numpy as np
from corpora import corpus
from scipy import sparse
from side_by_side import ROOT, in_turn, keep, markdown, put
from sklearn.cluster import KMeans
from sklearn.datasets import load_digits
from sklearn.metrics import normalized_mutual_info_score

import suffice as sf
from suffice.estimators.em.base import EMSetup, opened
from suffice.models.expectation import SharedRows
from suffice.models.views import Views
from suffice.plots.altair import AGAINST, FOR, GREY, TOTAL, alt

PAGE = ROOT / "docs" / "unlabelled.md"
SIZES = (40, 80, 160, 300, 600, 1200)
ROWS = 10_000
PUBLISHED = {40: (0.27, 0.43), 300: (0.52, 0.66)}
WORD = r"(?u)\b[a-zA-Z][a-zA-Z]+\b"
GROUPS = ["comp.graphics", "rec.sport.hockey", "sci.med", "sci.space", "talk.politics.guns"]
NAMES = {
    "alone": "labelled posts alone",
    "em": "and 10,000 without labels",
    "loo": "the same, weighted by leave-one-out",
}
RAW: dict[str, Any] = {"alpha": 0.1, "tokens": sf.Tokens(stop_words="english"), "min_df": 2}


def posts(subset: str) -> tuple[list[str], Any]:
    """Return texts without headers, and groups."""
    found: Any = corpus("20news_bydate", subset=subset)
    return [text.partition("\n\n")[2] for text in found.texts], np.array(found.labels)


def scaled(matrix: Any, length: float) -> Any:
    """Scale every post as if it had so many words."""
    n = np.asarray(matrix.sum(axis=1)).ravel()
    return sparse.csr_matrix(sparse.diags(length / np.where(n > 0, n, 1.0)) @ matrix)


def draw(y: Any, size: int, seed: int) -> tuple[Any, Any]:
    """Draw so many labelled posts, the same number of each group, and others."""
    rng = np.random.default_rng(seed)
    per = size // len(np.unique(y))
    known = np.concatenate([rng.permutation(np.flatnonzero(y == group))[:per] for group in np.unique(y)])
    return known, rng.permutation(np.setdiff1d(np.arange(len(y)), known))[:ROWS]


def curve(train: Any, test: Any, model: Any, draws: int, weights: tuple[str, ...]) -> dict[int, dict[str, list[float]]]:
    """Return accuracy by number of labels: alone, with the others, and with the others at a weight."""
    (X, y), (X_test, y_test) = train, test
    found: dict[int, dict[str, list[float]]] = {}
    for size in SIZES:
        scores: dict[str, list[float]] = {"alone": [], **{name: [] for name in weights}}
        for seed in range(draws):
            known, free = draw(y, size, seed)
            scores["alone"].append(model().fit(X[known], y[known]).score(X_test, y_test))
            for name in weights:
                both = sf.SemiSupervised(model(), unlabelled_weight="loo" if name == "loo" else 1.0)
                both.fit(X[known], y[known], unlabelled=X[free])
                scores[name].append(both.score(X_test, y_test))
        found[size] = scores
        print(
            size, {name: f"{np.mean(values):.3f} ± {np.std(values):.3f}" for name, values in scores.items()}, flush=True
        )
    return found


def picture(found: dict[int, dict[str, list[float]]]) -> Any:
    lines = [
        {"labels": size, "accuracy": float(np.mean(values)), "line": NAMES[name]}
        for size, scores in found.items()
        for name, values in scores.items()
    ]
    old = [
        {"labels": size, "accuracy": value, "line": "Nigam et al. (2000)"}
        for size, pair in PUBLISHED.items()
        for value in pair
    ]
    colour = alt.Color(
        "line:N",
        scale=alt.Scale(domain=[*NAMES.values(), "Nigam et al. (2000)"], range=[AGAINST, FOR, TOTAL, GREY]),
        legend=alt.Legend(title=None, orient="bottom", columns=2, labelLimit=400),
    )
    x = alt.X(
        "labels:Q",
        scale=alt.Scale(type="log", domain=[35, 1300]),
        axis=alt.Axis(values=list(SIZES)),
        title="labelled posts",
    )
    y = alt.Y(
        "accuracy:Q", scale=alt.Scale(domain=[0, 0.8]), axis=alt.Axis(format="%"), title="right among later posts"
    )
    base = alt.Chart(alt.InlineData(lines)).encode(x=x, y=y, color=colour)
    peer = alt.Chart(alt.InlineData(old)).mark_point(shape="diamond", filled=True, size=90, opacity=1)
    dash = alt.condition("datum.line == " + repr(NAMES["loo"]), alt.value([5, 6]), alt.value([1, 0]))
    lines_of = base.mark_line(strokeWidth=2.5).encode(strokeDash=dash)
    layers = lines_of + base.mark_circle(size=45, opacity=0.7) + peer.encode(x=x, y=y, color=colour)
    axis = {"labelColor": GREY, "titleColor": GREY, "gridColor": GREY, "gridOpacity": 0.15, "domainColor": GREY}
    layers = layers.properties(width=520, height=320).configure(background="transparent")
    return layers.configure_axis(**axis).configure_legend(labelColor=GREY).configure_view(stroke=None)


def cost(model: Any, X: Any, n: int, classes: int) -> list[str]:
    """Time one E step and one M step beside predict_proba of the same rows."""
    source, _ = opened(model, X)
    setup = EMSetup.of(model, [source])
    rows = SharedRows.of(setup.empty(np.arange(classes), Views()), setup.prior, ((setup.rows(source), np.ones(n)),))
    shares = np.random.default_rng(0).dirichlet(np.full(classes, 0.1), n)
    model = setup.fitted(rows.learned(rows.counts(shares), rows.base.likelihoods))

    def step() -> None:
        rows.expect(rows.learned(rows.counts(shares), rows.base.likelihoods))

    step()
    times = in_turn({"step": step, "predict": partial(model.predict_proba, X)}, 7)
    ratio = times["step"] / times["predict"]
    shown = [f"{1000 * times[name]:.0f} ms" for name in ("predict", "step")]
    return [type(model).__name__, f"{n:,}", str(classes), *shown, f"{ratio:.1f}"]


def costs(texts: list[str], counts: Any) -> list[list[str]]:
    rng = np.random.default_rng(0)
    n = 50_000
    reals = rng.normal(size=(n, 20))
    table = {"size": reals[:, 0], "colour": rng.choice(["red", "blue", "green"], n), "events": rng.poisson(2, n)}
    off: dict[str, Any] = {"temper": None, "feature_powers": None}
    return [
        cost(sf.TextClassifier(**RAW, **off), texts, len(texts), 20),
        cost(sf.MultinomialNB(), counts, counts.shape[0], 20),
        cost(sf.BernoulliNB(), (reals > 0).astype(np.float64), n, 10),
        cost(sf.CategoricalNB(), rng.integers(0, 6, (n, 20)), n, 10),
        cost(sf.PoissonNB(), rng.poisson(1, (n, 20)), n, 10),
        cost(sf.GaussianNB(), reals, n, 10),
        cost(sf.NaiveBayes(**off), table, n, 10),
    ]


def clusters(texts: list[str], y: Any) -> list[list[str]]:
    """Return the normalised mutual information of clusters and classes."""
    digits = load_digits()
    pixels = (digits.data > 7).astype(np.float64)
    chosen = np.isin(y, GROUPS)
    words = sf.CountVectorizer(stop_words="english", min_df=5, token_pattern=WORD)
    documents = words.fit_transform([text for text, there in zip(texts, chosen, strict=True) if there])
    cases = [
        (
            "1,797 digits, black and white",
            "mixture of Bernoullis",
            sf.Mixture(sf.BernoulliNB(), 10),
            pixels,
            digits.target,
        ),
        ("", "k-means", KMeans(10, n_init=4), pixels, digits.target),
        (
            "five newsgroups",
            "mixture of multinomials",
            sf.Mixture(sf.MultinomialNB(alpha=0.1), 5),
            documents,
            y[chosen],
        ),
        ("", "k-means, posts of length one", KMeans(5, n_init=4), lengths_of_one(documents), y[chosen]),
    ]
    rows = []
    for what, name, model, X, target in cases:
        scores = [
            normalized_mutual_info_score(target, model.set_params(random_state=s).fit(X).labels_) for s in range(5)
        ]
        rows.append([what, name, f"{np.mean(scores):.2f}", f"{min(scores):.2f} to {max(scores):.2f}"])
        print(rows[-1], flush=True)
    return rows


def lengths_of_one(matrix: Any) -> Any:
    norm = np.sqrt(np.asarray(matrix.multiply(matrix).sum(axis=1)).ravel())
    return sparse.csr_matrix(sparse.diags(1 / np.where(norm > 0, norm, 1.0)) @ matrix)


def lines(found: dict[int, dict[str, list[float]]]) -> list[list[str]]:
    def shown(values: list[float]) -> str:
        return f"{np.mean(values):.3f} ± {np.std(values):.3f}"

    old = {size: f"{a:.2f} → {b:.2f}" for size, (a, b) in PUBLISHED.items()}
    return [
        [f"{size:,}", *(shown(values) for values in scores.values()), old.get(size, "")]
        for size, scores in found.items()
    ]


def main() -> int:
    if corpus("20news_bydate", subset="train") is None:
        print("20 Newsgroups is not here: the page stays as it is.")
        return 0
    draws = 1 if "--quick" in sys.argv else 5
    (texts, y), (later, y_later) = posts("train"), posts("test")
    words = sf.CountVectorizer(stop_words="english", min_df=2, token_pattern=WORD)
    counts = words.fit_transform(texts)
    mean = float(counts.sum() / counts.shape[0])
    train, test = (scaled(counts, mean), y), (scaled(words.transform(later), mean), y_later)
    found = curve(train, test, sf.MultinomialNB, draws, ("em", "loo"))
    picture(found).save(str(PAGE.with_suffix(".svg")))
    raw = curve(
        (np.array(texts, object), y), (later, y_later), partial(sf.TextClassifier, **RAW), min(draws, 3), ("em",)
    )
    head = ["labelled posts", *NAMES.values(), "Nigam et al."]
    tables = [
        f"Every post scaled to {mean:.0f} words, `MultinomialNB()`; mean and spread of {draws} draws.",
        markdown(head, lines(found)),
        'Raw text, `TextClassifier(alpha=0.1, min_df=2, tokens=sf.Tokens(stop_words="english"))`.',
        markdown([*head[:3], head[-1]], [[*row[:3], row[-1]] for row in lines(raw)]),
        "Time of one EM step and of `predict_proba` on the same rows:",
        markdown(["model", "rows", "classes", "predict", "step", "ratio"], costs(texts[:ROWS], counts[:ROWS])),
        "Normalized mutual information of the clusters with the true classes, which the models do not see; five seeds:",
        markdown(["rows", "model", "mean", "range"], clusters(texts, y)),
    ]
    put(PAGE, "unlabelled", "\n\n".join(tables))
    keep("unlabelled", {"scaled": found, "raw": raw})
    return 0


if __name__ == "__main__":
    sys.exit(main())
