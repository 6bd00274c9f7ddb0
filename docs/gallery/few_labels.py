# %% [markdown]
# # A few labels and much text
#
# Labels cost a person's time; unlabelled texts are nearly free. This page trains a
# classifier on five labels per class and lets EM learn from all the other texts without
# their labels, to show how much labelling work unlabelled text can replace.

# %% [markdown]
# ## Five labels each
#
# The texts are paragraphs from the documentation of numpy and scikit-learn. Whole
# modules are held out for the test. Of the rest, five paragraphs of each library have a
# label; the others have none.

# %%
from typing import Any

import altair as alt
import numpy as np
import polars as pl

import suffice as sf

alt.renderers.enable("svg")  # notebooks draw without a network

n_paragraphs = 1000
corpus = sf.datasets.docstrings(n_paragraphs, libraries=["numpy", "scikit-learn"])
train, test = corpus.split(test=0.3, seed=0)
texts, truth = np.array(train.texts, dtype=object), np.array(train.labels, dtype=object)


def chosen(k: int, seed: int) -> np.ndarray:
    """Return a mask of k labelled texts per class."""
    rng, known = np.random.default_rng(seed), np.zeros(len(truth), dtype=bool)
    for label in corpus.sizes:
        known[rng.choice(np.flatnonzero(truth == label), k, replace=False)] = True
    return known


def given(known: np.ndarray) -> list[str | None]:
    """Return the labels of the known texts, and None for the others."""
    return [label if mine else None for label, mine in zip(truth, known, strict=True)]


options: dict[str, Any] = {
    "alpha": 0.1,
    "tokens": sf.Tokens(stop_words="english"),
    "temper": None,
    "feature_powers": None,
}
known = chosen(5, seed=0)
alone = sf.TextClassifier(**options).fit(texts[known], truth[known])
print(
    f"{known.sum()} labels alone: right for {alone.score(test.texts, test.labels):.1%}"
)

words = sf.TextClassifier(min_df=2, **options)  # words of one text alone do not help
model = sf.SemiSupervised(words).fit(texts, given(known))
right = model.score(test.texts, test.labels)
print(f"and {(~known).sum():,} texts without: right for {right:.1%}")

# %% [markdown]
# ## Why it works
#
# Ten texts hold few words. But a word of a labelled text also occurs in unlabelled
# texts, next to words that no labelled text has, and so the information spreads. Two
# steps alternate ([EM-1](../math/expectation.md)). The first computes the probabilities
# of the classes for each unlabelled text, its *shares*,
#
# $$Q_i(c) = p(c \mid x_i)$$
#
# and the second counts again, every text in every class with the weight $Q_i(c)$.
# Labelled texts keep their label. These are ordinary weighted counts: nothing else in
# the model changes. No round lowers the objective:

# %%
sf.plots.objective(model)

# %% [markdown]
# **How to read it.** The objective of EM, round by round: the log probability of the
# labelled texts with their labels, plus that of the unlabelled texts, plus the log
# prior density of the parameters. It never falls; EM stops when it no longer rises.
#
# ## Round by round
#
# Texts have thousands of words; rows of two numbers can be drawn. Here are 120 rows of
# two classes, and three rows of each class have a label. Each class is a normal
# distribution in the plane; everything else is as above.

# %%
rng = np.random.default_rng(5)
left = rng.multivariate_normal([-1.2, 0], [[1, 0.6], [0.6, 0.6]], 60)
right = rng.multivariate_normal([1.4, 0.7], [[0.4, -0.3], [-0.3, 1]], 60)
points = np.concatenate([left, right]).round(2)
classes = [at // 60 if at % 60 < 3 else None for at in range(120)]
normals = sf.SemiSupervised(sf.GaussianDiscriminant()).fit(points, classes)
shares = normals.predict_proba(points)[:, 1]
agree = (shares.round() == np.repeat([0, 1], 60)).mean()
print(f"{agree:.0%} of rows have their larger share in the class they came from")

# %% drawing
plane = {"rows": points, "labels": classes}
label = np.array([np.nan if one is None else one for one in classes])
drawn = pl.DataFrame(points, schema=["first column", "second column"]).with_columns(
    share=pl.Series(np.where(np.isnan(label), shares, label)),
    labelled=pl.Series(~np.isnan(label)),
)
alt.Chart(drawn).mark_circle(opacity=1).encode(
    x="first column:Q",
    y="second column:Q",
    color=alt.Color("share:Q", title="share of the second class").scale(
        domain=[0, 1], range=["#0072b2", "#d55e00"], interpolate="rgb"
    ),
    size=alt.Size("labelled:N", legend=None).scale(
        domain=[False, True], range=[30, 120]
    ),
).properties(width=460, height=300)

# %% [markdown]
# <div class="touch" data-touch="em" data-from="plane" data-classes="2"></div>
#
# **How to read it.** Each dot is a row, in the colour of its class; a mixed colour
# means that both classes have a share of it. Large dots have a label and keep it. On
# screen, each press of *step* assigns shares to all rows and counts them again. The
# ellipses lie at one and two standard deviations; they start with equal shapes around
# the labelled rows and move to where the rows are. The chart below them is the
# log-likelihood of each round, which never falls.
#
# ## New words
#
# These words occur in no labelled text. The model learned them from the unlabelled
# ones:

# %%
seen = set(sf.CountVectorizer().fit(texts[known]).get_feature_names_out())
for label in model.classes_:
    top = model.estimator_.top_features(label, 60)
    new = [str(name) for name, *_ in top if str(name) not in seen]
    print(f"{label:>12}:", ", ".join(new[:8]))

# %% [markdown]
# ## What a label is worth

# %%
sizes, draws = (2, 3, 5, 10, 20, 50, 100, 200), 5
rows = []
for k in sizes:
    for seed in range(draws):
        known = chosen(k, seed)
        alone = sf.TextClassifier(**options).fit(texts[known], truth[known])
        both = sf.SemiSupervised(words).fit(texts, given(known))
        for name, one in (("labels alone", alone), ("with unlabelled texts", both)):
            right = one.score(test.texts, test.labels)
            rows.append({"labels": 2 * k, "learned from": name, "right": right})
means = (
    pl.DataFrame(rows).group_by("labels", "learned from").agg(pl.col("right").mean())
)

# %% drawing
alt.Chart(means).mark_line(point=True).encode(
    x=alt.X("labels:Q", title="labels").scale(type="log", domain=[3, 500]),
    y=alt.Y("right:Q", title="accuracy on new modules")
    .scale(zero=False)
    .axis(format="%"),
    color=alt.Color("learned from:N", title=None).scale(
        domain=["labels alone", "with unlabelled texts"], range=["#80858f", "#0072b2"]
    ),
).properties(width=460, height=220)

# %% [markdown]
# **How to read it.** Each point averages five random choices of labels. Where the blue
# line is far above the grey one, unlabelled texts replace labels: ten labels with them
# are worth two hundred without. With many labels the lines meet. They can cross if the
# model's idea of a class does not match the labels; [rows without
# labels](../unlabelled.md) says what to do then.
