"""Mixed tables: words, numbers and gaps side by side.

Naive Bayes multiplies what each column says, and each column may say it in its own way:
names by their shares, measurements by a bell curve or bins, counts by a Poisson.
Nothing has to be encoded, scaled or filled in. This page looks at penguins.
"""

# %% [markdown]
# ## Three lines
#
# 344 penguins, seven columns, 19 values missing.

# %%
import altair as alt
import polars as pl
from palmerpenguins import load_penguins

import suffice as sf

penguins = load_penguins()
model = sf.NaiveBayes().fit(penguins, "species")
print(model)

# %% [markdown]
# Each column got a model by what it holds ([which, and why](../math/bins.md)). The
# score of a row is the sum of what its columns say, [NB-9](../math/naive_bayes.md):
#
# $$\ln p(x, c) = \ln p(c) + \sum_{j \,\text{present}} w_j \ln p(x_j \mid c)$$
#
# A missing value does not vote. $w_j$ is the column's [evidence
# weight](../choices.md#evidence-weights): 1 for a column that says something of its
# own, near 0 for one that repeats what others say.
#
# ## One penguin, column by column

# %%
sf.plots.waterfall(model.explain(penguins.iloc[8]))

# %% [markdown]
# **How to read it.** The first bar is the prior: how much more common one species is
# than the other. Each bar moves the log-odds from where the last one left them. The
# sex of this penguin is missing, so its bar is empty, and the answer is exactly that
# of a model without this column.
#
# ## What a column knows
#
# The table of a column has the posterior of each of its parameters. Here are the
# species' mean bill lengths.

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
# **How to read it.** A dot per species, and how far off it may be. Of Chinstraps
# there are fewest, so their interval is the widest.
#
# ## How good, without a test set
#
# A fifth of the rows at a time is taken from the counts, by subtraction, and all that
# is chosen is chosen without them. So each row is predicted by a model that knows
# nothing of it:

# %%
judged = sf.evaluate.crossfit(model, penguins, "species")
print(f"right for {judged.accuracy:.1%} of penguins it has not seen")
