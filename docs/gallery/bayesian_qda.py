"""Bayesian QDA.

Classes of measurements, each a cloud with a mean and a shape of its own. To draw the
boundary between them one needs both, and with few rows neither is known. This page
compares plugging in an estimate with integrating over all that the clouds may be.
"""

# %% [markdown]
# ## Three clouds
#
# Penguins by the length of bill and flipper. Each species has its own covariance, so
# boundaries are curves (quadratic discriminant analysis).

# %%

import altair as alt
import numpy as np
import polars as pl
from palmerpenguins import load_penguins
from sklearn.datasets import load_breast_cancer

import suffice as sf

columns = ["bill_length_mm", "flipper_length_mm"]
penguins = load_penguins().dropna(subset=columns)
X, y = penguins[columns], penguins["species"]
model = sf.GaussianDiscriminant().fit(X, y)
sf.plots.boundaries(model, X, y)

# %% [markdown]
# **How to read it.** The colour is the species that is answered there, the stronger
# the surer. With 342 penguins nothing depends on how parameters are estimated.
#
# ## Four penguins of each
#
# Now twelve rows in all. First with means and covariances of highest likelihood
# plugged in, and nothing done about too much confidence (`temper=None`):

# %%
few = penguins.groupby("species").head(4)
plugged = sf.GaussianDiscriminant(estimate="mle", temper=None)
plugged.fit(few[columns], few["species"])
sf.plots.boundaries(plugged, few[columns], few["species"])

# %% [markdown]
# **How to read it.** Four penguins are taken for all there is to know. The clouds are
# as narrow as they happened to be, boundaries bend around them, and colours are
# strong nearly everywhere, even where nobody has been; below the Chinstraps there are
# Gentoos again.
#
# Then with all means and covariances averaged over. The prior says nothing of the
# means, and of the covariance little, that a species spreads by some millimetres:

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
# **How to read it.** Boundaries are calmer, and colours fade between the clouds and
# away from them: the model knows that it knows little. Of all 342 penguins it gets
# more right, and is less often sure of what is wrong.
#
# ## The formula
#
# A normal with unknown mean and covariance, averaged over both, is a Student-t
# ([GD-2](../math/discriminant.md), which is [NW-2](../math/normal_inverse_wishart.md)
# for each class). With a flat mean and a prior of $\nu$ degrees of freedom and scale
# $\Lambda$, after $n$ rows of $d$ columns with mean $\bar x$ and scatter $S$:
#
# $$x \sim t_{\nu+n-d+1}\left(\bar x,\; \frac{n+1}{n} \cdot
# \frac{\Lambda + S}{\nu+n-d+1}\right)$$
#
# Its tails are heavy when $n$ is small, and $\Lambda + S$ can be inverted even when
# $S$ cannot.
#
# ## Fewer rows than columns
#
# Breast cancers, 30 measurements each. With fewer rows than that in a class its
# covariance is singular, and there is nothing to plug in:

# %%
cells, kinds = load_breast_cancer(return_X_y=True)
order = np.random.default_rng(0).permutation(len(kinds))
try:
    sf.GaussianDiscriminant(estimate="mle").fit(cells[order[:40]], kinds[order[:40]])
except sf.errors.SufficeError as error:
    print(error)

# %% [markdown]
# Averaged, forty rows are enough for an answer. Here the prior is not given but
# chosen, by how well most of the rows tell the classes of the others:

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
    x=alt.X("rows:Q", title="rows learned").scale(type="log", domain=[18, 350]),
    y=alt.Y("right:Q", title="right on new rows").scale(zero=False).axis(format="%"),
    color=alt.Color("model:N", title=None).scale(
        domain=["averaged", "plugged in", "naive"],
        range=["#5b7db1", "#d1603d", "#80858f"],
    ),
).properties(width=460, height=220)

# %% [markdown]
# **How to read it.** Each point is the average of four draws of rows. The red line
# begins where both classes have more rows than columns; averaging is above it
# throughout. The naive model knows no correlations and has less to learn: with a few
# dozen rows that is an advantage, later it is none.
