"""Honest probabilities.

A classifier that says 90 % should be right nine times of ten. Naive Bayes is not like
that: it takes what several features say for so many independent witnesses, and is
nearly always nearly certain. This page shows how far off it is, and what one number,
found without any test rows, does about it.
"""

# %% [markdown]
# ## Too sure
#
# Handwritten digits, 8 × 8 pixels, each dark or not. Where one pixel is dark its
# neighbours are, too, so 64 pixels are far fewer than 64 witnesses; the model does
# not know.

# %%
import altair as alt
import numpy as np
import polars as pl
from sklearn.datasets import load_digits

import suffice as sf

digits = load_digits()
X, y = digits.data > 7, digits.target
train, test = np.arange(len(y)) < 1000, np.arange(len(y)) >= 1000
models = {
    "plain": sf.BernoulliNB().fit(X[train], y[train]),
    "tempered": sf.BernoulliNB(temper="loo").fit(X[train], y[train]),
}
judged = {
    name: sf.evaluate.reliability(model.predict_proba(X[test]), y[test], model.classes_)
    for name, model in models.items()
}
sf.plots.reliability(judged)

# %% [markdown]
# **How to read it.** Test digits by how sure the model is of its best class, against
# how often that class is right. A large dot stands for many digits. On the dashed
# line confidence is deserved; below it the model is too sure. Plain, most digits sit
# at the far right. Tempered, the dots lie near the line, and confidence tells easy
# digits from hard ones.

# %%
for name, model in models.items():
    loss = sf.evaluate.log_loss(
        model.predict_log_proba(X[test]), y[test], model.classes_
    )
    right, off = model.score(X[test], y[test]), judged[name].error
    print(f"{name:>8}: right {right:.3f}, log loss {loss:.3f}, off by {off:.3f}")

# %% [markdown]
# ## One number
#
# All evidence is raised to a power $a$ before the class prior joins it
# ([SX-7](../math/counts.md)):
#
# $$\ln p(c \mid x) = \ln \pi_c + a \ln p(x \mid c) + \text{const.}$$
#
# Which power? That with which each training row is predicted best by the model
# without it. Such leave-one-out predictions are exact and cost one pass, because what
# a row added to the counts can be taken away ([SX-3](../math/counts.md)). Here is the
# loss that is made least, beside the loss on the test digits, which nobody looked at
# when the power was chosen:

# %%
rows = []
for power in np.geomspace(0.05, 1, 13):
    model = sf.BernoulliNB(temper=float(power)).fit(X[train], y[train])
    left_out = sf.evaluate.leave_one_out(model, X[train], y[train])
    tested = sf.evaluate.log_loss(
        model.predict_log_proba(X[test]), y[test], model.classes_
    )
    rows += [
        {
            "power": float(power),
            "loss": left_out.log_loss,
            "of": "training digits, each left out",
        },
        {"power": float(power), "loss": tested, "of": "test digits"},
    ]
chosen = models["tempered"].temper_.power

# %% drawing
lines = (
    alt.Chart(pl.DataFrame(rows))
    .mark_line(point=True)
    .encode(
        x=alt.X("power:Q", scale=alt.Scale(type="log"), title="power of the evidence"),
        y=alt.Y("loss:Q", title="log loss"),
        color=alt.Color(
            "of:N", title=None, scale=alt.Scale(range=["#d1603d", "#5b7db1"])
        ),
    )
)
mark = (
    alt.Chart(pl.DataFrame([{"power": chosen}]))
    .mark_rule(strokeDash=[4, 4], color="#80858f")
    .encode(x="power:Q")
)
(lines + mark).properties(width=460, height=220)

# %% [markdown]
# **How to read it.** Low is good. At the right end is plain naive Bayes. Both lines
# are lowest at nearly the same power, which the dashed line marks: one pixel in three
# or four is news. `TextClassifier` and `NaiveBayes` do this by default, and go one
# step further, with a power for each word or column ([evidence
# weights](../choices.md#evidence-weights)). More is on the page [honest
# probabilities](../honest.md).
