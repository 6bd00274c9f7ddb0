"""A coin, and the black swan.

What do twenty tosses say about a coin? Not one number but a belief: a curve over all
probabilities of heads. This page shows how data change it, and why a thing that never
happened is not impossible.
"""

# %% [markdown]
# ## From prior to posterior
#
# You think that the coin is about fair, as if you had seen two heads and two tails.
# Then 3 heads and 17 tails come.

# %%
import suffice as sf

prior = sf.Beta(2, 2)
belief = prior.update(heads=3, tails=17)
print(belief)
sf.plots.belief(belief, prior)

# %% [markdown]
# <div class="touch" data-touch="coin" data-start="2 2 3 17"></div>
#
# **How to read it.** Along the bottom are all probabilities of heads that the coin
# could have; a curve is high where one is believed to be. The likelihood is what the
# tosses alone would say. The posterior lies between it and the prior, nearer to the
# tosses, for there were twenty of them against four. The shaded part holds 95 %.
#
# The formula is an addition, [BB-1](../math/beta.md). $N_1$ heads and $N_0$ tails
# turn
#
# $$\mathrm{Beta}(a, b) \quad\text{into}\quad \mathrm{Beta}(a + N_1,\; b + N_0)$$
#
# The mean is a compromise between what was believed and what was seen, and $\lambda$
# says how much of the first is left ([BB-4](../math/beta.md)): 4 of 24 here.

# %%
share = 4 / 24
print(f"posterior mean {belief.mean:.4f}")
print(f"{share:.3f} × {prior.mean} + {1 - share:.3f} × {3 / 20} is the same")

# %% [markdown]
# ## Toss by toss
#
# Nothing changes if the tosses come one at a time; each posterior is the next prior.

# %%
tosses = [0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0]
sf.plots.filmstrip(prior, tosses)

# %% [markdown]
# **How to read it.** From left to right and down, more tosses are known. In grey is
# the frame before. The curve moves to where the tosses are and becomes narrower: that
# is learning.
#
# ## The black swan
#
# Three tosses, no heads. The share of heads is 0 of 3, and whoever takes it for the
# probability will never be ready for heads. A belief is not so rash: the probability
# of heads next is the mean, $(N_1 + a) / (N + a + b)$ ([BB-5](../math/beta.md)), and
# with the uniform prior it is 1/5.

# %%
swan = sf.Beta(1, 1).update(heads=0, tails=3)
print(
    f"share of heads: {0 / 3}, probability of heads next: {swan.predict().pmf(1):.3f}"
)
sf.plots.belief(swan, sf.Beta(1, 1))

# %% [markdown]
# **How to read it.** The prior is flat, so the posterior is the likelihood, and its
# highest point is at 0: that is the maximum-likelihood estimate. But most of the area
# is elsewhere. A curve has a mean, an interval and a highest point, and they answer
# different questions.
