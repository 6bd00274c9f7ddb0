# %% [markdown]
# # Naive Bayes by hand, on ten documents
#
# Ten tiny messages, five words, two classes: everything the classifier learns fits into
# one table of counts. This page computes each step by hand, so that no step of naive
# Bayes remains a black box, and then checks the result against the library.

# %% [markdown]
# ## Count
#
# Each message is a set of words. For each class, the model keeps the number of messages
# that contain each word, and nothing else.

# %%
import altair as alt
import numpy as np
import polars as pl

import suffice as sf

alt.renderers.enable("svg")  # notebooks draw without a network

words = ["free", "prize", "now", "lunch", "report"]
spam = [{"free", "prize"}, {"free", "now"}, {"prize", "now"}, {"free", "prize", "now"}]
ham = [
    {"lunch"},
    {"lunch", "now"},
    {"report"},
    {"report", "lunch"},
    {"report", "now"},
    {"free", "lunch"},
]
X = np.array([[word in message for word in words] for message in spam + ham], dtype=int)
y = np.array(["spam"] * len(spam) + ["ham"] * len(ham))

counts = {name: X[y == name].sum(axis=0) for name in ("spam", "ham")}
print("         ", "  ".join(f"{word:>6}" for word in words))
for name, row in counts.items():
    print(f"{name:>5} ({(y == name).sum()})", "  ".join(f"{n:>6}" for n in row))

# %% [markdown]
# ## Estimate
#
# How often does a spam message contain *free*? Three of four do. Two imaginary
# messages, one with the word and one without, keep every probability away from 0 and 1.
# The result is the mean of a Beta posterior under the prior Beta(1, 1),
# [NB-1](../math/naive_bayes.md). If $N_{jc}$ of the $N_c$ messages of class $c$ contain
# word $j$:
#
# $$\theta_{jc} = \frac{N_{jc} + 1}{N_c + 2}$$

# %%
theta = {name: (row + 1) / ((y == name).sum() + 2) for name, row in counts.items()}
for name, row in theta.items():
    print(f"{name:>5}    ", "  ".join(f"{p:>6.3f}" for p in row))

# %% [markdown]
# ## Score
#
# A new message says *free lunch now*. Its score in a class is the log of the class's
# share, plus one log probability per word: $\ln\theta$ if the word is present,
# $\ln(1-\theta)$ if it is absent. Bayes' rule turns the two scores into a probability.

# %%
new = np.array([word in {"free", "lunch", "now"} for word in words], dtype=int)
score = {
    name: np.log((y == name).mean())
    + np.sum(np.log(np.where(new, theta[name], 1 - theta[name])))
    for name in theta
}
by_hand = np.exp(score["spam"]) / sum(np.exp(s) for s in score.values())
print(f"spam {score['spam']:.3f}, ham {score['ham']:.3f}")
print(f"the probability of spam is {by_hand:.3f}")

# %% [markdown]
# ## The same with the library
#
# Three lines, with names for the columns. The two results agree up to rounding: the
# library does nothing else.

# %%
model = sf.BernoulliNB().fit(pl.DataFrame(X, schema=words), y)
message = pl.DataFrame([new], schema=words, orient="row")
p = model.predict_proba(message)[0, 1]
print(f"{p:.3f}, and the difference is {abs(p - by_hand):.0e}")

# %% [markdown]
# ## What it shows
#
# The chart below shows the same sum as differences between the two classes: the prior
# log-odds, and how far each word moves them.

# %%
sf.plots.waterfall(model.explain(message, target="spam", against="ham"))

# %% [markdown]
# **How to read it.** Start at the top. Each bar begins where the last one ended. Green
# favours spam, red favours ham, and the lowest bar is the log-odds of the answer. A
# word that is absent (*off*) contributes too, because the Bernoulli model also uses
# absence: a message without *prize* is less likely to be spam.
#
# Finally, here is all that the model has learned: five probabilities for each class.

# %% drawing
rows = [
    {"word": word, "class": name, "probability": float(p)}
    for name in theta
    for word, p in zip(words, theta[name], strict=True)
]
alt.Chart(pl.DataFrame(rows)).mark_bar().encode(
    x=alt.X("word:N", sort=words, title=None, axis=alt.Axis(labelAngle=0)),
    xOffset=alt.XOffset("class:N", sort=["spam", "ham"]),
    y=alt.Y("probability:Q", title="share of messages with the word"),
    color=alt.Color(
        "class:N", scale=alt.Scale(domain=["spam", "ham"], range=["#d1603d", "#5b7db1"])
    ),
).properties(width=420, height=200)
