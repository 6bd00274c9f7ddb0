# %% [markdown]
# # Forgetting and merging
#
# A model is its counts, and counts add and subtract. So two models merge into one, and
# rows can be unlearned exactly: the remaining counts are those of a model that never
# saw them. This page does both and compares the results bit by bit.

# %% [markdown]
# ## Two offices, one model
#
# Two offices classify their own mail, and may not send it to each other. They send
# counts instead.

# %%
import altair as alt
import numpy as np
import polars as pl

import suffice as sf

alt.renderers.enable("svg")  # notebooks draw without a network

rng = np.random.default_rng(0)
words = np.array(
    ["report", "lunch", "monday", "free", "prize", "click", "invoice", "thanks"]
)
habits = {"ham": [6, 5, 5, 1, 0.2, 0.5, 3, 6], "spam": [0.5, 0.5, 1, 6, 5, 6, 2, 0.5]}


def mail(n: int) -> tuple[list[str], list[str]]:
    """Return messages of twelve words, and their labels."""
    labels = [str(label) for label in rng.choice(["ham", "spam"], n)]
    share = {label: np.array(habit) / np.sum(habit) for label, habit in habits.items()}
    return [" ".join(rng.choice(words, 12, p=share[label])) for label in labels], labels


oslo, kyoto = mail(400), mail(300)
first, second = (
    sf.TextClassifier(effort="fast").fit(*oslo),
    sf.TextClassifier(effort="fast").fit(*kyoto),
)
both = first + second
once = sf.TextClassifier(effort="fast").fit(oslo[0] + kyoto[0], oslo[1] + kyoto[1])
print("merged counts are those of one fit:", both.counts_ == once.counts_)

# %% [markdown]
# The formulas are the shortest of all, [SX-1 and SX-2](../math/counts.md). $T(\cdot)$
# is the statistic of a set of rows, here their counts:
#
# $$T(a \cup b) = T(a) + T(b) \qquad T(a) = T(a \cup b) - T(b)$$
#
# ## A request to be forgotten
#
# Ten people in Kyoto want their mail removed from the model. Their messages are counted
# once more, and the counts are subtracted.

# %%
removed = kyoto[0][:10], kyoto[1][:10]
never = sf.TextClassifier(effort="fast").fit(
    oslo[0] + kyoto[0][10:], oslo[1] + kyoto[1][10:]
)
left = (first + second).forget(*removed)
print("what is left is what it would be without them:", left.counts_ == never.counts_)

# %% [markdown]
# The model refuses rows that it cannot have learned, here a message with words that the
# counts lack, and stays unchanged:

# %%
try:
    left.forget(["a message that never came"], ["ham"])
except sf.errors.SubtractionError as error:
    print(error)

# %% [markdown]
# But sums cannot detect more than that. A row that was never learned is also subtracted
# if its counts fit, and so is a row that was removed before. A journal can tell: it
# keeps a hash of each learned row, and refuses rows that it does not hold. With a
# journal, `forget` also returns a [certificate](../forgetting.md) of the removal.

# %%
signed = sf.TextClassifier(effort="fast").fit(*oslo, journal=True)
print(signed.forget(oslo[0][:10], oslo[1][:10]).rows, "rows forgotten, once")
try:
    signed.forget(oslo[0][:10], oslo[1][:10])
except sf.errors.SubtractionError as error:
    print(error)

# %% [markdown]
# The temper, which sets how confident a model is, is not counted but fitted on rows.
# After a merge it stays in force, is marked as stale, and is fitted again by
# `refresh(X, y)` ([honest probabilities](../honest.md)).
#
# ## Forgetting a little every day
#
# Habits change. `decay(0.8)` multiplies all counts by 0.8 before new mail arrives
# ([SX-11](../math/counts.md)), so that old mail weighs less and less. Here, on day 20,
# *invoice* turns from a sign of good mail into a sign of spam:

# %%
steady, fading = sf.MultinomialNB(), sf.MultinomialNB()
rows = []
for day in range(40):
    bait = [4, 1] if day < 20 else [1, 4]
    X = np.array(
        [[rng.poisson(bait[0]), 2], [rng.poisson(bait[1]), 2]]
    )  # invoices, other words
    if day:
        fading.decay(0.8)
    for name, model in (("all days equal", steady), ("decay of 0.8 a day", fading)):
        model.partial_fit(X, ["ham", "spam"], classes=["ham", "spam"])
        weight = model.feature_log_prob_[1, 0] - model.feature_log_prob_[0, 0]
        rows.append({"day": day, "model": name, "weight": float(weight)})

# %% drawing
lines = (
    alt.Chart(pl.DataFrame(rows))
    .mark_line(strokeWidth=2)
    .encode(
        x=alt.X("day:Q", title="day"),
        y=alt.Y("weight:Q", title="weight of “invoice” for spam (log-odds)"),
        color=alt.Color(
            "model:N", title=None, scale=alt.Scale(range=["#80858f", "#d1603d"])
        ),
    )
)
turn = (
    alt.Chart(pl.DataFrame([{"day": 20}]))
    .mark_rule(strokeDash=[4, 4], color="#80858f")
    .encode(x="day:Q")
)
(lines + turn).properties(width=460, height=220)

# %% [markdown]
# **How to read it.** Below 0, the word *invoice* is a sign of good mail; above 0, of
# spam. The dashed line is the day of the change. The model that weighs all days equally
# is still undecided at the end, nearly three weeks later. The model that decays needs a
# few days, at the price of a noisier line.
