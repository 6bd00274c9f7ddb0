# %% [markdown]
# # GDA and logistic regression
#
# There are two ways to a linear boundary. Gaussian discriminant analysis (GDA) models
# the rows of each class and applies Bayes' rule; logistic regression fits the boundary
# directly. This page shows why both lead to the same formula, and which of them needs
# fewer rows.

# %% [markdown]
# ## One covariance: the log-odds are linear
#
# Let the rows of class $c$ be normal with mean $\mu_c$ and a covariance $\Sigma$ that
# both classes share. In the log-odds, the quadratic term
# $-\tfrac12 x^\top \Sigma^{-1} x$ is the same for both and cancels
# ([GD-5](../math/discriminant.md)):
#
# $$\ln \frac{p(1 \mid x)}{p(0 \mid x)} = w^\top x + b, \qquad
# w = \Sigma^{-1} (\mu_1 - \mu_0), \qquad
# b = -\tfrac12 \mu_1^\top \Sigma^{-1} \mu_1 + \tfrac12 \mu_0^\top \Sigma^{-1} \mu_0
# + \ln \frac{\pi_1}{\pi_0}$$
#
# Hence $p(1 \mid x) = 1 / (1 + e^{-(w^\top x + b)})$, the form of logistic regression.
# Here $\pi_c$ is the probability of class $c$. `coef_` and `intercept_` are this $w$
# and this $b$.

# %%
from typing import Any

import altair as alt
import numpy as np
import polars as pl
from sklearn.linear_model import LogisticRegression

import suffice as sf

alt.renderers.enable("svg")  # notebooks draw without a network

rng = np.random.default_rng(0)
means = np.array([[-0.8, -0.3], [0.8, 0.5]])
covariance = np.array([[1.0, 0.6], [0.6, 1.0]])
y = (rng.random(200) < 0.4).astype(int)
X = means[y] + rng.multivariate_normal([0, 0], covariance, 200)

model = sf.GaussianDiscriminant("shared", "mle", class_prior="counted", temper=None)
model.fit(X, y)

mu0, mu1 = X[y == 0].mean(axis=0), X[y == 1].mean(axis=0)
around = X - np.where(y[:, None] == 1, mu1, mu0)
sigma = around.T @ around / len(X)
w = np.linalg.solve(sigma, mu1 - mu0)
b = (mu0 @ np.linalg.solve(sigma, mu0) - mu1 @ np.linalg.solve(sigma, mu1)) / 2
b += np.log(np.mean(y == 1) / np.mean(y == 0))

print("by hand: ", w.round(4), b.round(4))
print("coef_:   ", model.coef_[0].round(4), model.intercept_[0].round(4))

# %% [markdown]
# The logistic function of these log-odds gives the model's probabilities, up to
# rounding:

# %%
odds = X @ model.coef_.T + model.intercept_
logistic = 1 / (1 + np.exp(-odds[:, 0]))
print(
    f"largest difference: {np.abs(logistic - model.predict_proba(X)[:, 1]).max():.0e}"
)

# %% [markdown]
# Logistic regression chooses the $w$ and $b$ that make the labels most probable given
# the rows, and assumes nothing about the rows themselves. Here both models are right,
# and the two sets of coefficients are close:

# %%
discriminative = LogisticRegression(C=np.inf).fit(X, y)
print("logistic:", discriminative.coef_[0].round(4), discriminative.intercept_.round(4))

# %%
sf.plots.boundaries(model, X, y)

# %% [markdown]
# **How to read it.** The colour is the more probable class; the stronger the colour,
# the more certain. The boundary is a straight line. It is not perpendicular to the line
# between the two means: $\Sigma^{-1}$ rotates it, because the columns are correlated.
#
# ## A covariance for each class: the log-odds are quadratic
#
# If $\Sigma_0 \neq \Sigma_1$, the term
# $\tfrac12 x^\top (\Sigma_0^{-1} - \Sigma_1^{-1}) x$ does not cancel. In two columns
# the boundary is a conic section, and the model has no `coef_`:

# %%
spread = np.where(y[:, None] == 1, [0.5, 0.5], [1.3, 1.8])
Z = means[y] + rng.normal(size=(200, 2)) * spread
curved = sf.GaussianDiscriminant("full", "mle", temper=None).fit(Z, y)
print("has a plane:", hasattr(curved, "coef_"))
sf.plots.boundaries(curved, Z, y)

# %% [markdown]
# **How to read it.** The wide class surrounds the narrow one: far away in any
# direction, a row is more likely to come from the class with the larger spread. No
# straight line can express this. Logistic regression would need the squares and
# products of the columns as features.
#
# ## Which needs fewer rows?
#
# GDA assumes more, so it learns more from each row where the assumption holds. Where it
# fails, GDA converges to the wrong probabilities, however many rows there are. Four
# synthetic problems with five columns:
#
# - **One covariance.** Both classes are normal, as above: GDA's assumption holds.
# - **Two covariances.** Both classes are normal, with different covariances.
# - **Counts.** The columns are Poisson. The log-odds are exactly linear, but the rows
#   are not normal.
# - **A far cloud.** As the first, but three in ten rows of class 0 lie far away, on the
#   side where their class is obvious. No single normal distribution describes class 0.

# %%
problems = ["one covariance", "two covariances", "counts", "a far cloud"]
even = np.linalg.cholesky(0.5 * np.eye(5) + 0.5)  # correlations of one half
uneven = np.diag([0.3, 0.5, 1.0, 1.5, 2.0]) ** 0.5
shift = np.array([2.0, 0.7, 0.0, -0.7, 1.4])
rates = np.array([0.4, 0.6, 1.0, 1.7, 3.0])


def drawn(problem: str, n: int, seed: int) -> tuple[Any, Any]:
    """Return rows of a problem, half of them of each class, and their classes."""
    rng, y = np.random.default_rng(seed), np.arange(n) % 2
    second, noise = y[:, None] == 1, rng.normal(size=(n, 5))
    if problem == "counts":
        return rng.poisson(np.where(second, rates, rates[::-1])).astype(float), y
    first = noise @ (uneven if problem == "two covariances" else even).T
    X = np.where(second, noise @ even.T + shift, first)
    if problem == "a far cloud":
        X[(y == 0) & (rng.random(n) < 0.3), 0] -= 8
    return X, y


# %% [markdown]
# Three models. GDA and logistic regression are fitted by maximum likelihood, so that
# they differ only in what they assume (`C=1e4` is next to no penalty). Bayesian QDA has
# a covariance for each class and averages over its posterior. Each model learns from
# $n$ rows and is tested on 2,000 new ones.

# %%
ways: dict[str, Any] = {
    "GDA, one covariance": sf.GaussianDiscriminant("shared", "mle", temper=None),
    "Bayesian QDA": sf.GaussianDiscriminant("full", "predictive", temper=None),
    "logistic regression": LogisticRegression(C=1e4, max_iter=2000),
}
sizes, draws = (12, 20, 32, 64, 128, 512), 12
rows = []
for problem in problems:
    for draw in range(draws):
        new, truth = drawn(problem, 2000, 1000 + draw)
        X, y = drawn(problem, max(sizes), draw)
        for n in sizes:
            for way, one in ways.items():
                wrong = 1 - one.fit(X[:n], y[:n]).score(new, truth)
                rows.append({"problem": problem, "rows": n, "way": way, "wrong": wrong})
each = pl.DataFrame(rows).group_by("problem", "rows", "way", maintain_order=True)
errors = each.agg(pl.col("wrong").mean())
for problem in problems:
    for n in (min(sizes), max(sizes)):
        found = errors.filter(problem=problem, rows=n)["wrong"].to_list()
        print(f"{problem:>15}, {n:3} rows:", "  ".join(f"{x:6.1%}" for x in found))

# %% drawing
line = (
    alt.Chart(errors)
    .mark_line(point=alt.OverlayMarkDef(size=22), clip=True)
    .encode(
        x=alt.X("rows:Q", title="training rows")
        .scale(type="log", domain=[11, 560], nice=False)
        .axis(values=[12, 32, 128, 512], format="d", grid=False),
        y=alt.Y("wrong:Q", title="errors on new rows")
        .scale(domain=[0.04, 0.18])
        .axis(format="%", values=[0.05, 0.1, 0.15]),
        color=alt.Color("way:N", title=None).scale(
            domain=list(ways), range=["#2b6ca3", "#4c9f8a", "#d1603d"]
        ),
    )
    .properties(width=200, height=150)
)
facets = line.facet(facet=alt.Facet("problem:N", title=None, sort=problems), columns=2)
facets.configure_header(labelColor="#80858f", labelFontSize=12).configure_legend(
    orient="bottom"
)

# %% [markdown]
# **How to read it.** Each point is the mean of twelve random draws; lower is better.
#
# - **One covariance**: GDA leads while rows are few. With 32 rows it does about as well
#   as logistic regression with 64. QDA estimates two covariances where one would do,
#   and needs more rows too. In the end all three meet.
# - **Two covariances**: the right boundary is a curve. QDA leads from the start, and
#   the two linear models never catch up.
# - **Counts**: both linear models have the right form, although the rows are not
#   normal. With twelve or twenty rows GDA pays for that; from about thirty on it is no
#   worse, and with many rows the two meet. Here the wrong assumption does little harm.
# - **A far cloud**: the remote rows shift GDA's mean and inflate its covariance. It
#   stays behind, however many rows it has. Logistic regression hardly reacts to such
#   rows, because their labels are never in doubt.
#
# So take the generative model when rows are few or its assumption roughly holds, and
# logistic regression when rows are many and you would not vouch for a model of them. A
# generative model can also do more than separate classes: for example, it learns from
# [rows without labels](em_explained.py). [Bayesian QDA](bayesian_qda.py) shows the
# effect of averaging.
