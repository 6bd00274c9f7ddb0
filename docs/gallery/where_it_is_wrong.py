# %% [markdown]
# # Where a model is wrong
#
# Every model is wrong somewhere, and a model that can draw rows can show where: compare
# its rows with the real ones. This page finds three differences, each something that
# the data show and the model misses, and fixes each of them.

# %% [markdown]
# ## Rows that a model draws
#
# `sf.check` draws parameters from their posterior, or plugs in the estimate if there is
# no prior. It then draws as many rows as there are, with the same classes, and repeats
# this a hundred times. The rows follow the *posterior predictive* distribution, what
# the model expects to see:
#
# $$p(\tilde X \mid X) = \int p(\tilde X \mid \theta)\, p(\theta \mid X)\, d\theta$$
#
# For the real rows and for each drawn set, it computes a few statistics by class and
# feature. After each statistic stands what a discrepancy suggests:
#
# - *share of zeros*, of counts and of numbers that are sometimes zero. If it is too
#   high, rows can be zero in a second way that the likelihood does not have.
# - *standard deviation* of numbers. If it is too large for the likelihood, the data are
#   overdispersed.
# - *minimum* and *maximum*. The tails are wrong, or the model draws impossible
#   values.
# - *share of the mode*, the most common category. The prior outweighs the
#   rows, or the rows have changed since.
# - *dependence*, the mutual information with the most informative other feature. The
#   features are not independent within a class.
#
# A likelihood always reproduces the statistics that it was fitted to: a normal
# distribution has the right spread whatever the data are. Other statistics reveal the
# misfit.
#
# ## Columns that depend on each other
#
# Penguins, by their measurements. Naive Bayes treats the columns of a species as
# independent ([NB-4](../math/naive_bayes.md)).

# %%

import altair as alt
import numpy as np
import polars as pl
from palmerpenguins import load_penguins
from sklearn.datasets import load_breast_cancer

import suffice as sf

alt.renderers.enable("svg")  # notebooks draw without a network

penguins = load_penguins().dropna()
measures = ["bill_length_mm", "bill_depth_mm", "flipper_length_mm", "body_mass_g"]
X, species = penguins[measures], penguins["species"]

naive = sf.GaussianNB().fit(X, species)
found = sf.check(naive, X, species)
print(found)

# %%
sf.plots.check(found)

# %% [markdown]
# **How to read it.** One line per statistic, the most surprising first. Grey dots are
# the drawn sets; the diamond is the real one. Both are measured from the mean of the
# drawn sets, in their standard deviations: a diamond among the dots is no surprise, and
# one at 5 is a value that the model practically never draws. Of many statistics, some
# stand out by chance, so the first line of the summary says how many do and how many to
# expect.
#
# Nearly all that stand out are dependences. A Gentoo with a long bill tends to have a
# deep one; naive Bayes draws length and depth independently.
#
# **What to do.** Model the columns with a covariance ([GD-1](../math/discriminant.md)):

# %%
together = sf.GaussianDiscriminant("full").fit(X, species)
print(str(sf.check(together, X, species)).splitlines()[0])
for model in (naive, together):
    judged = sf.evaluate.leave_one_out(model, X, species)
    print(f"{type(model).__name__:>20}: log loss {judged.log_loss:.3f}, left out")

# %% [markdown]
# Now the model includes the dependence, and its predictions improve. For columns of
# mixed kinds there is `NaiveBayes()`, which finds [joint columns](../joint.md). These
# terms separate classes but are not a density, so rows are drawn without them: they
# improve predictions and leave the check unchanged.
#
# ## Skewed numbers
#
# Breast tumours, by one measurement: the standard error of the area of cell nuclei in
# an image.

# %%
cancer = load_breast_cancer(as_frame=True)
tumour = cancer.target_names[cancer.target]
area = cancer.data[["area error"]]

normal = sf.GaussianNB().fit(area, tumour)
print(sf.check(normal, area, tumour))

# %% [markdown]
# The largest real values are far larger than those drawn. The smallest drawn values are
# negative, which no area error can be. This is the signature of skewness. On a
# logarithmic scale it disappears:

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
# **How to read it.** The grey area is the real rows; the lines are rows drawn from the
# two models. The orange line has the right mean and standard deviation, and nothing
# else: its peak is too far right, it extends below zero, and it ends before the largest
# rows. The blue line follows the area.
#
# **What to do.** Take logarithms of a positive, skewed column. Or use bins instead of a
# normal: `NaiveBayes()` chooses between them by [evidence](../math/bins.md).

# %%
bins = sf.NaiveBayes(joint=None).fit(area, tumour)
print("NaiveBayes() chose:", bins.columns_["area error"])
for name, model, column in (
    ("normal", normal, area),
    ("log-normal", lognormal, np.log(area)),
    ("bins", bins, area),
):
    fair = sf.evaluate.crossfit(model, column, tumour)
    print(f"{name:>10}: log loss {fair.log_loss:.3f}, held out")

# %% [markdown]
# ## Counts that come in bursts
#
# Each row holds the word counts of one module of numpy or scikit-learn, from its
# docstrings. A Poisson distribution ([NB-5](../math/naive_bayes.md)) has a variance
# equal to its mean.

# %%
n_paragraphs = 1500
corpus = sf.datasets.docstrings(n_paragraphs, libraries=["numpy", "scikit-learn"])
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
# **How to read it.** Diamonds beyond 25 standard deviations are drawn at 25. There are
# too many zeros: some modules have almost no words, others have thousands, and one rate
# must fit them all. For the same reason the spread is too large, and every word depends
# on every other: long modules have more of each.
#
# **What to do.** First, condition on the length of a text, and model only how it
# divides among words: the multinomial ([NB-3](../math/naive_bayes.md)). What remains is
# burstiness: a word that occurs once tends to recur. The Pólya urn
# ([NB-6](../math/naive_bayes.md)) has a parameter for it, and [its own
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
# Each step leaves fewer surprising statistics and lowers the log loss. Most of that
# loss was overconfidence: to a model without burstiness, a word that occurs twenty
# times is twenty pieces of evidence.
#
# ## What a check does not show
#
# - Here the model is checked on its own training rows, so the check is lenient.
#   `sf.check` accepts other rows as well.
# - A check sees only its statistics. Three columns can be pairwise independent although
#   any two of them determine the third, and none of the statistics shows it.
# - A wrong model may predict well. Naive Bayes is wrong about penguins and still
#   classifies nearly all of them correctly; its
#   [probabilities](honest_probabilities.py) suffer first. The check shows where a model
#   differs from the data; the held-out log loss shows whether the difference matters.
