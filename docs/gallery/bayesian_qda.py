# %% [markdown]
# # Bayesian QDA
#
# Quadratic discriminant analysis describes each class by a mean and a covariance
# matrix. With few rows, neither is well known, and a classifier that plugs in estimates
# can be confidently wrong. This page compares plugging in with integrating the
# parameters out.

# %% [markdown]
# ## Three clouds
#
# Penguins, by the length of the bill and of the flipper. Each species has its own
# covariance, so the boundaries are curves.

# %%

import altair as alt
import numpy as np
import polars as pl
from palmerpenguins import load_penguins
from sklearn.datasets import load_breast_cancer

import suffice as sf

alt.renderers.enable("svg")  # notebooks draw without a network

columns = ["bill_length_mm", "flipper_length_mm"]
penguins = load_penguins().dropna(subset=columns)
X, y = penguins[columns], penguins["species"]
model = sf.GaussianDiscriminant().fit(X, y)
sf.plots.boundaries(model, X, y)

# %% [markdown]
# **How to read it.** The colour is the predicted species; the stronger the colour, the
# more certain the prediction. With 342 penguins, the choice of estimate makes no
# visible difference.
#
# ## Four penguins of each species
#
# Now the model sees only twelve rows. The first version plugs in the maximum-likelihood
# means and covariances, and does not temper its probabilities (`temper=None`):

# %%
few = penguins.groupby("species").head(4)
plugged = sf.GaussianDiscriminant(estimate="mle", temper=None)
plugged.fit(few[columns], few["species"])
sf.plots.boundaries(plugged, few[columns], few["species"])

# %% [markdown]
# **How to read it.** The model treats four penguins as if they were the whole species.
# The clouds are as narrow as the sample happened to be, and the boundaries bend around
# them. Colours are strong nearly everywhere, even far from any penguin; below the
# Chinstraps the answer is Gentoo again.
#
# The second version averages over all means and covariances. Its prior is flat in the
# means and weak in the covariance: it only says that a species spreads over some
# millimetres.

# %%
prior = sf.NormalInverseWishart(m=[0, 0], kappa=0, nu=2, scale=np.diag([10.0, 50.0]))
averaged = sf.GaussianDiscriminant(prior=prior, temper=None)
averaged.fit(few[columns], few["species"])
sf.plots.boundaries(averaged, few[columns], few["species"])

# %%
for name, one in {"plugged in": plugged, "averaged": averaged}.items():
    loss = sf.evaluate.log_loss(one.predict_log_proba(X), y, one.classes_)
    print(f"{name:>10}: right for {one.score(X, y):.1%} of all, log loss {loss:.2f}")

# %% [markdown]
# **How to read it.** The boundaries are smoother, and colours fade between the clouds
# and away from them: the model knows how little it knows. It classifies more of the 342
# penguins correctly, and is less often confident when it is wrong.
#
# ## The formula
#
# Integrating out the mean and the covariance of a normal distribution gives a Student-t
# ([GD-2](../math/discriminant.md), which applies
# [NW-2](../math/normal_inverse_wishart.md) to each class). Take a flat mean and a prior
# with $\nu$ degrees of freedom and scale $\Lambda$. After $n$ rows of $d$ columns with
# mean $\bar x$ and scatter $S$:
#
# $$x \sim t_{\nu+n-d+1}\left(\bar x,\; \frac{n+1}{n} \cdot
# \frac{\Lambda + S}{\nu+n-d+1}\right)$$
#
# The tails are heavy when $n$ is small, and $\Lambda + S$ is invertible even when $S$
# is not.
#
# ## Fewer rows than columns
#
# Breast cancers, with 30 measurements each. If a class has fewer rows than columns, its
# sample covariance is singular, and there is nothing to plug in:

# %%
cells, kinds = load_breast_cancer(return_X_y=True)
order = np.random.default_rng(0).permutation(len(kinds))
try:
    sf.GaussianDiscriminant(estimate="mle").fit(cells[order[:40]], kinds[order[:40]])
except sf.errors.SufficeError as error:
    print(error)

# %% [markdown]
# The Bayesian model gives an answer from as few as twenty rows. Here the prior is not
# given; the default chooses it by cross-validation on the training rows.

# %%
sizes, draws = (20, 40, 80, 140, 200, 320), 4
rows = []
for seed in range(draws):
    order = np.random.default_rng(seed).permutation(len(kinds))
    test = order[350:]
    for n in sizes:
        models = {"averaged": sf.GaussianDiscriminant(), "naive": sf.GaussianNB()}
        if n >= 140:
            models["plugged in"] = sf.GaussianDiscriminant(estimate="mle")
        for name, one in models.items():
            one.fit(cells[order[:n]], kinds[order[:n]])
            rows.append(
                {"rows": n, "model": name, "right": one.score(cells[test], kinds[test])}
            )
means = pl.DataFrame(rows).group_by("rows", "model").agg(pl.col("right").mean())

# %% drawing
alt.Chart(means).mark_line(point=True).encode(
    x=alt.X("rows:Q", title="training rows").scale(type="log", domain=[18, 350]),
    y=alt.Y("right:Q", title="accuracy on new rows").scale(zero=False).axis(format="%"),
    color=alt.Color("model:N", title=None).scale(
        domain=["averaged", "plugged in", "naive"],
        range=["#5b7db1", "#d1603d", "#80858f"],
    ),
).properties(width=460, height=220)

# %% [markdown]
# **How to read it.** Each point is the average over four random samples of rows. The
# red line begins where both classes have more rows than columns; averaging beats it
# throughout. The naive model ignores correlations and has fewer parameters to learn:
# that helps with a few dozen rows, but not later.
