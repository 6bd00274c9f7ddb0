# %% [markdown]
# # How many heads in ten more tosses
#
# You have estimated a coin's probability of heads and want to predict ten more tosses.
# Plugging the estimate into a binomial ignores its uncertainty; this page shows how
# much the prediction changes when it is taken into account.

# %% [markdown]
# ## Averaged, not plugged in
#
# Three of twenty tosses were heads.

# %%
from math import comb

import altair as alt
import numpy as np
import polars as pl

import suffice as sf

alt.renderers.enable("svg")  # notebooks draw without a network

belief = sf.Beta(2, 2).update(heads=3, tails=17)
sf.plots.predictive(belief, trials=10)

# %% [markdown]
# **How to read it.** The probability of each number of heads in ten tosses: averaged
# over the belief, and with the posterior mean plugged in. The plug-in is too high in
# the middle and too low at both ends. No heads at all is half again as probable as the
# plug-in says.
#
# The average is a beta-binomial, [BB-6](../math/beta.md):
#
# $$p(k) = \int \binom{M}{k} \theta^k (1-\theta)^{M-k} \, p(\theta)\, d\theta$$

# %%
many = belief.predict(10)
plug_in = (1 - belief.mean) ** 10
print(f"no heads in ten: {many.pmf(0):.3f}, plugged in {plug_in:.3f}")
spread = (10 * belief.mean * (1 - belief.mean)) ** 0.5
print(f"spread of the number of heads: {many.var**0.5:.2f}, plugged in {spread:.2f}")

# %% [markdown]
# ## Where it matters most: the tails
#
# A plug-in is most wrong about rare outcomes. Six or more heads would be odd for a coin
# that shows heads one time in five. How odd?

# %%
surprise = 1 - many.cdf(5)
tail = {"averaged over the belief": surprise}
for name, heads in (("mean plugged in", belief.mean), ("MAP plugged in", belief.mode)):
    tail[name] = sum(
        comb(10, k) * heads**k * (1 - heads) ** (10 - k) for k in range(6, 11)
    )
for name, chance in tail.items():
    print(f"six heads or more, {name:<25}{chance:.4f}")

# %% [markdown]
# Averaged, it is one time in 44. The posterior mean says one in 127, and the posterior
# mode one in 258. An insurer who used these plug-ins would charge a third or a sixth of
# the right premium. The interval that holds 95 % of all outcomes:

# %%
print("95 % of outcomes lie from {:.0f} to {:.0f}".format(*many.interval(0.95)))

# %% [markdown]
# ## Before any toss
#
# A prior predicts, too. What would ten tosses show under Beta(2, 2), under a uniform
# prior, and under one that is nearly certain of a fair coin?

# %%
priors = {
    "Beta(1, 1)": sf.Beta(1, 1),
    "Beta(2, 2)": sf.Beta(2, 2),
    "Beta(50, 50)": sf.Beta(50, 50),
}
ahead = [
    {"heads": k, "probability": float(prior.predict(10).pmf(k)), "prior": name}
    for name, prior in priors.items()
    for k in range(11)
]

# %% drawing
alt.Chart(pl.DataFrame(ahead)).mark_line(point=True).encode(
    x=alt.X("heads:Q", title="heads in ten tosses"),
    y=alt.Y("probability:Q", title="probability before any toss"),
    color=alt.Color(
        "prior:N", title=None, scale=alt.Scale(range=["#5b7db1", "#2a9d74", "#d1603d"])
    ),
).properties(width=460, height=220)

# %% [markdown]
# **How to read it.** Under the uniform prior, every number of heads is equally
# probable: that is what knowing nothing about the coin means. Only a strong belief in a
# fair coin predicts what most people would expect, a narrow peak around five.
#
# ## As tosses accumulate
#
# The coin below shows heads three times in ten. The belief narrows around the truth,
# roughly as one over the square root of the number of tosses, wherever it starts.

# %%
tosses = np.random.default_rng(4).random(1000) < 0.3
steps = {
    f"{n} tosses": sf.Beta(2, 2).update(values=tosses[:n]) for n in (10, 100, 1000)
}
for name, after in steps.items():
    low, high = after.interval(0.95)
    print(f"{name:>12}: {after.mean:.3f}, 95 % from {low:.3f} to {high:.3f}")
sf.plots.belief({"before": sf.Beta(2, 2), **steps})

# %% [markdown]
# ## The uncertainty remains
#
# The more tosses you predict, the larger the difference: luck averages out, uncertainty
# about the coin does not. Below is the standard deviation of the *share* of heads in
# $M$ tosses.

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
# **How to read it.** With the plug-in, the spread falls to zero, as if twenty tosses
# could foretell a thousand. Averaged, it falls to the dashed line and stays there. The
# dashed line is the standard deviation of the belief itself ([BB-2](../math/beta.md)).
