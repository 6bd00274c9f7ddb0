# %% [markdown]
# # EM explained
#
# EM learns classes from rows that carry no labels, by repeating two steps. This page
# shows why those steps can never make the fit worse: each round builds a lower bound
# that touches the likelihood, and then climbs it.

# %% [markdown]
# ## Two coins in a bag
#
# A bag holds two coins: a fair one, and one that shows heads with an unknown
# probability $\theta$. Ten times, a coin is drawn at random, tossed twelve times and
# put back. Only the number of heads is recorded, not which coin it was.

# %%
import warnings
from itertools import pairwise
from typing import Any

import altair as alt
import numpy as np
import polars as pl
from scipy import stats
from scipy.special import logsumexp
from sklearn.exceptions import ConvergenceWarning

import suffice as sf

alt.renderers.enable("svg")  # notebooks draw without a network

heads = np.array([6, 10, 11, 5, 9, 10, 7, 11, 4, 10])


def log_joint(theta: Any) -> Any:
    """Return ln p(heads, coin) of each draw; the fair coin comes first."""
    fair = np.full_like(heads, np.log(0.5), dtype=float)
    fair += stats.binom.logpmf(heads, 12, 0.5)
    return np.stack([fair, np.log(0.5) + stats.binom.logpmf(heads, 12, theta)], axis=1)


def log_likelihood(theta: float) -> float:
    """Return ln p(heads): the sum over coins is inside the logarithm."""
    return float(logsumexp(log_joint(theta), axis=1).sum())


# %% [markdown]
# If we knew the coins, $\theta$ would be a ratio of counts. We do not, so the logarithm
# stands before a sum over coins, and the maximum has no closed form. But take *any*
# shares $Q_i$ that sum to one over the coins. The logarithm of an average is at least
# the average of the logarithms (Jensen's inequality), and so
# ([EM-4](../math/expectation.md))
#
# $$\ell(\theta) = \sum_i \ln \sum_c p(x_i, c \mid \theta) \;\ge\;
# F(Q, \theta) = \sum_i \sum_c Q_i(c) \ln \frac{p(x_i, c \mid \theta)}{Q_i(c)}$$
#
# The right-hand side has its sum outside the logarithm, and is easy to maximize. EM
# alternates two steps:
#
# - **E step**: set $Q_i(c) = p(c \mid x_i, \theta)$. No other shares give a higher
#   bound at this $\theta$: the bound touches the likelihood.
# - **M step**: move $\theta$ to the maximum of the bound. This is counting, with each
#   draw weighted by its shares.
#
# Three rounds, from a poor guess:


# %%
def e_step(theta: float) -> Any:
    """Return the shares of both coins in each draw."""
    joint = log_joint(theta)
    return np.exp(joint - logsumexp(joint, axis=1, keepdims=True))


def m_step(shares: Any) -> float:
    """Return heads over tosses, each draw by the share of the second coin."""
    return float(shares[:, 1] @ heads / (12 * shares[:, 1].sum()))


def bound(shares: Any, theta: float) -> float:
    """Return F(Q, θ)."""
    return float((shares * (log_joint(theta) - np.log(shares))).sum())


thetas = [0.6]
for _ in range(3):
    thetas.append(m_step(e_step(thetas[-1])))
for now, then in pairwise(thetas):
    shares = e_step(now)
    touch, top, after = log_likelihood(now), bound(shares, then), log_likelihood(then)
    print(f"from {now:.3f} to {then:.3f}: {touch:.4f} <= {top:.4f} <= {after:.4f}")

# %% drawing
grid = np.linspace(0.5, 0.95, 226)
curve = pl.DataFrame({"theta": grid, "value": [log_likelihood(x) for x in grid]})
rounds = [f"bound of round {t + 1}" for t in range(3)]
bounds, points = [], []
for name, (now, then) in zip(rounds, pairwise(thetas), strict=True):
    shares = e_step(now)
    bounds += [{"theta": x, "value": bound(shares, x), "line": name} for x in grid]
    points += [
        {"theta": now, "value": log_likelihood(now), "line": name, "at": "touches"},
        {"theta": then, "value": bound(shares, then), "line": name, "at": "top"},
    ]
x = alt.X("theta:Q", title="θ, the second coin's probability of heads")
x = x.scale(domain=[0.5, 0.95], nice=False).axis(tickCount=6, grid=False)
y = alt.Y("value:Q", title="log-likelihood and bounds").scale(domain=[-31, -20])
colours = alt.Color("line:N", title=None).scale(
    domain=["log-likelihood", *rounds],
    range=["#80858f", "#d1603d", "#c79a2b", "#2b6ca3"],
)
true = alt.Chart(curve.with_columns(pl.lit("log-likelihood").alias("line")))
lines = alt.Chart(pl.DataFrame(bounds)).mark_line(clip=True, strokeWidth=2)
marks = alt.Chart(pl.DataFrame(points)).mark_point(clip=True, size=70, opacity=1)
touching = marks.transform_filter(alt.datum.at == "touches").mark_point(
    filled=True, size=70, opacity=1
)
tops = marks.transform_filter(alt.datum.at == "top").mark_point(
    size=70, opacity=1, strokeWidth=2, filled=False
)
alt.layer(
    true.mark_line(strokeWidth=4, clip=True).encode(x=x, y=y, color=colours),
    *(part.encode(x=x, y=y, color=colours) for part in (lines, touching, tops)),
).properties(width=470, height=280)

# %% [markdown]
# **How to read it.** The grey curve is the log-likelihood, which EM never sees as a
# whole. Each bound lies below it and touches it at the filled point, where the round
# begins. The hollow point is the maximum of the bound. The next round begins directly
# above it, on the grey curve. The curve is nowhere below the bound, and the maximum of
# the bound is no lower than the point of contact, so the likelihood cannot fall.
#
# ## The bound of a fitted mixture
#
# `Mixture` and `SemiSupervised` keep the log-likelihood, plus the log-density of the
# prior if there is one, in `objective_`. With `record_bound=True` they also keep the
# bound after each M step, in `bound_`, so that `objective_[t] <= bound_[t] <=
# objective_[t + 1]`. The last bound is NaN, because no M step follows.
#
# Three hundred synthetic points come from two clouds, left and right. The start is poor
# on purpose: one cluster gets the upper half of the points, the other the lower half.

# %%
rng = np.random.default_rng(3)
is_right = rng.random(300) < 0.4
left = rng.multivariate_normal([-0.9, 0.0], [[0.5, 0.4], [0.4, 0.8]], 300)
right = rng.multivariate_normal([0.9, 0.0], [[0.3, -0.35], [-0.35, 0.8]], 300)
X = np.where(is_right[:, None], right, left)

prior = sf.NormalInverseWishart(m=[0, 0], kappa=0.01, nu=4, scale=0.1 * np.eye(2))
clouds = sf.GaussianDiscriminant("full", "map", prior=prior)
start = [[0.0, 1.0], [0.0, -1.0]]  # each point joins the nearest of these


def fitted(steps: int) -> sf.Mixture:
    """Return the mixture after the given number of steps from the poor start."""
    model = sf.Mixture(clouds, 2, max_iter=steps, tol=0, record_bound=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return model.fit(X, init=start)


model = fitted(40)
for t in range(4):
    low, middle, high = model.objective_[t], model.bound_[t], model.objective_[t + 1]
    print(f"step {t + 1}: {low:9.4f} <= {middle:9.4f} <= {high:9.4f}")

# %% [markdown]
# The mixture after some of the steps:

# %% drawing
plane = {"rows": X.round(3), "means": start}
shown = [1, 16, 22, 26, 30, 40]
names = [f"after {n} step{'s' * (n > 1)}" for n in shown]
turn = np.linspace(0, 2 * np.pi, 61)
circle = np.stack([np.cos(turn), np.sin(turn)])
rings, dots = [], []
for n, name in zip(shown, names, strict=True):
    each = fitted(n)
    means, covariances = each.estimator_.means_, each.estimator_.covariance_
    for c in range(2):
        root = np.linalg.cholesky(covariances[c])
        for size in (1, 2):
            ring = means[c][:, None] + size * root @ circle
            rings += [
                {"x": a, "y": b, "at": i, "of": f"{c}", "ring": size, "step": name}
                for i, (a, b) in enumerate(ring.T)
            ]
    second = each.predict_proba(X)[:, 1]
    dots += [
        {"x": a, "y": b, "share": share, "step": name}
        for (a, b), share in zip(X, second, strict=True)
    ]
data = pl.concat([pl.DataFrame(dots), pl.DataFrame(rings)], how="diagonal")
side = (
    alt.X("x:Q", title=None)
    .scale(domain=[-3.2, 3.2])
    .axis(grid=False, values=[-2, 0, 2])
)
up = alt.Y("y:Q", title=None).scale(domain=[-3, 3]).axis(grid=False, values=[-2, 0, 2])
base = alt.Chart(data).encode(x=side, y=up).properties(width=150, height=150)
film = alt.layer(
    base.transform_filter("isValid(datum.share)")
    .mark_circle(size=13, opacity=0.9)
    .encode(
        color=alt.Color("share:Q", title="share of the second cluster")
        .scale(domain=[0, 0.5, 1], range=["#d1603d", "#b9b3ad", "#2b6ca3"])
        .legend(orient="bottom", format="%", gradientLength=160, values=[0, 0.5, 1])
    ),
    base.transform_filter("isValid(datum.ring)")
    .mark_line(strokeWidth=1.8, clip=True)
    .encode(
        detail="ring:N",
        order="at:Q",
        stroke=alt.Stroke("of:N", legend=None).scale(
            domain=["0", "1"], range=["#d1603d", "#2b6ca3"]
        ),
    ),
)
film.facet(
    facet=alt.Facet("step:N", title=None, sort=names), columns=3
).configure_header(labelColor="#80858f", labelFontSize=12)

# %% [markdown]
# <div class="touch" data-touch="em" data-from="plane" data-classes="2"></div>
#
# **How to read it.** Colours are the shares of each point (E step); ellipses lie one
# and two standard deviations around the means (M step). At first one cluster lies above
# the other, and many points belong to both. For a while little happens. Then the
# clusters rotate, and in the end they match the two clouds. Points of a mixed colour
# remain where the clouds overlap, as they should. On screen, *step* takes one E step
# and one M step by maximum likelihood, and *another start* begins at two random points.

# %%
sf.plots.objective(model)

# %% [markdown]
# **How to read it.** The objective, step by step. It never falls. But it nearly stalls
# while one cluster lies above the other, and a larger `tol` would have stopped EM
# there: a plateau need not be the maximum.
#
# ## Where to start
#
# EM climbs, so where it ends depends on where it starts. By default `Mixture` tries
# several starts and keeps the best. Pass your own start to `fit` as `init`: the shares
# of each row, a cluster for each row, the mean of each cluster, or a fitted classifier,
# whose probabilities become the first E step.

# %%
upper_left = X[:, 0] < X[:, 1]
starts: dict[str, Any] = {
    "shares": np.where(X[:, :1] < 0, [0.6, 0.4], [0.4, 0.6]),
    "a cluster for each row": np.where(upper_left, "upper left", "lower right"),
    "means": start,
    "a fitted classifier": sf.GaussianNB().fit(X[:20], is_right[:20]),
}
for name, init in starts.items():
    ended = sf.Mixture(clouds, 2, tol=1e-9, max_iter=300).fit(X, init=init)
    steps, end = ended.n_iter_ - 1, ended.objective_[-1]
    print(f"{name:>22}: {end:.4f} after {steps} steps,", np.bincount(ended.labels_))

# %% [markdown]
# Here all four starts end in the same mixture, up to the order of its clusters, after
# different numbers of steps. One kind of start leads nowhere: identical clusters. Every
# point then has the same shares, the next clusters are identical again, and nothing
# ever separates them.

# %%
same = np.full((300, 2), 0.5)
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    sf.Mixture(clouds, 2).fit(X, init=same)
print(caught[0].message)

# %% [markdown]
# ## Some labels are known
#
# A row with a label needs no E step: its share in that class is always one. Everything
# else stays the same. Here three points of each cloud have a label:

# %%
truth = np.where(is_right, "right", "left")
known = np.concatenate([np.flatnonzero(is_right)[:3], np.flatnonzero(~is_right)[:3]])
labels = np.full(300, None, dtype=object)
labels[known] = truth[known]
partly = sf.SemiSupervised(clouds, tol=1e-9, max_iter=300, record_bound=True)
partly.fit(X, labels)
alone = sf.GaussianDiscriminant("full", "map", prior=prior).fit(X[known], truth[known])
for t in range(3):
    low, middle, high = partly.objective_[t], partly.bound_[t], partly.objective_[t + 1]
    print(f"step {t + 1}: {low:10.4f} <= {middle:9.4f} <= {high:9.4f}")
print(f"six labels alone: right for {alone.score(X, truth):.1%}")
print(f"and 294 without:  right for {partly.score(X, truth):.1%}")

# %%
sf.plots.boundaries(partly, X, truth)

# %% [markdown]
# **How to read it.** The colour is the more probable cloud; the stronger the colour,
# the more certain. The points show the true cloud. Six labels say which cluster is
# which, and the unlabelled points say where the clusters are. [A few labels and much
# text](few_labels.py) applies this to documents, and [rows without
# labels](../unlabelled.md) says when it can go wrong.
#
# ## What is guaranteed
#
# For any model, the objective is never below the bound. For the M step to raise the
# bound, the estimate must be the posterior mode under a fixed prior. The posterior mean
# of a proportion qualifies too: it is the mode under a prior with one more
# pseudo-count. [EM-1](../math/expectation.md) lists the models for which this holds,
# and `tests/laws/test_em.py` checks every classifier of the library.
