# %% [markdown]
# # The number game
#
# Somebody has a rule about numbers in mind and says that 16 follows it: is the rule
# even numbers, powers of two, or squares? This page computes how probable each rule is,
# and shows why a few examples are often enough to be nearly certain.

# %% [markdown]
# ## One example
#
# There are 32 rules about the numbers from 1 to 100 ([CL-4](../math/concepts.md)), and
# one example.

# %%
from typing import Any

import altair as alt
import polars as pl

import suffice as sf
from suffice.concepts import usual_rules

alt.renderers.enable("svg")  # notebooks draw without a network

game = sf.NumberGame()
one = game.observe([16])
sf.plots.number_game(one)

# %% [markdown]
# <div class="touch" data-touch="number_game" data-from="game" data-start="16"></div>
#
# **How to read it.** In the upper chart, each rule has a line: its prior probability,
# how well it explains the example, and the product of both, its posterior probability.
# Rules with few numbers explain an example better: had the rule been *even*, 16 would
# have been one of fifty. The lower chart shows how probable it is that each number
# follows the rule, in the colours of the rules that include it. After one example, many
# numbers are possible.
#
# ## Four examples

# %%
four = one.observe([8, 2, 64])
sf.plots.number_game(four)

# %% [markdown]
# **How to read it.** *Powers of 2* now has almost all the probability. *Even* fits all
# four examples as well, but four even numbers that just happen to be powers of two
# would be a strange coincidence. This is the size principle,
# [CL-1](../math/concepts.md): each example divides the likelihood by the size of the
# set it is drawn from,
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
# *Powers of 2 but 32* explains the four examples about twice as well, because it is
# smaller by one number. The prior keeps it down: such a rule is implausible. By maximum
# likelihood alone, it would win.

# %%
print("most likely:", four.mle_, "  most probable:", four.map_)

# %% [markdown]
# ## Averaging, or the best rule alone
#
# After one example, predicting from the most probable rule alone, here *powers of 4*,
# is overconfident. The posterior predictive averages over all rules,
# [CL-3](../math/concepts.md).

# %%
for number in (4, 32, 10, 17):
    averaged, plugged = (
        one.membership([number])[0],
        one.membership([number], plug_in=True)[0],
    )
    print(f"{number:>3}: {averaged:.2f} averaged, {plugged:.0f} by the best rule alone")

# %% [markdown]
# ## Nearby numbers
#
# With 16, 23, 19 and 20, people think not of a rule but of a neighbourhood. The prior
# may therefore also include intervals ([CL-5](../math/concepts.md)):

# %%
sf.plots.membership(sf.NumberGame(prior="intervals").observe([16, 23, 19, 20]))

# %% [markdown]
# **How to read it.** Numbers between the examples are nearly certain. Outside them, the
# probability falls with the distance: an average over many intervals has soft edges,
# although each interval has hard ones.
#
# ## How much the prior decides
#
# The weights of the rules are an opinion. Here are seven opinions. *Even* and *odd*
# weigh as much as the other rules, or 25 times as much; the two oddball rules weigh as
# much as the others; and some of the prior, or all of it, goes to intervals. Each of
# them answers for the same four numbers.

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
numbers, answers = (4, 10, 17, 32), []
for examples in ([16], [16, 8, 2, 64]):
    after = "after " + ", ".join(map(str, examples))
    print(f"{after:<22}", *(f"{number:>5}" for number in numbers))
    for name, prior in priors.items():
        belief = prior.observe(examples)
        memberships = belief.membership(numbers)
        print(f"{name:>22}", *(f"{p:5.2f}" for p in memberships), f"  {belief.map_[0]}")
        answers += [
            {
                "prior": name,
                "number": str(number),
                "membership": float(p),
                "seen": after,
            }
            for number, p in zip(numbers, memberships, strict=True)
        ]

# %% drawing
places: list[str] = list(priors)
panels: list[Any] = []
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
# **How to read it.** One line per number, one dot per prior. On the left the lines
# swing: after one example, the prior decides. Does 32 belong? Anything from 20 to 60 %.
# Does 17? Rules say no, intervals say yes. On the right most lines are straight: the
# likelihoods differ by factors of thousands, and no reasonable prior outweighs that.
# Even a prior that gives the rules one chance in a hundred is convinced of powers of
# two.
#
# Two of the opinions survive four examples. If the oddballs weigh as much as any rule,
# *powers of 2 but 32* explains the examples $(6/5)^4 \approx 2.1$ times as well as
# *powers of 2*. Then 32 is doubtful, and nothing else is. And a prior that gives rules
# no probability can never learn one: zero times any likelihood is zero.
#
# So vary the prior before you trust a conclusion. What stays the same comes from the
# data; what changes comes from the prior.
