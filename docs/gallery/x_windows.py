# %% [markdown]
# # X windows
#
# Which words separate one class of documents from another, and how few of them suffice?
# This page answers with counts alone, on a classic example of feature selection: posts
# about two window systems, X and Microsoft Windows, as rows of 600 flags, one per word.
# It computes the probability of each word and its information about the class, and
# shows what happens to a document with an unseen word.

# %% [markdown]
# ## The documents
#
# The posts cannot be redistributed. If you have them (a file named
# XwindowsDocData.mat), set the environment variable `XWINDOWS` to their folder, and the
# page uses them. Otherwise it builds a similar corpus from installed packages:
# documents of six paragraphs from the documentation of numpy and scikit-learn, each
# described by which of 600 words it contains. All documents of a module are either for
# training or for testing.

# %%
import os
import warnings
from collections import defaultdict

import altair as alt
import numpy as np
import polars as pl

import suffice as sf
from suffice.datasets import Bags

alt.renderers.enable("svg")  # notebooks draw without a network


def posts(folder: str) -> tuple[Bags, Bags]:
    """Read the posts about windows."""
    return (
        sf.datasets.read_xwindows(folder, "train"),
        sf.datasets.read_xwindows(folder, "test"),
    )


def documentation(paragraphs: int) -> tuple[Bags, Bags]:
    """Make documents of six paragraphs each, and find the 600 most common words."""
    found = sf.datasets.docstrings(paragraphs, libraries=["numpy", "scikit-learn"])
    modules = defaultdict(list)
    for text, *origin in zip(found.texts, found.labels, found.groups, strict=True):
        modules[tuple(origin)].append(text)
    documents = [
        (" ".join(texts[i : i + 6]), label, module)
        for (label, module), texts in modules.items()
        for i in range(0, len(texts), 6)
    ]
    corpus = sf.datasets.Corpus(*(list(part) for part in zip(*documents, strict=True)))
    train, test = corpus.split(test=0.5, seed=0)
    vectorizer = sf.CountVectorizer(
        binary=True, max_features=600, token_pattern="[a-z]{2,}"
    )
    X = vectorizer.fit_transform(train.texts)
    X_test = vectorizer.transform(test.texts)
    words = vectorizer.get_feature_names_out().tolist()
    return (
        Bags(X, np.array(train.labels), words),
        Bags(X_test, np.array(test.labels), words),
    )


n_paragraphs = 3000
if "XWINDOWS" in os.environ:
    train, test = posts(os.environ["XWINDOWS"])
else:
    train, test = documentation(n_paragraphs)
print("train:", train)
print("test: ", test)

# %% [markdown]
# ## The probability of each word
#
# A Bernoulli model describes a class by one number per word: the share of its documents
# that contain the word. With a uniform prior the estimate is the mean of a Beta
# posterior, which adds one document with the word and one without
# ([NB-1](../math/naive_bayes.md)):
#
# $$\theta_{jc} = \frac{N_{jc} + 1}{N_c + 2}$$

# %%
model = sf.BernoulliNB(alpha=1.0).fit(train.X, train.y)
theta = np.exp(model.feature_log_prob_)
information = sf.mutual_information(model, "bits", feature_names=train.words)
informative = set(information.order[:10].tolist())

# %% drawing
colours = ["#0072b2", "#d55e00"]
panels = []
for c, label in enumerate(model.classes_):
    data = pl.DataFrame(
        [
            {
                "j": j,
                "p": float(p),
                "word": train.words[j],
                "informative": j in informative,
            }
            for j, p in enumerate(theta[c])
        ]
    )
    base = alt.Chart(data).encode(
        x=alt.X(
            "j:Q",
            scale=alt.Scale(domain=[0, len(train.words)], nice=False),
            title="word" if c else None,
        ),
        y=alt.Y(
            "p:Q",
            scale=alt.Scale(domain=[0, 1]),
            title="share of documents",
            axis=alt.Axis(tickCount=4),
        ),
    )
    spikes = base.mark_rule(color=colours[c], strokeWidth=1).encode(
        y2=alt.datum(0), tooltip=["word", "p"]
    )
    marks = base.transform_filter("datum.informative").mark_circle(
        color="#009e73", size=55, opacity=1
    )
    title = alt.Title(str(label), color="#80858f", anchor="start")
    panels.append((spikes + marks).properties(width=440, height=130, title=title))
alt.vconcat(*panels, spacing=14)

# %% [markdown]
# **How to read it.** Each spike is a word, at the same place in both panels; its height
# is the share of documents that contain it. The highest spikes stand in both panels:
# they are words that every class uses. Green dots mark the ten words with the most
# information about the class. They are not the highest, but they are clearly higher in
# one panel than in the other.
#
# The most probable words of both classes, with 95 % intervals of their shares:

# %%
sf.plots.words(model, most=8, feature_names=train.words)

# %% [markdown]
# **How to read it.** The eight most probable words of each class. Words that lead both
# lists carry no information: seeing one of them changes nothing.
#
# ## The informative words
#
# The mutual information of a word and the class is how much we expect to learn about
# the class by checking whether the word is present, [NB-13](../math/naive_bayes.md):
#
# $$I_j = \sum_c \pi_c \left[\theta_{jc} \log_2\frac{\theta_{jc}}{\theta_j} +
# (1-\theta_{jc}) \log_2\frac{1-\theta_{jc}}{1-\theta_j}\right]$$
#
# $\pi_c$ is the probability of class $c$, and $\theta_j = \sum_c \pi_c \theta_{jc}$ is
# the probability that any document contains the word. With logarithms to base 2 the
# unit is the bit: learning which of two equally probable classes is right is worth one
# bit. The counts are enough; no document is read again. A sparse matrix has no column
# names, so they are passed as `feature_names`.

# %%
print(f"{'':>12}   share of documents that have the word")
print(f"{'words, in bits':>22}" + "".join(f"{label:>14}" for label in model.classes_))
for j, (word, bits) in zip(information.order, information.top(8), strict=False):
    print(f"{word:>15} {bits:.3f} " + "".join(f"{p:14.3f}" for p in theta[:, j]))
sf.plots.information(information)

# %% [markdown]
# **How to read it.** One bar per word, in bits. A bar of one bit would settle the
# class; no single word comes near.
#
# ## How few words suffice
#
# Keep the $k$ most informative words, learn from them alone, and count the errors on
# test documents.

# %%
sizes = [1, 2, 5, 10, 20, 50, 100, 200, 400, len(train.words)]
errors = []
for k in sizes:
    keep = sf.SelectInformative(k, feature_names=train.words).fit(train.X, train.y)
    small = sf.BernoulliNB(alpha=1.0).fit(keep.transform(train.X), train.y)
    for part, bags in {"training": train, "test": test}.items():
        wrong = small.predict(keep.transform(bags.X)) != bags.y
        errors.append({"words": k, "error": float(wrong.mean()), "documents": part})
    if k == 10:
        print("ten words:", ", ".join(keep.get_feature_names_out()))

# %% drawing
scale = alt.Scale(type="log", domain=[1, len(train.words)], nice=False)
alt.Chart(pl.DataFrame(errors)).mark_line(point=True, strokeWidth=2).encode(
    x=alt.X("words:Q", scale=scale, title="words kept").axis(values=sizes),
    y=alt.Y("error:Q", scale=alt.Scale(zero=True), title="errors").axis(format="%"),
    color=alt.Color("documents:N", title=None).scale(
        domain=["training", "test"], range=["#80858f", "#d55e00"]
    ),
).properties(width=420, height=230)

# %% [markdown]
# **How to read it.** Errors against the number of words kept, on a logarithmic scale.
# The first few dozen words do most of the work. Beyond a hundred, more words help on
# the training documents but hardly on new ones. On the posts about windows they even
# hurt: there, about twenty words are best.
#
# ## Maximum likelihood
#
# So far the estimates were posterior means. The maximum-likelihood estimate is the
# observed share, $N_{jc}/N_c$, which may be 0 or 1. A document is then impossible in a
# class if it contains a word that no training document of the class contained, or lacks
# one that all of them contained. Some documents are impossible in every class, and get
# the class prior ([NB-12](../math/naive_bayes.md)).

# %%
for estimate in ("mle", "mean"):
    other = sf.BernoulliNB(alpha=1.0, estimate=estimate).fit(train.X, train.y)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        wrong = [(other.predict(bags.X) != bags.y).mean() for bags in (train, test)]
    possible = np.isfinite(other.predict_joint_log_proba(test.X))
    print(f"{estimate:>4}: errors {wrong[0]:.1%} in training, {wrong[1]:.1%} in test;")
    print(
        f"      {(~possible.all(axis=1)).sum()} of {len(test)} are impossible", end=" "
    )
    print(f"in a class, {(~possible.any(axis=1)).sum()} in both")

# %% [markdown]
# Maximum likelihood makes fewer errors on the training documents and more on new ones.
# [Zero counts](zero_counts.py) shows why one zero outvotes all other words.
#
# ## The posts themselves
#
# The same code on the posts about windows, with 900 for training and 900 for testing:
#
# | | training errors | test errors | impossible in both |
# |---|--:|--:|--:|
# | posterior mean, 600 words | 75 | 168 | 0 |
# | maximum likelihood, 600 words | 65 | 286 | 146 |
# | posterior mean, the best 20 words | | 143 | 0 |
#
# A post that is impossible in both classes gets the first class, since the class priors
# are equal; with the second class, there would be 300 errors instead of 286.
#
# In both classes nearly all posts contain the word *subject* (a share of .998), which
# carries no information. The most informative words are *windows* (.215 bits),
# *microsoft* (.095), *dos* (.092), *motif* (.078) and *window* (.067).
