# %% [markdown]
# # Bursts, and the Pólya urn
#
# A word that occurs once in a text is likely to occur again, but the multinomial model
# draws every word independently. This page shows how badly the multinomial fits real
# words, and how an urn model, still made of counts, fixes it.

# %% [markdown]
# ## Two ways to write a text
#
# An urn holds balls, and each ball carries a word. The multinomial draws a ball, writes
# the word and puts the ball back. Pólya's urn puts it back *together with another ball
# of the same word*: the rich get richer. Below, each process writes texts of twelve
# words, here the letters *a*, *b* and *c*, starting from the same urn with a third of a
# ball for each.

# %%

import numpy as np
import polars as pl

import suffice as sf

rng = np.random.default_rng(3)


def written(again: float) -> str:
    """Return twelve letters; each draw adds `again` balls of the drawn letter."""
    urn, text = np.full(3, 1 / 3), ""
    for _ in range(12):
        drawn = rng.choice(3, p=urn / urn.sum())
        urn[drawn] += again
        text += "abc"[drawn]
    return text


print("put back:          ", "  ".join(written(0) for _ in range(4)))
print("put back with more:", "  ".join(written(1) for _ in range(4)))

# %% [markdown]
# Over many texts, *a*, *b* and *c* are equally frequent under both processes. Within a
# single text, they are not.
#
# ## Real words
#
# Each text here holds the docstrings of one module of numpy or scikit-learn. The
# features are the 300 most common words of three letters or more.
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
# **How to read it.** The share of modules in which *tree* does not occur, occurs once,
# twice, and so on; the vertical axis is logarithmic. Grey is the data: nine out of ten
# modules do without the word, and the few that use it use it up to twenty times. Both
# models match its overall frequency. The multinomial spreads the word over four modules
# in ten, once or twice each. The urn matches the large share of zeros, and its tail
# falls more slowly than the multinomial's.
#
# ## The formula
#
# The urn starts with $\alpha_w$ balls of word $w$, $s$ in total. The smaller $s$, the
# more each added ball counts, and the burstier the texts; as $s \to \infty$, the urn
# becomes the multinomial. A text of $n$ words with $x_w$ of each has the probability
# ([NB-6](../math/naive_bayes.md))
#
# $$p(x) = \frac{n!}{\prod_w x_w!}\; \frac{\Gamma(s)}{\Gamma(s+n)}
# \prod_w \frac{\Gamma(x_w+\alpha_w)}{\Gamma(\alpha_w)}$$
#
# The fit needs only counts of counts: in how many texts a word occurs once, twice, and
# so on. Like all other counts, they add and subtract.

# %%
for label, alpha in zip(urns.classes_, urns.alpha_, strict=True):
    print(f"{label:>12}: {alpha.sum():.0f} balls for {X.shape[1]} words")

# %% [markdown]
# ## Held-out texts
#
# Every third module is held out of the fit. How well does the model of its own class
# predict it? Perplexity is the number of equally probable words among which the next
# word would be as hard to guess.

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
