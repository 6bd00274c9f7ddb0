# %% [markdown]
# # The taxicab
#
# In an unfamiliar town you see one taxicab, and it has the number 100: how many cabs
# are there? This page answers with a belief about the upper end of an interval, and
# shows why neither the maximum-likelihood estimate nor the mean is a good answer.

# %% [markdown]
# ## One cab
#
# Cabs are numbered from 1, and you are equally likely to see any of them. The prior
# carries no information; it is improper, but one cab is enough for a proper posterior.

# %%
import altair as alt
import polars as pl

import suffice as sf

alt.renderers.enable("svg")  # notebooks draw without a network

belief = sf.Pareto(0, 0).update(values=[100])
print(belief)
sf.plots.pareto(belief)

# %% [markdown]
# **How to read it.** One curve is the belief about the number of cabs. It is 0 below
# 100, because there are at least 100 cabs. It is highest at 100 and falls as
# $100/\theta^2$, so half of the probability lies beyond 200. The other curve is the
# predictive density of the next cab's number: constant up to 100, at 1/200, then
# falling as $50/x^2$.
#
# The formulas are [PU-2 and PU-4](../math/pareto.md), where $c$ is the largest number
# seen and $K$ the number of cabs seen:
#
# $$p(x) = \frac{K}{(K+1)\,c} \;\; (x \le c), \qquad
# \frac{K\,c^{K}}{(K+1)\,x^{K+1}} \;\; (x > c)$$

# %%
next_cab = belief.predict()
print(f"up to 100: {next_cab.pdf(50):.5f}, which is 1 / 200")
print(f"at 200: {next_cab.pdf(200):.5f}, which is 50 / 200²")

# %% [markdown]
# ## An infinite mean
#
# After one cab, the mean of the belief is infinite ([PU-5](../math/pareto.md)), because
# the tail falls too slowly. The maximum-likelihood estimate is the largest number seen
# ([PU-1](../math/pareto.md)); it is almost certainly too small. The median lies between
# them. As you see more cabs, they approach one another:

# %%
cabs = [100, 23, 71, 5, 88, 94, 47, 62]
rows = []
for n in range(1, len(cabs) + 1):
    one = sf.Pareto(0, 0).update(values=cabs[:n])
    low, high = one.interval(0.9)
    rows.append(
        {
            "seen": n,
            "low": float(low),
            "high": float(high),
            "median": float(one.b * 2 ** (1 / one.K)),
        }
    )
    print(f"{n} seen: median {rows[-1]['median']:.0f}, mean {one.mean:.0f}", end=", ")
    print(f"90 % between {low:.0f} and {high:.0f}")

# %% drawing
base = alt.Chart(pl.DataFrame(rows)).encode(
    x=alt.X("seen:O", title="cabs seen", axis=alt.Axis(labelAngle=0))
)
scale = alt.Scale(type="log", domain=[90, 2500])
bars = base.mark_rule(strokeWidth=3, color="#5b7db1").encode(
    y=alt.Y("low:Q", scale=scale, title="number of cabs"), y2="high:Q"
)
(
    bars
    + base.mark_circle(size=80, opacity=1, color="#d1603d").encode(
        y=alt.Y("median:Q", scale=scale)
    )
).properties(width=420, height=220)

# %% [markdown]
# **How to read it.** Each bar is a 90 % interval after that many cabs, with a dot at
# the median; the scale is logarithmic. No later cab has a higher number than the first,
# and that is evidence. If there were two thousand cabs, eight numbers of at most a
# hundred would be an extraordinary coincidence.
