"""How many heads in ten more tosses.

You have an estimate of a coin and want to know what ten more tosses will bring. To plug
the estimate into a binomial is to forget that it is an estimate. This page shows the
difference.
"""

# %% [markdown]
# ## Averaged, not plugged in
#
# Of twenty tosses three were heads.

# %%
import altair as alt
import numpy as np
import polars as pl

import suffice as sf

belief = sf.Beta(2, 2).update(heads=3, tails=17)
sf.plots.predictive(belief, trials=10)

# %% [markdown]
# **How to read it.** For each number of heads in ten tosses, how probable it is:
# averaged over all that the coin may be, and with the mean of the belief plugged in.
# Plugged in, the middle is too high and both ends too low. No heads at all is half
# again as probable as the plug-in says.
#
# What is averaged, [BB-6](../math/beta.md), is a beta-binomial:
#
# $$p(k) = \int \binom{M}{k} \theta^k (1-\theta)^{M-k} \, p(\theta)\, d\theta$$

# %%
many = belief.predict(10)
plug_in = (1 - belief.mean) ** 10
print(f"no heads in ten: {many.pmf(0):.3f}, plugged in {plug_in:.3f}")
spread = (10 * belief.mean * (1 - belief.mean)) ** 0.5
print(f"spread of the number of heads: {many.var**0.5:.2f}, plugged in {spread:.2f}")

# %% [markdown]
# ## It does not go away
#
# With more tosses to predict the difference grows: luck averages out, ignorance does
# not. Below is the spread of the *share* of heads in $M$ tosses.

# %%
rows = []
for trials in (1, 2, 5, 10, 20, 50, 100, 200, 500):
    m = belief.mean
    rows += [
        {
            "tosses": trials,
            "spread": float(belief.predict(trials).var ** 0.5) / trials,
            "by": "averaged over the belief",
        },
        {
            "tosses": trials,
            "spread": float(np.sqrt(m * (1 - m) / trials)),
            "by": "mean plugged in",
        },
    ]

# %% drawing
limit = alt.Chart(pl.DataFrame({"spread": [float(belief.var**0.5)]})).mark_rule(
    strokeDash=[4, 4], color="#80858f"
)
lines = (
    alt.Chart(pl.DataFrame(rows))
    .mark_line(point=True)
    .encode(
        x=alt.X("tosses:Q", scale=alt.Scale(type="log"), title="tosses to come"),
        y=alt.Y("spread:Q", title="spread of the share of heads"),
        color=alt.Color(
            "by:N", title=None, scale=alt.Scale(range=["#5b7db1", "#d1603d"])
        ),
    )
)
(lines + limit.encode(y="spread:Q")).properties(width=460, height=220)

# %% [markdown]
# **How to read it.** Plugged in, the spread falls to nothing: as if a thousand tosses
# to come could be foretold from twenty. Averaged, it falls to the dashed line, which
# is how unsure the belief itself is ([BB-2](../math/beta.md)), and stays there.
