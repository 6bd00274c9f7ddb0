"""Bursts, and the Pólya urn.

A word that came once in a text is likely to come again. The multinomial cannot say
that: it draws each word anew, from the same shares. This page shows how far off it is
on real words, and an urn that gets it right and is still made of counts.
"""

# %% [markdown]
# ## Two ways to write a text
#
# An urn holds balls, each with a word. The multinomial draws a ball, writes the word
# and puts the ball back. Pólya's urn puts it back *with another of the same word*:
# the rich get richer. Here are texts of twelve letters by both, with the same urn of
# three words, one third of a ball each.

# %%

import numpy as np
import polars as pl

import suffice as sf

rng = np.random.default_rng(3)


def written(again: float) -> str:
    """Twelve letters; what was drawn goes back with so many more balls of it."""
    urn, text = np.full(3, 1 / 3), ""
    for _ in range(12):
        drawn = rng.choice(3, p=urn / urn.sum())
        urn[drawn] += again
        text += "abc"[drawn]
    return text


print("put back:          ", "  ".join(written(0) for _ in range(4)))
print("put back with more:", "  ".join(written(1) for _ in range(4)))

# %% [markdown]
# Over many texts, *a*, *b* and *c* come equally often in both. Within a text they do
# not.
#
# ## Real words
#
# Modules of numpy and of scikit-learn, each a text made of the paragraphs of its
# docstrings; the 300 most common words of three letters or more.
# `DirichletMultinomialNB` fits an urn to each class by maximum likelihood.

# %%
n_paragraphs = 1500
corpus = sf.datasets.docstrings(n_paragraphs, libraries=["numpy", "scikit-learn"])
paragraphs = pl.DataFrame(
    {"text": corpus.texts, "module": corpus.groups, "library": corpus.labels}
)
modules = paragraphs.group_by("module", "library", maintain_order=True).agg(
    pl.col("text").str.join(" ")
)
vectorizer = sf.CountVectorizer(max_features=300, token_pattern=r"[a-z]{3,}")
X = vectorizer.fit_transform(modules["text"].to_list()).toarray()
table = pl.DataFrame(X, schema=list(vectorizer.get_feature_names_out()))
libraries = modules["library"].to_numpy()
urns = sf.DirichletMultinomialNB().fit(table, libraries)
print(f"{len(table)} modules, {X.sum():,} words")
sf.plots.burstiness(urns, "tree", "scikit-learn", most=22)

# %% [markdown]
# **How to read it.** In which share of the modules *tree* does not come at all, comes
# once, twice, and so on; upward in powers of ten. Grey is what was seen: nine of ten
# modules do without the word, and those few that have it have it up to twenty times.
# Both models know how common it is. The multinomial hands it out to four modules of
# ten, once or twice each. The urn's curve has both, the high start and the slow end.
#
# ## The formula
#
# The urn's balls at the start, $\alpha_w$, add up to $s$. The fewer they are, the
# more one more ball counts, and the burstier the texts; with $s \to \infty$ the urn
# is the multinomial. A text of $n$ words, $x_w$ of each
# ([NB-6](../math/naive_bayes.md)):
#
# $$p(x) = \frac{n!}{\prod_w x_w!}\; \frac{\Gamma(s)}{\Gamma(s+n)}
# \prod_w \frac{\Gamma(x_w+\alpha_w)}{\Gamma(\alpha_w)}$$
#
# What the fit needs of the data are counts of counts: in how many texts a word comes
# once, twice, and so on. They add and subtract like all others.

# %%
for label, alpha in zip(urns.classes_, urns.alpha_, strict=True):
    print(f"{label:>12}: {alpha.sum():.0f} balls for {X.shape[1]} words")

# %% [markdown]
# ## Texts that were not seen
#
# Every third module is left out of the fit. How well is it foreseen, by the model of
# its own class? Perplexity is among how many words, all alike, the next one would be
# as hard to guess.

# %%
train, test = np.arange(len(X)) % 3 > 0, np.arange(len(X)) % 3 == 0
true = np.searchsorted(urns.classes_, libraries[test])
for name, model in {
    "multinomial": sf.MultinomialNB(),
    "urn": sf.DirichletMultinomialNB(),
}.items():
    model.fit(X[train], libraries[train])
    own = model.predict_joint_log_proba(X[test])[np.arange(len(true)), true]
    logs = own - model.class_log_prior_[true]
    print(f"{name:>12}: perplexity {np.exp(-logs.sum() / X[test].sum()):.0f}")
