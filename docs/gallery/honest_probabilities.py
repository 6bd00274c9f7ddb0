# %% [markdown]
# # Honest probabilities
#
# A classifier that says 90 % should be right nine times out of ten. Naive Bayes is
# usually overconfident, because it treats related features as independent.
# This page measures how overconfident it is, and corrects it with one number that needs
# no test rows.

# %% [markdown]
# ## Overconfident
#
# Handwritten digits, 8 × 8 pixels, each dark or not. If one pixel is dark, its
# neighbours usually are too, so 64 pixels carry much less information than 64
# independent ones. The model does not know that.

# %%
import altair as alt
import numpy as np
import polars as pl
from sklearn.datasets import load_digits

import suffice as sf

alt.renderers.enable("svg")  # notebooks draw without a network

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
# **How to read it.** Test digits are grouped by the model's confidence in its predicted
# class, and plotted against the share of correct predictions. A large dot stands for
# many digits. On the dashed line, confidence equals accuracy; below it, the model is
# overconfident. Without the temper, most digits lie at the far right. With it, the dots
# lie near the line, and confidence separates easy digits from hard ones.

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
# Tempering raises the likelihood to a power $a$ before it is combined with the class
# prior ([SX-7](../math/counts.md)):
#
# $$\ln p(c \mid x) = \ln \pi_c + a \ln p(x \mid c) + \text{const.}$$
#
# Which power? The one that best predicts each training row from the model without that
# row. These leave-one-out predictions are exact and cost one pass, because a row's
# contribution to the counts can be subtracted ([SX-3](../math/counts.md)). The chart
# compares the leave-one-out loss, which chooses the power, with the loss on the test
# digits, which play no part in the choice:

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
            "of": "training digits, leave-one-out",
        },
        {"power": float(power), "loss": tested, "of": "test digits"},
    ]
chosen = models["tempered"].temper_.power

# %% drawing
lines = (
    alt.Chart(pl.DataFrame(rows))
    .mark_line(point=True)
    .encode(
        x=alt.X(
            "power:Q", scale=alt.Scale(type="log"), title="power of the likelihood"
        ),
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
# **How to read it.** Lower is better. Plain naive Bayes is at the right end. Both lines
# are lowest at nearly the same power, marked by the dashed line: the 64 pixels carry
# the information of about a third or a quarter as many independent ones.
# `TextClassifier` and `NaiveBayes` choose a temper by default. They go one step further
# and choose a power for each word or column
# ([feature powers](../choices.md#feature-powers)).
# See also [honest probabilities](../honest.md).
