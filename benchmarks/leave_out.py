"""Leave-one-out beside predict, for every event model, in one run: how much of predict's speed is left."""

import sys
from functools import partial
from typing import Any

import numpy as np
from side_by_side import in_turn, keep, markdown

import suffice as sf
from text import zipf

BELIEF = sf.NormalInverseGamma(0, 0.1, 2, 2)


def cases(n: int) -> dict[str, tuple[Any, Any, Any]]:
    rng = np.random.default_rng(0)
    y = rng.integers(0, 10, n)
    reals, counts = rng.normal(y[:, None], 1, (n, 20)), rng.poisson(1, (n, 20))
    texts, labels = zipf(n // 20, 50_000, 20)
    return {
        "GaussianNB": (sf.GaussianNB(), reals, y),
        "GaussianNB, Student-t": (sf.GaussianNB(estimate="predictive", prior=BELIEF), reals, y),
        "CategoricalNB": (sf.CategoricalNB(), rng.integers(0, 10, (n, 20)), y),
        "BernoulliNB": (sf.BernoulliNB(), rng.integers(0, 2, (n, 20)), y),
        "MultinomialNB": (sf.MultinomialNB(), counts, y),
        "PoissonNB": (sf.PoissonNB(), counts, y),
        "ComplementNB": (sf.ComplementNB(), counts, y),
        "TextClassifier, multinomial": (sf.TextClassifier(alpha=1.0, temper=None, feature_powers=None), texts, labels),
        "TextClassifier, bernoulli": (sf.TextClassifier("bernoulli", temper=None), texts, labels),
        "TextClassifier, complement": (sf.TextClassifier("complement", temper=None), texts, labels),
    }


def main() -> None:
    rows = []
    for name, (model, X, y) in cases(20_000 if "--quick" in sys.argv else 300_000).items():
        model.fit(X, y)
        jobs = {"predict": partial(model.predict_proba, X), "out": partial(model.leave_one_out, X, y)}
        times = in_turn(jobs, 3)
        share = times["predict"] / times["out"]
        rows.append([name, f"{times['predict']:.3f} s", f"{times['out']:.3f} s", f"{share:.2f}"])
        print("  ".join(f"{cell:>28}" for cell in rows[-1]), flush=True)
    print(markdown(["model", "predict", "leave one out", "share of predict's speed"], rows))
    keep("leave_out", {"rows": rows})


if __name__ == "__main__":
    main()
