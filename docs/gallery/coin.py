# %% [markdown]
# # A coin, and the black swan
#
# What do twenty tosses say about a coin? Not a single number but a belief: a curve over
# all probabilities of heads. This page shows how data update that belief, and why an
# event that has never happened is not impossible.

# %% [markdown]
# ## From prior to posterior
#
# You believe that the coin is roughly fair, as if you had already seen two heads and
# two tails. Then you toss 3 heads and 17 tails.

# %%
import numpy as np

import suffice as sf

prior = sf.Beta(2, 2)
belief = prior.update(heads=3, tails=17)
print(belief)
sf.plots.belief(belief, prior)

# %% [markdown]
# <div class="touch" data-touch="coin" data-start="2 2 3 17"></div>
#
# **How to read it.** The horizontal axis shows every probability of heads that the coin
# could have; the curve is high where you believe it to be. The likelihood is what the
# tosses alone would say. The posterior lies between the likelihood and the prior. It is
# closer to the likelihood, because twenty tosses outweigh a prior worth four. The
# shaded part holds 95 % of the posterior.
#
# The update is an addition, [BB-1](../math/beta.md). $N_1$ heads and $N_0$ tails turn
#
# $$\mathrm{Beta}(a, b) \quad\text{into}\quad \mathrm{Beta}(a + N_1,\; b + N_0)$$
#
# The posterior mean is a weighted average of the prior mean and the observed share. The
# weight of the prior mean is $\lambda$ ([BB-4](../math/beta.md)), here 4/24.

# %%
share = 4 / 24
print(f"posterior mean {belief.mean:.4f}")
print(f"{share:.3f} × {prior.mean} + {1 - share:.3f} × {3 / 20} is the same")

# %% [markdown]
# ## Toss by toss
#
# Learning the tosses one at a time changes nothing: each posterior is the prior for the
# next toss.

# %%
tosses = [0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0]
sf.plots.filmstrip(prior, tosses)

# %% [markdown]
# **How to read it.** Each frame, from left to right and downwards, knows more tosses.
# The grey curve is the previous frame. The curve moves towards the observed share and
# becomes narrower: that is learning.
#
# ## The black swan
#
# Three tosses, no heads. The observed share of heads is 0 of 3; taken as a probability,
# it would make heads impossible. The belief is more cautious. The probability that the
# next toss shows heads is the posterior mean, $(N_1 + a) / (N + a + b)$
# ([BB-5](../math/beta.md)), and with a uniform prior it is 1/5.

# %%
swan = sf.Beta(1, 1).update(heads=0, tails=3)
print(
    f"share of heads: {0 / 3}, probability of heads next: {swan.predict().pmf(1):.3f}"
)
sf.plots.belief(swan, sf.Beta(1, 1))

# %% [markdown]
# **How to read it.** The prior is flat, so the posterior has the shape of the
# likelihood. Its highest point, the maximum-likelihood estimate, is at 0, but most of
# its area lies elsewhere. The mean, an interval and the mode of a curve answer
# different questions.
#
# ## Is the coin fair?
#
# A Bayes factor compares two explanations by the probability that each gives to the
# tosses. A fair coin gives every sequence of twenty tosses the probability $0.5^{20}$.
# Under a uniform prior, the probability is averaged over all coins: the evidence, which
# has a closed form ([BB-7](../math/beta.md)).

# %%
for heads in (3, 8, 10):
    tails = 20 - heads
    log_factor = sf.bayes_factor(sf.Beta(1, 1), 0.5, heads=heads, tails=tails)
    factor = np.exp(log_factor)
    odds = f"{factor:.1f} to 1 against" if factor > 1 else f"{1 / factor:.1f} to 1 for"
    print(f"{heads:2d} heads of 20: {odds} the fair coin")

# %% [markdown]
# Three heads of twenty speak clearly against a fair coin. Ten speak for it, although a
# slightly biased coin explains them about as well: the uniform prior spends most of its
# belief on coins that explain them badly.
