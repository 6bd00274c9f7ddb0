"""Where a model is wrong.

Every model is wrong somewhere. A model that can draw rows shows where: draw rows from
it and compare them with the real ones. A difference is something that the data know and
the model does not. This page finds three of them and does something about each.
"""

# %% [markdown]
# ## Rows that a model draws
#
# `sf.check` draws parameters from their posterior, or plugs in the estimate where there
# is no prior, and then draws as many rows as there are, with the same classes. It does
# so a hundred times. These rows are what the model expects to see, the *posterior
# predictive* distribution:
#
# $$p(\tilde X \mid X) = \int p(\tilde X \mid \theta)\, p(\theta \mid X)\, d\theta$$
#
# Then it computes a few statistics of the real rows and of each drawn set, by class and
# feature:
#
# - *share of zeros*, of counts, and of numbers that are sometimes zero. Too many: there
#   is a second way to be zero that the likelihood does not have.
# - *spread*, the standard deviation of numbers. Too large for the likelihood: the data
#   are overdispersed.
# - *smallest* and *largest* number. The tails are wrong, or the model draws values that
#   cannot be.
# - *most frequent*, the share of the commonest category. The prior outweighs the rows,
#   or the rows have changed since.
# - *dependence*, the mutual information with the feature that says most. Within a class
#   the features are not independent.
#
# A likelihood reproduces the statistics that it was fitted to: a normal distribution
# has the right spread whatever the data are. Others reveal it.
#
# ## Columns that depend on each other
#
# Penguins, by their measurements. Naive Bayes takes the columns of a species for
# independent ([NB-4](../math/naive_bayes.md)).

# %%
import os

import altair as alt
import numpy as np
import polars as pl
from palmerpenguins import load_penguins
from sklearn.datasets import load_breast_cancer

import suffice as sf

penguins = load_penguins().dropna()
measures = ["bill_length_mm", "bill_depth_mm", "flipper_length_mm", "body_mass_g"]
X, species = penguins[measures], penguins["species"]

naive = sf.GaussianNB().fit(X, species)
found = sf.check(naive, X, species)
print(found)

# %%
sf.plots.check(found)

# %% [markdown]
# **How to read it.** A line per statistic, the most surprising first. Grey dots are the
# drawn sets, the diamond is the real one. Both are measured in standard deviations of
# the drawn sets: a diamond among the dots is no surprise, one at 5 is something that
# the model practically never draws. Of many statistics some stand out by chance, so the
# first line of the summary says how many do and how many would.
#
# Nearly all that stands out is dependence. A Gentoo with a long bill has a deep one
# too; naive Bayes draws lengths and depths that know nothing of each other.
#
# **What to do.** Give the columns a covariance ([GD-1](../math/discriminant.md)):

# %%
together = sf.GaussianDiscriminant("full").fit(X, species)
print(str(sf.check(together, X, species)).splitlines()[0])
for model in (naive, together):
    judged = sf.evaluate.leave_one_out(model, X, species)
    print(f"{type(model).__name__:>20}: log loss {judged.log_loss:.3f}, left out")

# %% [markdown]
# Now the model knows of the dependence, and predictions are better. For columns of
# mixed kinds there is `NaiveBayes()`, which finds [columns that act
# together](../joint.md). These are terms that tell classes apart, not a density, so
# rows are drawn without them: they improve predictions and leave the check as it was.
#
# ## Skewed numbers
#
# Breast tumours, by one number: the standard error of the area of cell nuclei in an
# image.

# %%
cancer = load_breast_cancer(as_frame=True)
tumour = cancer.target_names[cancer.target]
area = cancer.data[["area error"]]

normal = sf.GaussianNB().fit(area, tumour)
print(sf.check(normal, area, tumour))

# %% [markdown]
# The largest real values are far larger than those drawn, the smallest drawn ones are
# negative, and no area error is. This is what skewness looks like. On a logarithmic
# scale it is gone:

# %%
lognormal = sf.GaussianNB().fit(np.log(area), tumour)
print(sf.check(lognormal, np.log(area), tumour))

# %% drawing
edges = np.linspace(-150, 560, 72)
real = area["area error"].to_numpy()[tumour == "malignant"]
rows, labels = normal.sample(40_000, rng=0)
log_rows, log_labels = lognormal.sample(40_000, rng=0)
values = {
    "real": real,
    "drawn, normal": rows["area error"].to_numpy()[labels == "malignant"],
    "drawn, log-normal": np.exp(log_rows["area error"].to_numpy())[
        log_labels == "malignant"
    ],
}
bars = [
    {"area": low, "share": float(share), "rows": name}
    for name, each in values.items()
    for low, share in zip(edges, np.histogram(each, edges)[0] / len(each), strict=False)
]
data = pl.DataFrame(bars)
across = alt.X("area:Q", title="area error of malignant tumours").scale(nice=False)
up = alt.Y("share:Q", title="share of rows").axis(format="%")
colour = alt.Color("rows:N", title=None).scale(
    domain=list(values), range=["#80858f", "#d55e00", "#0072b2"]
)
base = alt.Chart(data).encode(x=across, y=up, color=colour)
alt.layer(
    base.transform_filter(alt.datum.rows == "real").mark_area(
        interpolate="step-after", opacity=0.45
    ),
    base.transform_filter(alt.datum.rows != "real").mark_line(
        interpolate="step-after", strokeWidth=2
    ),
).properties(width=460, height=220)

# %% [markdown]
# **How to read it.** The grey area is the real rows, lines are rows of the two models.
# The orange line has the right mean and the right standard deviation, and nothing else:
# it peaks too far right, goes below zero, and ends before the largest rows. The blue
# line follows the area.
#
# **What to do.** Take logarithms of what is positive and skewed. Or let the column have
# bins instead of a bell: `NaiveBayes()` chooses between both by
# [evidence](../math/bins.md).

# %%
bins = sf.NaiveBayes(joint=None).fit(area, tumour)
print("NaiveBayes() chose:", bins.columns_["area error"])
for name, model, column in (
    ("normal", normal, area),
    ("log-normal", lognormal, np.log(area)),
    ("bins", bins, area),
):
    apart = sf.evaluate.crossfit(model, column, tumour)
    print(f"{name:>10}: log loss {apart.log_loss:.3f}, left out")

# %% [markdown]
# ## Counts that come in bursts
#
# Modules of numpy and of scikit-learn, each a row of word counts from its docstrings. A
# Poisson distribution ([NB-5](../math/naive_bayes.md)) has a variance equal to its
# mean.

# %%
quick = bool(os.environ.get("SUFFICE_QUICK"))
corpus = sf.datasets.docstrings(
    400 if quick else 1500, libraries=["numpy", "scikit-learn"]
)
paragraphs = pl.DataFrame(
    {"text": corpus.texts, "module": corpus.groups, "library": corpus.labels}
)
modules = paragraphs.group_by("module", "library", maintain_order=True).agg(
    pl.col("text").str.join(" ")
)
reader = sf.CountVectorizer(max_features=300)
matrix = reader.fit_transform(modules["text"].to_list()).toarray()
words = pl.DataFrame(matrix, schema=[str(w) for w in reader.get_feature_names_out()])
library = modules["library"].to_list()

poisson = sf.PoissonNB().fit(words, library)
found = sf.check(poisson, words, library, features=30)
print("\n".join(str(found).splitlines()[:5]))

# %%
sf.plots.check(found)

# %% [markdown]
# **How to read it.** Diamonds farther than 25 standard deviations are drawn at 25.
# There are too many zeros: some modules hardly have a word, others have thousands, and
# one rate has to serve them all. For the same reason the spread is too large, and every
# word depends on every other: where there is much text, there is much of each.
#
# **What to do.** First, take the length of a text as given, and let a model say only
# how it divides among words: the multinomial ([NB-3](../math/naive_bayes.md)). What is
# left is bursts, a word that comes once and then again and again. The Pólya urn
# ([NB-6](../math/naive_bayes.md)) has a parameter for these, and [its own
# page](bursts.py).

# %%
for model in (
    poisson,
    sf.MultinomialNB().fit(words, library),
    sf.DirichletMultinomialNB().fit(words, library),
):
    outside, total = sf.check(model, words, library, features=30).outside
    judged = sf.evaluate.leave_one_out(model, words, library)
    print(f"{type(model).__name__:>22}: {outside:>3} of {total} statistics outside,")
    print(f"{'':>22}  log loss {judged.log_loss:.2f}, left out")

# %% [markdown]
# Each step leaves fewer statistics outside and makes the log loss smaller. Most of that
# loss was false certainty: to a model that knows no bursts, a word that comes twenty
# times is twenty pieces of evidence.
#
# ## What a check does not say
#
# - The rows that are checked are those that were learned, so the check is lenient: a
#   model fits its own rows. `sf.check` takes other rows as well.
# - It sees what its statistics see. Three columns of which any two are independent can
#   still determine each other, and none of the statistics will tell.
# - A wrong model may predict well. Naive Bayes is wrong about penguins and still names
#   nearly all of them correctly; what suffers first are its
# [probabilities](honest_probabilities.py). Whether a difference matters is for the log
# loss of rows left out to say; where it comes from is for the check.
