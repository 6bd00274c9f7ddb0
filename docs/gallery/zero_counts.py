# %% [markdown]
# # Why counting alone fails: zeros
#
# By counting alone, a word that no spam message has contained so far is impossible in
# spam, and one such word outvotes all the others. This page shows the failure, and how
# the posterior mode, the posterior mean and the predictive distribution repair it.

# %% [markdown]
# ## One word outvotes all others
#
# Three spam messages about pills, and three invitations. Every word of the new message
# suggests spam, except one.

# %%
import warnings

import altair as alt
import numpy as np
import polars as pl

import suffice as sf

alt.renderers.enable("svg")  # notebooks draw without a network

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
# **How to read it.** One bar per way to turn counts into probabilities. Maximum
# likelihood (`mle`) is certain that the message is not spam. *Lunch* never occurred in
# spam, so its probability there is 0, and no evidence from the other six words can make
# up for that. The other three estimates find the obvious answer.
#
# ## The formulas
#
# $T_{jc}$ is the count of word $j$ in messages of class $c$, $T_c$ is the sum over
# words, and $\alpha_j$ is its pseudo-count; $\alpha_0$ is their sum over the $K$ words
# ([NB-3](../math/naive_bayes.md), [DM-3](../math/dirichlet.md)):
#
# | `estimate=` | probability of a word | at a zero |
# |---|---|---|
# | `"mle"` | $T_{jc} / T_c$ | 0: impossible |
# | `"map"` | $(T_{jc}+\alpha_j-1) / (T_c+\alpha_0-K)$ | 0 again if $\alpha = 1$ |
# | `"mean"` | $(T_{jc} + \alpha_j) / (T_c + \alpha_0)$ | small, never 0 |
# | `"predictive"` | the whole document, [DM-5](../math/dirichlet.md) | small, never 0 |
#
# Under the uniform prior $\alpha = 1$, the mode is the maximum-likelihood estimate. So
# MAP alone is no cure: it needs a prior with $\alpha > 1$.

# %%
flat = sf.MultinomialNB(estimate="map", alpha=sf.Dirichlet([1] * 5)).fit(X, y)
print(f"map with alpha 1: {flat.predict_proba(message)[0, 1]:.3f}")

# %% [markdown]
# ## A message that is impossible in every class
#
# Worse, a message may be impossible in every class: *click* never occurred in ham,
# *lunch* never in spam. Bayes' rule then divides 0 by 0. The library gives such a row
# the class prior, never NaN, and warns how many rows there are
# ([NB-12](../math/naive_bayes.md)):

# %%
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    print(ways["mle"].predict_proba([[0, 0, 0, 1, 1]])[0])
print(caught[0].message)

# %% [markdown]
# ## More data cure it slowly
#
# How long does the problem last? With more messages the zeros become fewer, but many
# remain, because most words are rare. Here are documents of 50 words, drawn from 2,000
# words with frequencies as in natural language (the $k$-th most common word is $1/k$ as
# frequent as the first):

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
    x=alt.X("documents:Q", scale=alt.Scale(type="log"), title="training documents"),
    y=alt.Y(
        "share:Q",
        axis=alt.Axis(format="%"),
        title="new documents with an unseen word",
    ),
).properties(width=420, height=200)
