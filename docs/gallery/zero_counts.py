"""Why counting alone fails: zeros.

A word that no spam message had so far is, by counting alone, impossible in spam. One
such word then outvotes all the others. This page shows the accident, and what the
posterior's mode and the predictive do about it.
"""

# %% [markdown]
# ## One word outvotes all others
#
# Three spam messages about pills and three invitations. The new message is spam from
# end to end, but for one word.

# %%
import warnings

import altair as alt
import numpy as np
import polars as pl

import suffice as sf

words = ["pills", "cheap", "order", "click", "lunch"]
X = np.array(
    [
        [2, 1, 0, 1, 0],
        [1, 2, 1, 0, 0],
        [3, 0, 1, 1, 0],
        [0, 0, 1, 0, 2],
        [1, 0, 0, 0, 3],
        [0, 1, 0, 0, 2],
    ]
)
y = np.array(["spam"] * 3 + ["ham"] * 3)
message = [[3, 2, 1, 0, 1]]  # pills pills pills cheap cheap order, and one lunch

ways = {
    "mle": sf.MultinomialNB(estimate="mle"),
    "map": sf.MultinomialNB(estimate="map", alpha=sf.Dirichlet([2] * 5)),
    "mean": sf.MultinomialNB(estimate="mean"),
    "predictive": sf.MultinomialNB(estimate="predictive", alpha=sf.Dirichlet([1] * 5)),
}
spam = {
    name: model.fit(X, y).predict_proba(message)[0, 1] for name, model in ways.items()
}
for name, p in spam.items():
    print(f"{name:>10}  probability of spam {p:.3f}")

# %% drawing
rows = [
    {"estimate": name, "probability": float(p), "label": f"{p:.2f}"}
    for name, p in spam.items()
]
bars = alt.Chart(pl.DataFrame(rows)).encode(
    x=alt.X(
        "probability:Q",
        scale=alt.Scale(domain=[0, 1]),
        title="probability that the message is spam",
    ),
    y=alt.Y("estimate:N", sort=list(ways), title=None),
)
(
    bars.mark_bar(color="#5b7db1")
    + bars.mark_text(align="left", dx=4, color="#80858f").encode(text="label:N")
).properties(width=420, height=140)

# %% [markdown]
# **How to read it.** A bar per way to turn counts into probabilities. Maximum
# likelihood (`mle`) is certain that the message is no spam: *lunch* was never seen in
# spam, its probability there is 0, and nothing that the other six words say can make
# up for that. The other three ways find the obvious answer.
#
# ## The formulas
#
# $T_{jc}$ is how often word $j$ stands in messages of class $c$, $T_c$ is their sum,
# and $\alpha$ is a pseudo-count. [NB-3](../math/naive_bayes.md) and
# [DM-3](../math/dirichlet.md):
#
# | `estimate=` | probability of a word | at a zero |
# |---|---|---|
# | `"mle"` | $T_{jc} / T_c$ | 0: impossible |
# | `"map"` | $(T_{jc}+\alpha_j-1) / (T_c+\alpha_0-K)$ | 0 again if $\alpha = 1$ |
# | `"mean"` | $(T_{jc} + \alpha_j) / (T_c + \alpha_0)$ | small, never 0 |
# | `"predictive"` | the whole document, [DM-5](../math/dirichlet.md) | small, never 0 |
#
# With the uniform prior $\alpha = 1$ the mode is the maximum-likelihood estimate. So
# MAP alone cures nothing; the prior must lean away from the edge.

# %%
flat = sf.MultinomialNB(estimate="map", alpha=sf.Dirichlet([1] * 5)).fit(X, y)
print(f"map with alpha 1: {flat.predict_proba(message)[0, 1]:.3f}")

# %% [markdown]
# ## A message that nobody can have written
#
# Worse, a message may be impossible in every class: *click* was never seen in ham,
# *lunch* never in spam. Then 0 is divided by 0. Here such a row gets the class prior,
# and a warning says how many rows there were ([NB-12](../math/naive_bayes.md)); a NaN
# never comes out.

# %%
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    print(ways["mle"].predict_proba([[0, 0, 0, 1, 1]])[0])
print(caught[0].message)

# %% [markdown]
# ## It heals slowly
#
# How long does the accident last? With more messages the zeros become fewer, but
# never none: words are many and most are rare. Here are 2,000 words, drawn as words
# are (the $k$-th most common one $1/k$ as often as the first), and documents of 50
# words:

# %%
rng = np.random.default_rng(0)
share = 1 / np.arange(1, 2001)
share /= share.sum()
lines = []
for n in (10, 30, 100, 300, 1000):
    seen = np.unique(rng.choice(2000, size=50 * n, p=share))
    never = 1 - share[seen].sum()
    lines.append({"documents": n, "share": float(1 - (1 - never) ** 50)})
    share_of_new = f"{lines[-1]['share']:.0%} of new ones have a new word"
    print(f"{n:>5} documents learned: {share_of_new}")

# %% drawing
alt.Chart(pl.DataFrame(lines)).mark_line(point=True, color="#d1603d").encode(
    x=alt.X("documents:Q", scale=alt.Scale(type="log"), title="documents learned"),
    y=alt.Y(
        "share:Q",
        axis=alt.Axis(format="%"),
        title="new documents with a word never seen",
    ),
).properties(width=420, height=200)
