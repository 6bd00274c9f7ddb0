"""A die, and a nursery rhyme.

A die is a coin with more sides: categories, each with a probability of its own, and a
belief about all of them together. This page looks at such a belief, first with three
sides and then with ten, which are words.
"""

# %% [markdown]
# ## Three sides
#
# A spinner is red, green or blue. Nothing is known, so every mix is as good as any
# other: Dirichlet(1, 1, 1). Eight spins bring 5 red, 2 green and 1 blue.

# %%
import altair as alt
import polars as pl

import suffice as sf

belief = sf.Dirichlet([1, 1, 1]).update(counts=[5, 2, 1])
print(belief)
sf.plots.simplex(belief, names=["red", "green", "blue"])

# %% [markdown]
# <div class="touch" data-touch="die" data-start="red 6 green 3 blue 2"></div>
#
# **How to read it.** A point in the triangle is a spinner. In a corner it always
# shows that colour, in the middle all three alike. The brighter, the more believed;
# dots are spinners drawn from the belief. The cloud lies toward red, and is wide:
# eight spins are few.
#
# Again the update is an addition ([DM-1](../math/dirichlet.md)), and the chance of a
# colour next is its count plus its pseudo-count, over the sum of all
# ([DM-4](../math/dirichlet.md)):
#
# $$p(k) = \frac{N_k + \alpha_k}{N + \alpha_0}$$

# %%
print("next:", belief.predict().probabilities.round(3))

# %% [markdown]
# ## Pseudo-counts are an opinion about evenness
#
# The sum of the pseudo-counts is how much the prior weighs; each of them says how
# even a die is expected to be. Eight draws with a tenth each, before any data:

# %%
sf.plots.draws(sf.Dirichlet([0.1] * 5))

# %% [markdown]
# **How to read it.** Each small picture is one die with five sides that the prior
# holds possible. With pseudo-counts below 1, dice of one or two sides are the rule.
# Words are like that: of all the words there are, a text has few. With 10 each, all
# bars would be nearly alike. On the triangle of three sides, the same three opinions:

# %%
for alpha in (0.1, 1.0, 10.0):
    spinners = sf.Dirichlet([alpha] * 3).sample(rng=0, size=2000)
    sure = (spinners.max(axis=1) > 0.9).mean()
    print(f"α = {alpha:>4}: {sure:.0%} of spinners show one colour nine times in ten")

# %%
sf.plots.simplex(sf.Dirichlet([0.1] * 3), names=["red", "green", "blue"])

# %%
sf.plots.simplex(sf.Dirichlet([10] * 3), names=["red", "green", "blue"])

# %% [markdown]
# **How to read it.** With 0.1 each, belief gathers in the corners and along the edges:
# a spinner has a favourite. With 10 each it gathers in the middle: a spinner is fair.
# With 1 each, the triangle would be of one colour.
#
# ## Ten words
#
# *Mary had a little lamb, little lamb, little lamb. Mary had a little lamb, its
# fleece was white as snow.* Nine words are in the vocabulary; every other word is
# *unk*, and *a* and *as* are left out. Which word comes next?

# %%
rhyme = [
    "Mary had a little lamb, little lamb, little lamb",
    "Mary had a little lamb, its fleece was white as snow",
]
words = ["mary", "lamb", "little", "big", "fleece", "white", "black", "snow", "rain"]
model = sf.LanguageModel(words, tokens=sf.Tokens(stop_words=["a", "as"])).fit(rhyme)
chances = model.probabilities()
shares = [f"{word} {round(p * 27)}/27" for word, p in chances.items()]
print("  ".join(shares[:5]), "  ".join(shares[5:]), sep="\n")

# %% drawing
rows = [{"word": word, "probability": p} for word, p in chances.items()]
alt.Chart(pl.DataFrame(rows)).mark_bar(color="#5b7db1").encode(
    x=alt.X("word:N", sort=None, title=None, axis=alt.Axis(labelAngle=0)),
    y=alt.Y("probability:Q", title="probability of being next"),
).properties(width=460, height=200)

# %% [markdown]
# **How to read it.** A bar per word ([DM-8](../math/dirichlet.md)). *Big*, *black*
# and *rain* were never seen and have 1/27 each: nothing is ruled out by silence.
# *Unk* stands for every word outside the vocabulary, and it has been seen four times.
