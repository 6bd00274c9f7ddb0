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
import suffice as sf

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
