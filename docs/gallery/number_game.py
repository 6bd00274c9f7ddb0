"""The number game.

Somebody has a rule about numbers in mind and says: 16 follows it. What else does? You
think of even numbers, of powers of two, of squares, and hold each to be more or less
probable. Then come 8, 2 and 64, and you are sure. This page does the same.
"""

# %% [markdown]
# ## One example
#
# There are 32 rules about the numbers from 1 to 100 ([CL-4](../math/concepts.md)),
# and one example.

# %%
import altair as alt
import polars as pl

import suffice as sf
from suffice.concepts import usual_rules

game = sf.NumberGame()
one = game.observe([16])
sf.plots.number_game(one)

# %% [markdown]
# <div class="touch" data-touch="number_game" data-from="game" data-start="16"></div>
#
# **How to read it.** Above, a line per rule: how probable it was before, how well it
# explains the example, and the product of both, which is how probable it is now.
# Rules of few numbers explain an example better: had the rule been *even*, 16 would
# have been one of fifty. Below, for each number how probable it is that it follows
# the rule, in the colours of the rules that say so. After one example many numbers
# are possible.
#
# ## Four examples

# %%
four = one.observe([8, 2, 64])
sf.plots.number_game(four)

# %% [markdown]
# **How to read it.** Almost all is left to *powers of 2*. *Even* fits all four
# examples as well, but four even numbers that just happen to be powers of two would
# be a strange coincidence. This is the size principle, [CL-1](../math/concepts.md):
# each example divides by the size of the set it is drawn from,
#
# $$p(D \mid h) = |h|^{-N} \text{ if } h \text{ holds all of } D, \text{ else } 0$$

# %%
sizes = {"powers of 2": 6, "even": 50}
for name, size in sizes.items():
    print(
        f"{name:>12}: {1 / size**1:.3f} after one example, {1 / size**4:.1e} after four"
    )
print(f"{(50 / 6) ** 4:.1f} to 1 for powers of 2")

# %% [markdown]
# *Powers of 2 but 32* explains the four twice as well, since it is smaller by one
# number. What keeps it down is the prior: nobody has such a rule in mind. With
# maximum likelihood alone it would win.

# %%
print("most likely:", four.mle_, "  most probable:", four.map_)

# %% [markdown]
# ## Between averaging and believing
#
# To ask only the most probable rule is to be too sure after one example. The
# predictive averages over all rules, [CL-3](../math/concepts.md).

# %%
for number in (4, 32, 10, 17):
    averaged, plugged = (
        one.membership([number])[0],
        one.membership([number], plug_in=True)[0],
    )
    print(f"{number:>3}: {averaged:.2f} averaged, {plugged:.0f} by the best rule alone")

# %% [markdown]
# ## Near numbers
#
# With 16, 23, 19 and 20 people do not think of rules but of a neighbourhood. So a
# prior may also hold intervals ([CL-5](../math/concepts.md)):

# %%
sf.plots.membership(sf.NumberGame(prior="intervals").observe([16, 23, 19, 20]))

# %% [markdown]
# **How to read it.** Numbers between the examples are nearly certain, and those
# beside them the less probable the farther they are: an average over many intervals
# has soft edges, though each of them has hard ones.
#
# ## How much the prior decides
#
# The weights of the rules are an opinion. Here are seven opinions: even and odd weigh
# as much as the other rules, or 25 times as much; the two odd-balls weigh as much as
# the others; and some of the belief, or all of it, goes to intervals. Ask each of them
# about the same four numbers.

# %%
rules, oddballs = usual_rules(), ("powers of 2 and 37", "powers of 2 but 32")


def weighed(parity: float = 5, oddball: float = 0.01) -> sf.NumberGame:
    """Return the game with weights for even and odd, and for the odd-balls."""
    weights = dict.fromkeys(("even", "odd"), parity) | dict.fromkeys(oddballs, oddball)
    return sf.NumberGame(
        rules={name: (rule, weights.get(name, 1)) for name, rule in rules.items()}
    )


priors = {
    "the usual": weighed(),
    "even, odd × 1": weighed(parity=1),
    "even, odd × 25": weighed(parity=25),
    "odd-balls × 1": weighed(oddball=1),
    "1/3 intervals": sf.NumberGame(prior="intervals"),
    "99 % intervals": sf.NumberGame(prior="intervals", weight=0.01),
    "only intervals": sf.NumberGame(prior="intervals", weight=0),
}
asked, answers = (4, 10, 17, 32), []
for examples in ([16], [16, 8, 2, 64]):
    after = "after " + ", ".join(map(str, examples))
    print(f"{after:<22}", *(f"{number:>5}" for number in asked))
    for name, prior in priors.items():
        belief = prior.observe(examples)
        told = belief.membership(asked)
        print(f"{name:>22}", *(f"{p:5.2f}" for p in told), f"  {belief.map_[0]}")
        answers += [
            {
                "prior": name,
                "number": str(number),
                "membership": float(p),
                "seen": after,
            }
            for number, p in zip(asked, told, strict=True)
        ]

# %% drawing
places = list(priors)
panels: list[alt.Chart] = []
for after in ("after 16", "after 16, 8, 2, 64"):
    lines = [
        {**line, "place": places.index(str(line["prior"]))}
        for line in answers
        if line["seen"] == after
    ]
    across = alt.X("membership:Q").scale(domain=[0, 1]).axis(values=[0, 0.5, 1])
    names = alt.Axis() if not panels else alt.Axis(labels=False, ticks=False)
    panels.append(
        alt.Chart(pl.DataFrame(lines))
        .mark_line(point=alt.OverlayMarkDef(size=60, opacity=1), strokeOpacity=0.6)
        .encode(
            x=across,
            y=alt.Y("prior:N", title=None, sort=places, axis=names),
            order="place:Q",
            color=alt.Color(
                "number:N", title="number", sort=["4", "10", "17", "32"]
            ).scale(range=["#0072b2", "#d55e00", "#009e73", "#cc79a7"]),
        )
        .properties(width=180, height=190, title=after)
    )
alt.hconcat(*panels, spacing=20)

# %% [markdown]
# **How to read it.** A line per number, a dot per prior. On the left the lines swing:
# one example leaves the answer to the prior. Does 32 belong? Anything from 20 to 60 %.
# Does 17? Rules say no, intervals say yes. On the right most lines are straight: the
# likelihoods differ by factors of thousands, and no reasonable weight makes up for
# that. Even a prior that gives rules one chance in a hundred is convinced of powers of
# two.
#
# Four examples do not overcome two of the opinions. If the odd-balls weigh as much
# as any rule, *powers of 2 but 32* explains the examples $(6/5)^4 \approx 2.1$ times as
# well as *powers of 2*, and 32 is doubtful, though nothing else is. And a prior that
# gives rules no chance at all can never learn one: zero times any likelihood is zero.
#
# So before you trust a conclusion, vary the prior. What stays the same comes from the
# data; what moves is opinion.
