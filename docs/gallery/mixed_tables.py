# %% [markdown]
# # Mixed tables: words, numbers and gaps side by side
#
# Naive Bayes multiplies one likelihood per column, so each column can have a likelihood
# that fits it: a categorical distribution for words, a normal or bins for measurements,
# a Poisson for counts. This page fits a table of penguins with gaps as it stands.
# Nothing has to be encoded, scaled or imputed.

# %% [markdown]
# ## Three lines
#
# 344 penguins, seven columns, 19 missing values.

# %%
import altair as alt
import polars as pl
from palmerpenguins import load_penguins

import suffice as sf

alt.renderers.enable("svg")  # notebooks draw without a network

penguins = load_penguins()
model = sf.NaiveBayes().fit(penguins, "species")
print(model)

# %% [markdown]
# Each column gets a model according to its values ([which, and why](../math/bins.md)).
# The last line of the table is not a column: held-out rows have shown that the four
# measurements are better modelled [together](../joint.md), by a normal distribution
# with a covariance for each species. It adds a term like that of a column.
# The score of a row is the sum of its columns' contributions,
# [NB-9](../math/naive_bayes.md):
#
# $$\ln p(x, c) = \ln p(c) + \sum_{j \,\text{present}} w_j \ln p(x_j \mid c)$$
#
# A missing value contributes nothing. $w_j$ is the column's
# [power](../choices.md#feature-powers): 1 for a column with information of its own,
# near 0 for a column that repeats others, as the single measurements repeat the
# multivariate normal.
#
# ## One penguin, column by column

# %%
sf.plots.waterfall(model.explain(penguins.iloc[8]))

# %% [markdown]
# **How to read it.** The first bar is the prior: how much more common one species is
# than the other. Each further bar moves the log-odds from where the last one ended.
# This penguin's sex is missing, so its bar is empty: the column adds nothing to this
# score. The bar *label noise* limits the log-odds, because some labels may be
# [wrong](../choices.md#what-is-chosen-for-texts).
#
# ## What a column knows
#
# The table of a column holds the posterior of each of its parameters. Here is the mean
# bill length of each species.

# %%
table = model.table("bill_length_mm")
rows = [
    {
        "species": row["class"],
        "mean": float(row["mean"]),
        "low": float(row["low"]),
        "high": float(row["high"]),
    }
    for _, row in table.iterrows()
]

# %% drawing
base = alt.Chart(pl.DataFrame(rows)).encode(y=alt.Y("species:N", title=None))
x = alt.X(
    "low:Q",
    title="mean bill length in mm, with its 95 % interval",
    scale=alt.Scale(zero=False),
)
bars = base.mark_rule(strokeWidth=3, color="#5b7db1").encode(x=x, x2="high:Q")
(
    bars + base.mark_circle(size=90, color="#5b7db1", opacity=1).encode(x="mean:Q")
).properties(width=420, height=110)

# %% [markdown]
# **How to read it.** One dot per species, with its credible interval. Chinstraps are
# the fewest, so their interval is the widest.
#
# ## How accurate, without a test set
#
# Cross-validation subtracts a fifth of the rows from the counts at a time, and makes
# every choice again without them. So each row is predicted by a model that has never
# seen it:

# %%
judged = sf.evaluate.crossfit(model, penguins, "species")
print(f"right for {judged.accuracy:.1%} of penguins it has not seen")
