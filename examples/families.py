"""A walk through the conjugate families, each on the example that made it famous. Run it with `make families`."""

import os
import shutil
import sys
import textwrap
import time
from collections.abc import Callable

import numpy as np
from scipy import stats

import suffice as sf
from suffice.stats import BinaryCounts, DiagonalMoments, TokenCounts

WIDTH = min(78, shutil.get_terminal_size((80, 24)).columns - 2)
BLOCKS = " ▁▂▃▄▅▆▇█"
COLOUR = sys.stdout.isatty() and not os.environ.get("NO_COLOR")


def paint(text: str, code: str) -> str:
    return f"\033[{code}m{text}\033[0m" if COLOUR else text


def title(number: int, what: str, model: str) -> None:
    gap = " " * max(2, WIDTH - len(f"{number}  {what}") - len(model))
    print(f"\n\n{paint(f'{number}  {what}', '1')}{gap}{paint(model, '2')}\n{paint('─' * WIDTH, '2')}")


def say(*paragraphs: str) -> None:
    for paragraph in paragraphs:
        print("\n".join(f"   {line}" for line in textwrap.wrap(paragraph, WIDTH - 3)))


def code(*lines: str) -> None:
    print()
    print("\n".join(f"   {paint('>>> ' + line, '36')}" for line in lines))


def curve(label: str, heights: np.ndarray, top: float | None = None) -> None:
    scaled = heights / (top or heights.max()) * (len(BLOCKS) - 1)
    bars = "".join(BLOCKS[int(np.ceil(h - 1e-9))] for h in np.clip(scaled, 0, len(BLOCKS) - 1))
    print(f"   {label:>9} {paint(bars, '34')}")


def axis(low: str, middle: str, high: str, width: int) -> None:
    half = width // 2
    print(f"   {'':>9} {low:<{half - len(middle) // 2}}{middle:<{width - half + len(middle) // 2 - len(high)}}{high}")


def coin() -> None:
    title(1, "A coin", "Bernoulli trials, Beta belief")
    say("You think a coin is about fair. Twenty tosses give 3 heads and 17 tails.")
    code("belief = sf.Beta(2, 2).update(heads=3, tails=17)")
    prior = sf.Beta(2, 2)
    belief = prior.update(heads=3, tails=17)
    say(repr(belief), "")
    grid = np.linspace(0.005, 0.995, 60)
    top = stats.beta.pdf(grid, belief.a, belief.b).max()
    for name, b in (("before", prior), ("after", belief)):
        curve(name, stats.beta.pdf(grid, b.a, b.b), top)
    axis("0", "probability of heads", "1", 60)
    low, high = belief.interval(0.95)
    say("", f"mean {belief.mean:.3f}, mode {belief.mode:.3f}, and 95 % sure it lies between {low:.3f} and {high:.3f}")

    print()
    say("Ten more tosses: how many heads? A plug-in estimate forgets that it is one.")
    many = belief.predict(10)
    plug_in = stats.binom(10, belief.mean)
    for k in range(8):
        ours, theirs = float(many.pmf(k)), float(plug_in.pmf(k))
        bar = paint("█" * round(ours * 120), "34")
        print(f"   {k:>9} {bar} {ours:.3f}   {paint(f'plug-in {theirs:.3f}', '2')}")

    print()
    say("The black swan: three tosses, no heads. The maximum-likelihood estimate says 0, so heads can never come.")
    swan = sf.Beta(1, 1).update(heads=0, tails=3)
    say(f"The predictive says {swan.predict().pmf(1):.2f}.")


def die() -> None:
    title(2, "A die with ten sides", "categories, Dirichlet belief")
    say('"Mary had a little lamb, little lamb, little lamb" and its next line: which word comes next?')
    words = ["mary", "lamb", "little", "big", "fleece", "white", "black", "snow", "rain", "(other)"]
    counts = [2, 4, 4, 0, 1, 1, 0, 1, 0, 4]
    code(f"sf.Dirichlet(np.ones(10)).update(counts={counts}).predict()")
    chances = sf.Dirichlet(np.ones(10)).update(counts=counts).predict().probabilities
    for word, n, p in zip(words, counts, chances, strict=True):
        print(f"   {word:>9} {paint('█' * round(p * 27 * 4), '34')} {round(p * 27)}/27   {paint(f'seen {n}', '2')}")
    say("", "Words never seen keep a chance of 1/27 each: nobody is ruled out by silence.")


def count() -> None:
    title(3, "A count", "Poisson counts, Gamma belief")
    say("Calls to a help desk in six hours: 3, 0, 4, 2, 5, 1.")
    code("belief = sf.Gamma(shape=2, rate=1).update(values=[3, 0, 4, 2, 5, 1])")
    belief = sf.Gamma(2, 1).update(values=[3, 0, 4, 2, 5, 1])
    low, high = belief.interval(0.9)
    next_hour = belief.predict()
    busy = 1 - float(np.sum(next_hour.pmf(np.arange(6))))
    say(
        repr(belief),
        "",
        f"{belief.mean:.2f} calls an hour, 90 % sure of {low:.2f} to {high:.2f}; "
        f"six or more in the next hour: {busy:.1%}",
    )


def number() -> None:
    title(4, "A real number", "normal values, normal-inverse-gamma belief")
    say("A clock reads 100 000 000 and a bit, with a spread of 1. The textbook formula E[x²] − E[x]² loses it all:")
    x = 1e8 + np.random.default_rng(7).standard_normal(10_000)
    textbook = float(np.mean(x * x) - np.mean(x) ** 2)
    t = DiagonalMoments.of(x)
    code("DiagonalMoments.of(readings).variance")
    say(f"textbook {textbook:.6f}     suffice {float(t.variance):.6f}     exact {(x - 1e8).var():.6f}", "")
    a, b = DiagonalMoments.of(x[:4_000]), DiagonalMoments.of(x[4_000:])
    say("Merge two halves, take one away again, and the other is back:")
    code("((a + b - b).scatter - a.scatter) / a.scatter")
    say(f"{float(((a + b - b).scatter - a.scatter) / a.scatter):.1e}", "")
    few = sf.NormalInverseGamma(m=0, kappa=1, a=1, b=1).update(values=[4.0, 5.0, 6.0])
    say(f"Three readings of a small one (4, 5, 6) and a weak prior: {few}")
    low, high = few.interval(0.9).mean
    say(f"the mean is {few.m:.2f}, 90 % sure of {low:.2f} to {high:.2f}: three readings are not many.")


def vector() -> None:
    title(5, "A vector", "multivariate normal, normal-inverse-Wishart belief")
    say("Height and weight of five people, with fewer rows than a covariance matrix likes.")
    people = [[170.0, 65.0], [182.0, 80.0], [165.0, 58.0], [178.0, 77.0], [190.0, 88.0]]
    code("sf.NormalInverseWishart(m=[170, 70], kappa=1, nu=4, scale=100 * np.eye(2)).update(values=people)")
    belief = sf.NormalInverseWishart([170, 70], 1, 4, 100 * np.eye(2)).update(values=people)
    mean, covariance = belief.mode
    correlation = covariance[0, 1] / np.sqrt(covariance[0, 0] * covariance[1, 1])
    say(f"most probable mean {mean.round(1)}, correlation {correlation:.2f}; the next person is Student-t around it")


def interval() -> None:
    title(6, "The taxicab", "uniform numbers, Pareto belief")
    say("In a strange town the first cab you see has number 100. How many cabs are there?")
    code("belief = sf.Pareto(0, 0).update(values=[100])")
    belief = sf.Pareto(0, 0).update(values=[100])
    density = belief.predict()
    grid = np.linspace(2, 300, 60)
    say(repr(belief), "")
    curve("next cab", np.asarray(density.pdf(grid)))
    axis("0", "number", "300", 60)
    quarter, twentieth = (float(np.asarray(belief.interval(level)[1])) for level in (0.5, 0.9))
    median = stats.pareto(belief.K, scale=belief.b).median()
    say(
        "", f"median {median:.0f} cabs; one chance in four of more than {quarter:.0f}, one in twenty of {twentieth:.0f}"
    )


def algebra() -> None:
    title(7, "What it is all for", "statistics that add and subtract")
    rng = np.random.default_rng(0)
    X = (rng.random((2_000_000, 10)) < 0.3).astype(np.uint8)
    y = rng.integers(0, 4, len(X))
    say(f"{len(X):,} rows of {X.shape[1]} yes/no answers in 4 classes, counted whole and in two parts:")
    whole, seconds = timed(lambda: BinaryCounts.of(X, y))
    here, there = BinaryCounts.of(X[:700_000], y[:700_000]), BinaryCounts.of(X[700_000:], y[700_000:])
    code("here + there == whole,   whole - there == here")
    say(f"{here + there == whole},   {whole - there == here}", "")
    table = sf.Beta(1, 1).update(whole)
    say(
        f"One pass of {seconds * 1e3:.0f} ms, and {table.batch_shape[0]} × {table.batch_shape[1]} Betas in one object.",
        "",
    )
    say("Forgetting what cannot have been learned is refused, and nothing changes:")
    code("TokenCounts.of([3, 1]) - TokenCounts.of([9])")
    try:
        TokenCounts.of([3, 1]) - TokenCounts.of([9])
    except sf.errors.SubtractionError as error:
        say(f"{type(error).__name__}: {error}")


def timed(work: Callable[[], BinaryCounts]) -> tuple[BinaryCounts, float]:
    start = time.perf_counter()
    return work(), time.perf_counter() - start


def main() -> None:
    print(paint(f"\n Suffice {sf.__version__}: counts suffice", "1"))
    print(" Data become sufficient statistics, statistics become posteriors, posteriors become decisions.")
    for part in (coin, die, count, number, vector, interval, algebra):
        part()
    print(f"\n\n{paint('─' * WIDTH, '2')}\n Next: docs/guide.md, then docs/math/ for the formulas beside their code.\n")


if __name__ == "__main__":
    main()
