"""The taxicab.

In a strange town you see one taxicab, and it has the number 100. How many are there? At
least a hundred; but how many more is it reasonable to expect? This page answers with a
belief about the end of an interval.
"""

# %% [markdown]
# ## One cab
#
# Cabs are numbered from 1 on, and you are as likely to see one as another. With no
# opinion before (a prior that is improper, and may be), one cab is enough for a
# posterior.

# %%
import altair as alt
import polars as pl

import suffice as sf

belief = sf.Pareto(0, 0).update(values=[100])
print(belief)
sf.plots.pareto(belief)

# %% [markdown]
# **How to read it.** One curve is the belief about the number of cabs. It is 0 below
# 100, which is out of the question, highest at 100, and falls as $100/\theta^2$: half
# of it lies beyond 200. The other is the number of the next cab that you will see:
# flat up to 100, at 1/200, then falling as $50/x^2$.
#
# The formulas, [PU-2 and PU-4](../math/pareto.md), with $c$ the largest number seen
# and $K$ how many were seen:
#
# $$p(x) = \frac{K}{(K+1)\,c} \;\; (x \le c), \qquad
# \frac{K\,c^{K}}{(K+1)\,x^{K+1}} \;\; (x > c)$$

# %%
next_cab = belief.predict()
print(f"up to 100: {next_cab.pdf(50):.5f}, which is 1 / 200")
print(f"at 200: {next_cab.pdf(200):.5f}, which is 50 / 200²")

# %% [markdown]
# ## The mean that is not there
#
# With one cab, the mean of the belief is infinite ([PU-5](../math/pareto.md)): the
# tail falls too slowly. The largest number seen, which is the maximum-likelihood
# estimate ([PU-1](../math/pareto.md)), is surely too small. The median is neither. As
# more cabs are seen, all agree:

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
    y=alt.Y("low:Q", scale=scale, title="how many cabs there are"), y2="high:Q"
)
(
    bars
    + base.mark_circle(size=80, opacity=1, color="#d1603d").encode(
        y=alt.Y("median:Q", scale=scale)
    )
).properties(width=420, height=220)

# %% [markdown]
# **How to read it.** A bar for each number of cabs seen, from the lower to the upper
# end of a 90 % interval, with a dot at the median. The scale is logarithmic. None of
# the later cabs has a higher number than the first, and that is news: if there were
# two thousand, eight numbers below a hundred would be a miracle.
