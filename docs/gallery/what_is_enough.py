# %% [markdown]
# # What is enough
#
# A classifier of this library keeps counts and forgets the rows, yet it loses nothing
# that its likelihood could have used. This page shows what "sufficient" means: two data
# sets that the model cannot tell apart, new rows drawn from the counts alone, the
# factorization behind both, and a statistic that is not sufficient.

# %% [markdown]
# ## Two data sets, one posterior
#
# Here is a picture of twelve rows and twelve columns. A Bernoulli model takes the
# columns as features, and counts in how many rows each one is on. Shuffle each column
# separately, and you have another data set with the same counts.

# %%
import altair as alt
import numpy as np
import polars as pl
from scipy import integrate, special, stats

import suffice as sf
from suffice.stats import BinaryCounts, DiagonalMoments, RateCounts, TokenCounts

alt.renderers.enable("svg")  # notebooks draw without a network

face = """
....####....
..##....##..
.#........#.
.#..#..#..#.
#...#..#...#
#..........#
#..........#
#..#....#..#
.#..####..#.
.#........#.
..##....##..
....####....
"""
rows = np.array([[c == "#" for c in line] for line in face.split()]).astype(int)
counts = BinaryCounts.of(rows)
redrawn, _ = counts.sample_rows(0)
again, _ = counts.sample_rows(1)

print("the same rows:     ", np.array_equal(rows, redrawn))
print("the same statistic:", BinaryCounts.of(redrawn) == counts)
prior = sf.Beta(1, 1)
print(
    "the same posterior:",
    prior.update(BinaryCounts.of(redrawn)) == prior.update(counts),
)

# %% drawing
sets = {"the rows": rows, "redrawn": redrawn, "redrawn again": again}
panels = []
for name, X in sets.items():
    cells = [
        {"row": i, "column": j, "on": int(X[i, j])}
        for i in range(12)
        for j in range(12)
    ]
    sums = [{"column": j, "total": int(X[:, j].sum())} for j in range(12)]
    place = alt.X("column:O", axis=None)
    grid = (
        alt.Chart(pl.DataFrame(cells))
        .mark_rect(stroke="#80858f", strokeWidth=0.5, strokeOpacity=0.35)
        .encode(
            x=place,
            y=alt.Y("row:O", axis=None),
            fill=alt.Fill("on:N", legend=None).scale(
                domain=[0, 1], range=["transparent", "#0072b2"]
            ),
        )
        .properties(width=156, height=156, title=alt.Title(name, color="#80858f"))
    )
    below = (
        alt.Chart(pl.DataFrame(sums))
        .mark_text(color="#80858f", fontSize=12)
        .encode(x=place, text="total:Q")
        .properties(width=156, height=16)
    )
    panels.append(alt.vconcat(grid, below, spacing=4))
alt.hconcat(*panels, spacing=20)

# %% [markdown]
# **How to read it.** Three data sets of twelve rows. The figures below each column
# count its filled cells; they are the same in all three. You see a face in the first. A
# model of independent features sees no difference: the counts are the same, and so are
# the posterior and the predictions. To see the face, a model would need more than these
# counts, and a different likelihood.
#
# ## What "sufficient" means
#
# A statistic $T$ is *sufficient* for a family of distributions if the likelihood
# factorizes (Fisher and Neyman):
#
# $$p(x \mid \theta) = g\bigl(T(x), \theta\bigr)\; h(x)$$
#
# The parameter meets the data only in $T$. The other factor, $h$, may depend on the
# rows in any way, but not on $\theta$, so it cancels in Bayes' rule. Under any prior,
# the posterior depends on $T$ alone. Here are four families, each with its two factors
# as formulas and in code, checked against scipy's likelihood.
#
# **Bernoulli**, [BB-1](../math/beta.md). The sufficient statistics are $n$ and the
# number of ones, $N_1$:
#
# $$g = \theta^{N_1} (1-\theta)^{n-N_1}, \qquad h = 1$$

# %%
x, theta = np.array([1, 0, 0, 1, 1]), 0.3
T = BinaryCounts.of(x)
g, h = theta**T.ones * (1 - theta) ** T.zeros, 1
print(f"g · h = {g * h:.6f}, likelihood {stats.bernoulli.pmf(x, theta).prod():.6f}")

# %% [markdown]
# **Multinomial**, [DM-1](../math/dirichlet.md). Row $i$ has $n_i$ tokens, $x_{ij}$ of
# word $j$. The sufficient statistics are the totals $T_j = \sum_i x_{ij}$:
#
# $$g = \prod_j \theta_j^{T_j}, \qquad h = \prod_i \frac{n_i!}{\prod_j x_{ij}!}$$

# %%
x, theta = np.array([[3, 0, 0], [0, 1, 2]]), np.array([0.2, 0.3, 0.5])
lengths = x.sum(axis=1)
T = TokenCounts.of(x)
g = np.prod(theta**T.counts)
h = special.factorial(lengths).prod() / special.factorial(x).prod()
likelihood = stats.multinomial.pmf(x, lengths, theta).prod()
print(f"g · h = {g * h:.6f}, likelihood {likelihood:.6f}")

# %% [markdown]
# **Poisson**, [GP-1](../math/gamma.md). The sufficient statistics are $n$ and the sum
# $S = \sum_i x_i$:
#
# $$g = \lambda^{S} e^{-n\lambda}, \qquad h = \prod_i \frac{1}{x_i!}$$

# %%
x, rate = np.array([4, 0, 2]), 1.5
T = RateCounts.of(x)
g, h = rate**T.counts * np.exp(-T.n * rate), 1 / special.factorial(x).prod()
print(f"g · h = {g * h:.6f}, likelihood {stats.poisson.pmf(x, rate).prod():.6f}")

# %% [markdown]
# **Normal**, [NG-1](../math/normal_inverse_gamma.md). The sufficient statistics are
# $n$, the mean $\bar x$ and the scatter $S = \sum_i (x_i - \bar x)^2$:
#
# $$g = \sigma^{-n} \exp\left(-\frac{S + n(\bar x-\mu)^2}{2\sigma^2}\right), \qquad
# h = (2\pi)^{-n/2}$$

# %%
x, mu, sigma = np.array([1.0, 2.0, 6.0]), 2.0, 3.0
T = DiagonalMoments.of(x)
g = sigma**-T.n * np.exp(-(T.scatter + T.n * (T.mean - mu) ** 2) / (2 * sigma**2))
h = (2 * np.pi) ** (-T.n / 2)
print(f"g · h = {g * h:.6f}, likelihood {stats.norm.pdf(x, mu, sigma).prod():.6f}")

# %% [markdown]
# If $h$ is not constant, two data sets with the same $T$ can have different
# likelihoods: six events in one row are less probable than two, two and two. But the
# ratio is the same for every rate, so it carries no information about the rate:

# %%
for rate in (0.5, 2.0, 7.0):
    ratio = np.divide(
        *(stats.poisson.pmf(x, rate).prod() for x in ([2, 2, 2], [6, 0, 0]))
    )
    print(f"rate {rate}: {ratio:.1f} times as probable")

# %% [markdown]
# ## Rows from the statistic alone
#
# There is a second definition of sufficiency. Given $T$, the rows are distributed as
# $p(x \mid T) \propto h(x)$, which contains no parameter ([SX-12](../math/counts.md)).
# So someone who knows only $T$ can draw new rows. `sample_rows` does this; it drew the
# second and third picture. Each likelihood has its own distribution:
#
# - For flags and categories, every arrangement is equally probable.
# - Poisson events fall into each row with equal probability.
# - The tokens of a multinomial are shuffled and split among the rows.
# - Normal values are uniform on a sphere about their mean.
# - Of uniform values, one is the largest, which is known; the others are uniform below
#   it.

# %%
rng = np.random.default_rng(0)

X = [[3, 0], [0, 4], [1, 1], [0, 6], [2, 5]]
y = [0, 1, 0, 1, 1]
events = RateCounts.of(X, labels=y)
new_X, new_y = events.sample_rows(rng)
print("Poisson counts of two classes, redrawn:", new_X.tolist())
print("  their classes:", new_y.tolist())
print("  the same statistic:", RateCounts.of(new_X, new_y) == events)

tokens = TokenCounts.of(X, labels=y)
texts, labels = tokens.sample_rows(rng, lengths=[4, 1, 10, 7], labels=[0, 0, 1, 1])
print("the same tokens in other texts:", texts.toarray().tolist())
print("  the same statistic:", TokenCounts.of(texts, labels) == tokens)

heights = DiagonalMoments.of([1.62, 1.75, 1.81, 1.70])
new_heights, _ = heights.sample_rows(rng)
print("heights, redrawn:", new_heights.round(2).tolist())
print(f"  mean {new_heights.mean():.4f}, was {float(heights.mean):.4f};", end=" ")
print(f"variance {new_heights.var():.6f}, was {float(heights.variance):.6f}")

# %% [markdown]
# Counts are reproduced exactly, moments up to rounding. `TokenCounts` knows neither
# texts nor their lengths, so each token becomes a row of its own unless `lengths` are
# given.
#
# Some statistics do not offer `sample_rows`. `PoissonSums` keeps $\sum \ln x_i!$
# besides $n$ and $\sum x_i$, because the evidence needs it. That is more than
# sufficient, and rows with exactly that sum are hard to find. `FullMoments` does not
# implement it, although a sphere would again do. And fractional row weights cannot be
# recovered from the counts.
#
# ## An insufficient statistic
#
# Now discard a little more: keep only which Poisson counts are above zero. Two data
# sets may then agree and still have different posteriors:

# %%
few, many = [1, 1, 0, 1, 0], [6, 2, 0, 9, 0]
for x in (few, many):
    belief = sf.Gamma(1, 1).update(values=x)
    low, high = belief.interval(0.9)
    print(f"{x}: present in {np.count_nonzero(x)} of {len(x)};", end=" ")
    print(f"rate {belief.mean:.2f}, 90 % between {low:.2f} and {high:.2f}")

# %% [markdown]
# Presence and absence are not sufficient for the rate, but they have a likelihood of
# their own. A count is 0 with probability $e^{-\lambda}$, so if $K$ of $n$ counts are
# above zero,
#
# $$p(K \mid \lambda) \propto (1 - e^{-\lambda})^{K}\, e^{-(n-K)\lambda}$$
#
# How much wider is the posterior? Take forty counts:

# %%
n, rate = 40, 2.0
x = np.random.default_rng(5).poisson(rate, n)
K = np.count_nonzero(x)
full = sf.Gamma(1, 1).update(values=x)


def unscaled(at: float) -> float:
    """Return prior times likelihood of presence and absence, scaled to about one."""
    peak = -np.log(1 - K / n)
    logs = [K * np.log(-np.expm1(-r)) - (n - K) * r - r for r in (at, peak)]
    return float(np.exp(logs[0] - logs[1]))


total, mean, square = (
    integrate.quad(lambda r, k=k: r**k * unscaled(r), 1e-9, 20, limit=200)[0]
    for k in range(3)
)
spread = np.sqrt(square / total - (mean / total) ** 2)
print(f"{n} counts, {x.sum()} events, {K} above zero")
print(f"from all counts:  rate {full.mean:.2f}, standard deviation {full.var**0.5:.2f}")
print(f"from presence:    rate {mean / total:.2f}, standard deviation {spread:.2f}")
kept = rate / np.expm1(rate)
print(f"Fisher information that presence keeps at a rate of 2: {kept:.0%}")

# %% drawing
grid = np.linspace(0.6, 3.2, 181)
lines = [
    {"rate": float(r), "density": float(d), "known": name}
    for name, density in {
        "all counts": full.pdf,
        "presence and absence": np.vectorize(lambda r: unscaled(r) / total),
    }.items()
    for r, d in zip(grid, density(grid), strict=True)
]
names = alt.Color("known:N", title=None).scale(range=["#0072b2", "#d55e00"])
alt.Chart(pl.DataFrame(lines)).mark_line(strokeWidth=2.5).encode(
    x=alt.X("rate:Q", title="rate", scale=alt.Scale(nice=False)),
    y=alt.Y("density:Q", title="posterior density"),
    color=names,
    strokeDash=alt.StrokeDash("known:N", title=None),
).properties(width=420, height=220)

# %% [markdown]
# **How to read it.** Two beliefs about one rate, from the same forty rows and the same
# prior. The belief that uses the counts is narrow. The belief that uses only presence
# is wider, because it cannot tell one event from nine.
#
# Fisher information measures the loss. A count has the information $1/\lambda$ about
# its rate, and its presence has $e^{-\lambda}/(1-e^{-\lambda})$. The ratio is
# $\lambda/(e^{\lambda}-1)$, 31 % at $\lambda = 2$: presence needs more than three times
# as many rows for the same precision. For small rates the ratio approaches 1. A word
# that hardly ever occurs twice in a text loses little when its counts become flags, so
# [Bernoulli models of words](x_windows.py) are less wasteful than they look.
