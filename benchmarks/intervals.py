"""How often the 95 % intervals of contributions in explanations hold the true ones, by simulation.

The probabilities of two classes are known: drawn from the prior in force, or those of a model fitted on real texts or
tables, with the same prior or another one (a pseudo-count of 0.1, under which words differ more). Rows are drawn from
them; a model with the same options learns these rows and explains new ones. The true contribution of a line is
the logarithm of the ratio of the known probabilities, times the power that the model has chosen.

    SUFFICE_DATA=folder python benchmarks/intervals.py [repeats]

`corpora.py` says where texts and tables are looked for.
"""

import sys
import warnings
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
from corpora import corpus, frame

import suffice as sf
from suffice.typing import Array

PLAIN: dict[str, Any] = {"temper": None, "feature_powers": None}
ALONE: dict[str, Any] = {"ngram_range": (1, 1)}
WORDS: dict[str, Any] = {**PLAIN, "term_weighting": sf.TermWeighting(sublinear_tf=False)}
TEXTS: dict[str, dict[str, Any]] = {
    "as by default": {},
    "temper, alpha='evidence'": {**WORDS, "temper": "loo", "alpha": "evidence"},
    "alpha='loo'": {**WORDS, "alpha": "loo"},
    "alpha='evidence'": {**WORDS, "alpha": "evidence"},
    "alpha='evidence', known vocabulary": {**WORDS, "alpha": "evidence", "vocabulary": "known"},
    "alpha=1": {**WORDS, "alpha": 1.0},
    "alpha=0.1": {**WORDS, "alpha": 0.1},
}
CORPORA: dict[str, dict[str, str]] = {"sms_spam": {}, "reuters_r8": {"subset": "train"}}
TABLES = ["titanic", "adult", "mushroom"]
MOST, NEW, WIDE = 1500, 20, 10.0
Line = tuple[float, float, float]  # low, true and high; NaN without an interval


def of_two_classes(labels: Any, rng: np.random.Generator) -> Any:
    """Return the places of some rows of the two largest classes, in random order."""
    names, size = np.unique(np.asarray(labels), return_counts=True)
    return rng.permutation(np.flatnonzero(np.isin(labels, names[np.argsort(-size)[:2]])))[:MOST]


def drawn_texts(theta: Array, codes: Any, lengths: Any, rng: np.random.Generator) -> list[str]:
    texts = (rng.choice(theta.shape[1], length, p=theta[code]) for code, length in zip(codes, lengths, strict=True))
    return [" ".join(f"w{word}" for word in words) for words in texts]


def drawn_shares(alpha: float, shape: tuple[int, ...], rng: np.random.Generator) -> Array:
    """Return draws from a symmetric Dirichlet, however small alpha is."""
    logs = np.log(rng.gamma(alpha + 1, size=shape)) - rng.exponential(size=shape) / alpha
    shares = np.exp(logs - logs.max(axis=1, keepdims=True)).clip(1e-300)
    return np.asarray(shares / shares.sum(axis=1, keepdims=True))


def learned(model: Any) -> tuple[Array, list[str]]:
    """Return ln θ of the model, classes × words, and the words."""
    (block,) = model._predictor.model.blocks.values()
    return block.settled.log_theta(block.t).dense(), block.t.words.strings.tolist()


def text_lines(name: str, options: dict[str, Any], truth: str, seed: int) -> Iterator[Line]:
    rng, found = np.random.default_rng(seed), corpus(name, **CORPORA[name])
    if found is None:
        return
    some = of_two_classes(found.labels, rng)
    texts, codes = [found.texts[i] for i in some], np.unique(np.asarray(found.labels)[some], return_inverse=True)[1]
    alpha: Any = options.get("alpha", "loo")
    real = sf.TextClassifier(**{**WORDS, "alpha": 0.1 if truth == "other" else alpha, **ALONE, "min_df": 1}).fit(
        texts, codes
    )
    theta = np.exp(learned(real)[0])
    if truth == "prior":
        chosen: Any = real.alpha_
        theta = drawn_shares(chosen, theta.shape, rng)
    theta /= theta.sum(axis=1, keepdims=True)
    lengths = [max(1, len(text.split())) for text in texts]
    known = {"vocabulary": [f"w{word}" for word in range(theta.shape[1])]} if "vocabulary" in options else {}
    model = sf.TextClassifier(**{**options, **known, **ALONE}).fit(drawn_texts(theta, codes, lengths, rng), codes)
    logs, words = learned(model)
    place = {word: j for j, word in enumerate(words)}
    new = rng.integers(0, len(codes), NEW)
    for text in drawn_texts(theta, codes[new], np.array(lengths)[new], rng):
        said = model.explain(text, 0, 1)
        for i, word in enumerate(said.features):
            if word in place:
                ratio = logs[0, place[word]] - logs[1, place[word]]
                power = said.contributions[i] / ratio if ratio else 0.0
                yield line(said, i, power * float(np.subtract(*np.log(theta[:, int(word[1:])]))))


def table_lines(name: str, options: dict[str, Any], _: str, seed: int) -> Iterator[Line]:
    rng, found = np.random.default_rng(seed), frame(name)
    if found is None:
        return
    X, y = found
    some = of_two_classes(y, rng)
    plain = partial(sf.NaiveBayes, **PLAIN, class_prior="counted")
    true = plain().fit(X.iloc[some].reset_index(drop=True), y[some])
    drawn, (new, _labels) = true.sample(label=y[some].tolist(), rng=rng), true.sample(NEW, rng=rng)
    model, same = sf.NaiveBayes(**options).fit(*drawn), plain().fit(*drawn)
    for i in range(len(new)):
        said, alone, known = (one.explain(new.iloc[[i]], *true.classes_) for one in (model, same, true))
        weights = [dict(zip(map(str, one.features), one.contributions, strict=True)) for one in (alone, known)]
        for j, (name, value) in enumerate(zip(map(str, said.features), said.values, strict=True)):
            if name in weights[0].keys() & weights[1].keys() and weights[0][name] and "residual" not in value:
                yield line(said, j, said.contributions[j] / weights[0][name] * weights[1][name])


def code_lines(family: str, _: dict[str, Any], __: str, seed: int) -> Iterator[Line]:
    """Yield lines of categories, flags or counts whose probabilities come from the prior of the classifier."""
    rng, codes = np.random.default_rng(seed), np.arange(60) % 2
    if family == "counts":
        theta = drawn_shares(1.0, (2, 300), rng)
        X, model = np.stack([rng.multinomial(30, theta[code]) for code in codes]), sf.MultinomialNB()
    else:
        size = 5 if family == "categories" else 2
        theta = drawn_shares(1.0, (2 * 20, size), rng).reshape(20, 2, size)  # columns × classes × categories
        X = np.stack([[rng.choice(size, p=column[code]) for column in theta] for code in codes])
        model = sf.CategoricalNB(min_categories=size) if family == "categories" else sf.BernoulliNB()
    model.fit(X[:40], codes[:40])
    for row in X[40:]:
        said = model.explain(row, 0, 1)
        for i, j in enumerate(map(int, said.features)):
            a, b = theta[:, j] if family == "counts" else theta[j, :, row[j]]
            yield line(said, i, (row[j] if family == "counts" else 1) * float(np.log(a / b)))


def line(said: Any, i: int, true: float) -> Line:
    return (np.nan, true, np.nan) if said.low is None else (said.low[i], true, said.high[i])


def show(name: str, of: Callable[..., Iterator[Line]], data: str, options: Any, truth: str, repeats: int) -> None:
    lines = [one for seed in range(repeats) for one in of(data, options, truth, seed)]
    if not lines:
        return
    low, true, high = np.array(lines).T
    there = np.isfinite(low)
    said = f"| {data}, {name} | {truth} | {len(lines):,} | {100 * there.mean():.0f} % |"
    if not there.any():
        print(said, "|||", flush=True)
        return
    held, width = ((low <= true) & (true <= high))[there].mean(), (high - low)[there]
    print(said, f"{100 * held:.1f} % | {np.median(width):.2f} | {100 * (width > WIDE).mean():.1f} % |", flush=True)


def main(repeats: int = 8) -> None:
    warnings.simplefilter("ignore")
    print("| | truth | lines | with an interval | hold the truth | median width | wider than 10 |\n|-|-|-|-|-|-|-|")
    for data in CORPORA:
        for name, options in TEXTS.items():
            for truth in ("prior", "fitted", "other"):
                show(name, text_lines, data, options, truth, repeats)
    for data in TABLES:
        for name, options in {"as by default": {}, "plain": {**PLAIN, "class_prior": "counted"}}.items():
            show(name, table_lines, data, options, "fitted", repeats)
    for family in ("categories", "flags", "counts"):
        show("as by default", code_lines, family, {}, "prior", 4 * repeats)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
