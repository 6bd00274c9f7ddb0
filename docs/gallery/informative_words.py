"""Informative words.

The most common words of a class say little: every class has them. How much a word tells
about the class is its mutual information, and the counts of a fitted model are enough
to know it. This page asks which words tell the documentation of one library from that
of another.
"""

# %% [markdown]
# ## Common is not telling
#
# Paragraphs from the documentation of numpy and of scikit-learn, as they are
# installed here. What is counted is which words a paragraph has.

# %%
import os

import suffice as sf

quick = bool(os.environ.get("SUFFICE_QUICK"))
corpus = sf.datasets.docstrings(
    150 if quick else 1000, libraries=["numpy", "scikit-learn"]
)
model = sf.TextClassifier("bernoulli", alpha=1.0, temper=None).fit(
    corpus.texts, corpus.labels
)
sf.plots.words(model)

# %% [markdown]
# **How to read it.** The share of paragraphs that have a word, with an interval of 95
# %. The same words lead in both lists. They are the most probable words, and they are
# useless.
#
# ## What tells
#
# The mutual information of a word is how much we expect to learn about the class by
# looking whether it is there, [NB-13](../math/naive_bayes.md):
#
# $$I_j = \sum_c \pi_c \left[\theta_{jc} \ln\frac{\theta_{jc}}{\theta_j} +
# (1-\theta_{jc}) \ln\frac{1-\theta_{jc}}{1-\theta_j}\right]$$
#
# $\pi_c$ is the share of class $c$, $\theta_{jc}$ the share of its paragraphs that
# have word $j$, and $\theta_j$ the share of all. No text is read again: these are
# counts.

# %%
information = sf.mutual_information(model, unit="bits")
sf.plots.information(information)

# %% [markdown]
# **How to read it.** A bar per word, in bits. One bit would settle the question; none
# of them comes near, so it takes many words. Words that belong to one library's trade
# lead: they are neither the most common ones nor those that occur in one library
# only, but those that are in many paragraphs of one and in few of the other.
#
# ## Few words do most of the work
#
# How much worse is a model that looks at the best words only? Each is tested on
# modules that it has not seen.

# %%
train, test = corpus.split(test=0.3, seed=0)
vectorizer = sf.CountVectorizer(binary=True)
X, X_test = vectorizer.fit_transform(train.texts), vectorizer.transform(test.texts)
for k in (5, 20, 100, 500, X.shape[1]):
    chosen = sf.SelectInformative(k).fit(X, train.labels)
    small = sf.BernoulliNB().fit(chosen.transform(X), train.labels)
    right = small.score(chosen.transform(X_test), test.labels)
    print(f"{k:>6,} words: right for {right:.1%}")
