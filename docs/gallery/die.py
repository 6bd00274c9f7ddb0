# %% [markdown]
# # A die, and a nursery rhyme
#
# A die is a coin with more sides: a belief about it is a belief about several
# probabilities at once. This page looks at such a belief, first with three sides and
# then with ten, which are words, and shows how it predicts the next word of a text.

# %% [markdown]
# ## Three sides
#
# A spinner shows red, green or blue. Before the first spin, every mix of colours is
# equally plausible: Dirichlet(1, 1, 1). Eight spins give 5 red, 2 green and 1 blue.

# %%
import altair as alt
import polars as pl

import suffice as sf

alt.renderers.enable("svg")  # notebooks draw without a network

belief = sf.Dirichlet([1, 1, 1]).update(counts=[5, 2, 1])
print(belief)
sf.plots.simplex(belief, names=["red", "green", "blue"])

# %% [markdown]
# <div class="touch" data-touch="die" data-start="red 6 green 3 blue 2"></div>
#
# **How to read it.** Each point in the triangle is a spinner. A corner is a spinner
# that always shows one colour; the middle is a fair one. Brighter means more plausible;
# the dots are spinners drawn from the belief. The cloud lies towards red, and is wide:
# eight spins are few.
#
# Again the update is an addition ([DM-1](../math/dirichlet.md)). The probability of a
# colour is its count plus its pseudo-count, divided by the sum of both over all colours
# ([DM-4](../math/dirichlet.md)):
#
# $$p(k) = \frac{N_k + \alpha_k}{N + \alpha_0}$$

# %%
print("next:", belief.predict().probabilities.round(3))

# %% [markdown]
# ## Pseudo-counts express how even a die is
#
# The sum of the pseudo-counts is the weight of the prior. Their size also says how even
# the die is expected to be. Here are eight dice drawn from a prior with a pseudo-count
# of a tenth per side, before any data:

# %%
sf.plots.draws(sf.Dirichlet([0.1] * 5))

# %% [markdown]
# **How to read it.** Each small picture is one five-sided die drawn from the prior.
# With pseudo-counts below 1, most dice favour one or two sides. Words behave like this:
# a text uses few of all possible words. With pseudo-counts of 10, all bars would be
# nearly equal. Here are three such priors for the three-sided spinner:

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
# **How to read it.** With pseudo-counts of 0.1, the belief concentrates in the corners
# and along the edges: spinners have a favourite colour. With pseudo-counts of 10, it
# concentrates in the middle: spinners are nearly fair. With pseudo-counts of 1, the
# triangle would be uniform.
#
# ## Ten words
#
# *Mary had a little lamb, little lamb, little lamb. Mary had a little lamb, its fleece
# was white as snow.* The vocabulary has nine words; every other word is *unk*, and *a*
# and *as* are left out. Which word comes next?

# %%
rhyme = [
    "Mary had a little lamb, little lamb, little lamb",
    "Mary had a little lamb, its fleece was white as snow",
]
words = ["Mary", "lamb", "little", "big", "fleece", "white", "black", "snow", "rain"]
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
# **How to read it.** One bar per word ([DM-8](../math/dirichlet.md)). *Big*, *black*
# and *rain* never occurred and have 1/27 each: an unseen word is not impossible. *Unk*
# stands for every word outside the vocabulary; it occurred four times. Texts and
# vocabulary are lowercased before they are matched, but a vocabulary word keeps its own
# spelling in results, so *Mary* keeps its capital.
#
# ## Held-out lines
#
# A language model is evaluated on held-out text. Its perplexity is the number of
# equally probable words that would be as hard to guess:
#
# $$\exp\Big(-\frac{1}{n} \sum_i \ln p(w_i)\Big)$$
#
# Words outside the vocabulary count as *unk*. The rhyme goes on: the model learns five
# lines. How well does it predict the next four?

# %%
story = [
    *rhyme,
    "And everywhere that Mary went, the lamb was sure to go",
    "It followed her to school one day, which was against the rule",
    "It made the children laugh and play to see a lamb at school",
]
rest = [
    "And so the teacher turned it out, but still it lingered near",
    "And waited patiently about, till Mary did appear",
    "Why does the lamb love Mary so? the eager children cry",
    "Why, Mary loves the lamb, you know, the teacher did reply",
]
others = [
    "Twinkle, twinkle, little star, how I wonder what you are",
    "Up above the world so high, like a diamond in the sky",
    "Jack and Jill went up the hill to fetch a pail of water",
    "Jack fell down and broke his crown, and Jill came tumbling after",
    "Little Bo-Peep has lost her sheep, and doesn't know where to find them",
    "Leave them alone, and they'll come home, wagging their tails behind them",
    "Little Boy Blue, come blow your horn, the sheep's in the meadow",
    "Where is the boy who looks after the sheep? He's under a haystack",
    "Mary, Mary, quite contrary, how does your garden grow",
    "With silver bells and cockle shells, and pretty maids all in a row",
    "Baa, baa, black sheep, have you any wool? Yes, sir, yes, sir, three bags full",
    "One for the master and one for the dame, and one for the little boy",
    "Old King Cole was a merry old soul, and a merry old soul was he",
    "He called for his pipe, and he called for his bowl and his fiddlers three",
    "Humpty Dumpty sat on a wall, Humpty Dumpty had a great fall",
    "The itsy bitsy spider went up the water spout, down came the rain",
]
met = sf.LanguageModel().fit(others)
often = [word for word, n in zip(met.words_, met.counts_, strict=True) if n > 1]
english = sf.LanguageModel(often).fit(others)  # words met once are unknown words
backed = sf.LanguageModel(background=english).fit(story)
alone = sf.LanguageModel(backed.words_[:-1]).fit(story)  # the same vocabulary
print(f"alone {alone.perplexity(rest):.1f}, backed {backed.perplexity(rest):.1f}")
print(f"the background is worth {backed.strength_:.0f} words")
print(backed.top(5))

# %% [markdown]
# Alone, the model has seen few words, and shares the remaining probability out evenly.
# A model of more text, here of other rhymes, can serve as its background. The
# background is a prior whose pseudo-counts are unequal: $\mu$ words, distributed as in
# the background ([DM-9](../math/dirichlet.md)):
#
# $$p(w) = \frac{N_w + \mu\, p_\text{background}(w)}{N + \mu}$$
#
# The five lines choose $\mu$ themselves: each word is predicted from all the others,
# and the $\mu$ with the best predictions wins ([DM-11](../math/dirichlet.md)). The
# background's vocabulary omits rare words, so that the background also learns how
# frequent unknown words are.

# %% drawing
strengths = [10 ** (k / 10) for k in range(41)]
tried = [
    sf.LanguageModel(background=english, strength=mu).fit(story) for mu in strengths
]
curve = [{"mu": one.strength_, "perplexity": one.perplexity(rest)} for one in tried]
axes = {
    "x": alt.X(
        "mu:Q",
        title="words that the background is worth, μ",
        axis=alt.Axis(values=[1, 10, 100, 1000, 10000]),
    ).scale(type="log"),
    "y": alt.Y(
        "perplexity:Q",
        title="perplexity of the last four lines",
        axis=alt.Axis(values=[10, 20, 50, 100, 200]),
    ).scale(type="log", domain=[10, 200], nice=False),
}
chosen = [{"mu": backed.strength_, "perplexity": backed.perplexity(rest)}]
alone_at = [{"mu": 1e4, "perplexity": alone.perplexity(rest), "label": "no background"}]
line = alt.Chart(pl.DataFrame(curve)).mark_line(color="#5b7db1").encode(**axes)
dot = (
    alt.Chart(pl.DataFrame(chosen))
    .mark_point(color="#c2703d", filled=True, size=90, opacity=1)
    .encode(**axes)
)
flat = (
    alt.Chart(pl.DataFrame(alone_at))
    .mark_rule(color="#80858f", strokeDash=[4, 4])
    .encode(y=axes["y"])
)
label = (
    alt.Chart(pl.DataFrame(alone_at))
    .mark_text(color="#80858f", align="right", baseline="bottom", dy=-3)
    .encode(**axes, text="label:N")
)
(flat + label + line + dot).properties(width=460, height=220)

# %% [markdown]
# **How to read it.** Lower is better. On the left the background has almost no weight,
# and words that the five lines lack are nearly impossible; on the right it has all the
# weight. The dot is the $\mu$ that the five lines chose. It is close to the minimum,
# which only the held-out lines know. The perplexities are low because every unknown
# word counts as the single guess *unk*; compare them only for one vocabulary.
# `smoothing="jelinek_mercer"` mixes the background in with a fixed weight instead
# ([DM-10](../math/dirichlet.md)).
