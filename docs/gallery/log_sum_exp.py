# %% [markdown]
# # Log-sum-exp: how tiny numbers are added
#
# The probability of a text is a product of hundreds of small numbers, too small for
# floating point. Scores are therefore kept as logarithms, but Bayes' rule needs the sum
# of the probabilities themselves. This page shows where plain arithmetic fails, and the
# one-line formula that never does.

# %% [markdown]
# ## Where floating point ends
#
# A text of $n$ words, each with a probability of about 1/1000 in either class. Below
# about $10^{-324}$, a double is 0.

# %%
import altair as alt
import numpy as np
import polars as pl

alt.renderers.enable("svg")  # notebooks draw without a network

lengths = np.arange(10, 301, 10)
score = np.array([np.log(1.1e-3), np.log(1.0e-3)])  # by word, in two classes
by_product = [np.exp(score) ** n for n in lengths]
last = max(n for n, p in zip(lengths, by_product, strict=True) if p.min() > 0)
print(f"{last} words: {by_product[last // 10 - 1]}")
print(f"{last + 10} words: {by_product[last // 10]}")

# %% [markdown]
# 0 divided by 0 + 0 is not a number.
#
# ## One line
#
# Subtract the largest score first. One term of the sum is then exactly 1, so the sum
# cannot vanish. [NB-10](../math/naive_bayes.md):
#
# $$\ln \sum_c e^{b_c} = B + \ln \sum_c e^{b_c - B}, \qquad B = \max_c b_c$$


# %%
def log_sum_exp(b: np.ndarray) -> float:
    """Return the logarithm of a sum of exponentials."""
    top = b.max()
    return float(top + np.log(np.exp(b - top).sum()))


by_logarithms = [np.exp(n * score[0] - log_sum_exp(n * score)) for n in lengths]

# %% drawing
x = alt.X("words:Q", title="words in the text")
y = alt.Y("probability:Q", title="probability of the first class").scale(
    domain=[0.5, 1]
)
colour = alt.Color("by:N", title=None).scale(
    domain=["by logarithms", "by products"], range=["#5b7db1", "#d1603d"]
)
logarithms = pl.DataFrame(
    {"words": lengths, "probability": by_logarithms, "by": "by logarithms"}
)
products = pl.DataFrame(
    [
        {"words": int(n), "probability": float(p[0] / p.sum()), "by": "by products"}
        for n, p in zip(lengths, by_product, strict=True)
        if p.sum() > 0
    ]
)
line = alt.Chart(logarithms).mark_line(point=True).encode(x=x, y=y, color=colour)
rings = alt.Chart(products).mark_point(size=120).encode(x=x, y=y, color=colour)
end = alt.Chart(pl.DataFrame({"words": [int(last)]})).mark_rule(strokeDash=[4, 4])
(line + rings + end.encode(x="words:Q")).properties(width=460, height=220)

# %% [markdown]
# **How to read it.** The blue line is the probability computed with logarithms; the red
# rings are plain products. They agree up to the dashed line. Beyond it the products are
# 0, and there is no ring to draw. A text of a hundred words is not long.
#
# ## Extreme scores, and the library
#
# The formula works for scores whose exponential no double can hold, and the library
# uses it for every prediction. So `predict_log_proba` stays accurate where the
# probability itself underflows to 0:

# %%
import suffice as sf

print(log_sum_exp(np.array([-1e5, -1e5 - 1.0])), log_sum_exp(np.array([800.0, 799.0])))
model = sf.MultinomialNB().fit([[9, 1], [1, 9]], ["ham", "spam"])
long = np.array([[5000, 100]])
print(model.predict_proba(long)[0], model.predict_log_proba(long)[0].round(1))
