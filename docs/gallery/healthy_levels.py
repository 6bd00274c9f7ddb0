# %% [markdown]
# # Healthy levels
#
# A doctor shows you the blood values of a few people, all of them healthy, and asks who
# else is healthy; you see no one who is ill. This page learns a concept from positive
# examples alone: it plays the rectangle game of concept learning, and shows what
# averaging over all rectangles knows that the smallest rectangle does not.

# %% [markdown]
# ## Three lines
#
# The concept is a rectangle: a healthy person has a cholesterol level within some range
# and an insulin level within another. The ends of the ranges are unknown. Here are
# twelve fictitious people, and a belief that has seen the first three.

# %%
import altair as alt
import numpy as np
import polars as pl

import suffice as sf

alt.renderers.enable("svg")  # notebooks draw without a network

cholesterol = [190, 205, 181, 198, 186, 201, 193, 183, 207, 196, 188, 200]
insulin = [12.1, 13.8, 10.4, 11.2, 14.2, 10.9, 13.1, 12.6, 12.0, 10.1, 11.5, 13.4]
healthy = pl.DataFrame({"cholesterol": cholesterol, "insulin": insulin})

three = sf.Rectangles().observe(healthy[:3])
print(three)
print(three.membership([[195, 12], [215, 12], [215, 16]]).round(3))

# %%
sf.plots.generalisation(sf.Rectangles(), healthy, after=[3, 12])

# %% [markdown]
# **How to read it.** Dots are the examples; the dashed line is the smallest rectangle
# that holds them. Along each blue line the probability of being healthy is constant: 90
# % close to the examples, 10 % farthest out. After three examples the belief reaches
# far beyond them; after twelve, hardly at all. The lines are not rectangles, because
# they average over all rectangles: someone far out in one feature may be healthy,
# someone far out in both hardly.
#
# ## The size principle
#
# Why does the belief shrink, although no example contradicts a large rectangle? Because
# the examples are drawn from the concept ([CL-1](../math/concepts.md)). A rectangle
# with sides $s_1$ and $s_2$ gives each of $n$ examples the density $1/(s_1 s_2)$:
#
# $$p(D \mid h) = (s_1 s_2)^{-n} \text{ if } h \text{ holds all of } D,
# \text{ else } 0$$
#
# If the rectangle were twice as long, it would be a coincidence that all examples lie
# in one half of it. Each further example doubles the strength of that coincidence.

# %%
for n in (1, 3, 12):
    print(f"twice as long, after {n:>2}: likelihood divided by {2**n:,}")

# %% [markdown]
# So every positive example is also evidence about what is *not* in the concept. Weak
# sampling loses this. With `sampling="weak"`, people come from anywhere and merely turn
# out to be healthy, so a large rectangle is at no disadvantage. Only a prior on the
# lengths of its sides bounds it:

# %%
someone = [[215, 12]]
for sampling in ("strong", "weak"):
    belief = sf.Rectangles(expected_size=[30, 5], sampling=sampling)
    shares = [belief.observe(healthy[:n]).membership(someone)[0] for n in (3, 8, 9, 12)]
    print(f"{sampling:>6}:", "  ".join(f"{p:.3f}" for p in shares))

# %% [markdown]
# Under weak sampling, examples count only if they enlarge the smallest rectangle: from
# the third person to the eighth, nothing changes, and the ninth, with 207, makes 215
# more probable. Under strong sampling the ninth does so, too (.080 to .109), while each
# of the others makes it less probable.
#
# ## Averaging over all rectangles
#
# Without an expected size, each side $s$ has the scale-free prior $1/s$. The integral
# over all rectangles then has a closed form ([CL-6](../math/concepts.md)). Let the
# examples span $r_j$ in feature $j$, and let a person lie $d_j$ beyond them, with
# $d_j = 0$ inside:
#
# $$p(\text{healthy} \mid D) = \prod_j \left(1 + \frac{d_j}{r_j}\right)^{-(n-1)}$$
#
# The formula needs only the spans and the number of examples. To see what it averages,
# draw rectangles from the posterior. The examples span a Beta(n − 1, 2) share of each
# side, and the rest is divided between the two ends uniformly.

# %%
rng = np.random.default_rng(0)


def rectangles(belief: sf.Rectangles, size: int) -> np.ndarray:
    """Return rectangles drawn from the posterior: size × features × (low, high)."""
    low, high = belief.tightest_.T
    side = (high - low) / rng.beta(belief.n_ - 1, 2, (size, 2))
    left = low - rng.random((size, 2)) * (side - (high - low))
    return np.stack([left, left + side], axis=2)


def share(drawn: np.ndarray, person: list[int]) -> float:
    """Return the share of rectangles that hold a person."""
    inside = (drawn[..., 0] <= person) & (person <= drawn[..., 1])
    return float(np.mean(inside.all(axis=1)))


many = rectangles(three, 100_000)
for person in ([195, 12], [215, 12], [215, 16]):
    print(
        f"{person}: {share(many, person):.3f} of the rectangles drawn,",
        f"{three.membership([person])[0]:.3f} by the formula",
    )

# %% drawing
panels = []
for n in (3, 12):
    belief = sf.Rectangles().observe(healthy[:n])
    lines = [
        {"x": a, "x2": b, "y": c, "y2": d}
        for (a, b), (c, d) in rectangles(belief, 30).tolist()
    ]
    x = alt.X("x:Q", title="cholesterol").scale(domain=[140, 250], nice=False)
    y = alt.Y("y:Q", title="insulin").scale(domain=[2, 22], nice=False)
    drawn = alt.Chart(pl.DataFrame(lines)).mark_rect(
        filled=False, stroke="#0072b2", strokeOpacity=0.5, clip=True
    )
    dots = alt.Chart(healthy[:n]).mark_circle(color="#d55e00", size=42, opacity=1)
    panels.append(
        alt.layer(
            drawn.encode(x=x, x2="x2", y=y, y2="y2"),
            dots.encode(x="cholesterol:Q", y="insulin:Q"),
        ).properties(width=280, height=280, title=f"after {n} examples")
    )
alt.hconcat(*panels, spacing=26)

# %% [markdown]
# **How to read it.** Thirty rectangles drawn from the belief. Each holds all the
# examples, and each could be the true concept. The probability that a person is healthy
# is the share of rectangles that contain them. After twelve examples, nearly all
# rectangles agree.
#
# ## The smallest rectangle, or all of them
#
# By the size principle, the most likely rectangle is the smallest, `tightest_`. It is
# the maximum-likelihood estimate, and it is always too small, because no example lies
# exactly on the edge of the concept. The next healthy person falls between the lowest
# and the highest of $n$ values with probability $(n-1)/(n+1)$. In two features, after
# three examples, the smallest rectangle calls three in four healthy people ill.

# %%
inside = {n: ((n - 1) / (n + 1)) ** 2 for n in (3, 12, 50)}
for n, within in inside.items():
    print(f"after {n:>2}: {1 - within:.0%} of the healthy lie outside the smallest one")
print("15 beyond, smallest:", three.membership([[220, 12]], plug_in=True)[0])
print("15 beyond, averaged:", three.membership([[220, 12]])[0].round(3))

# %% [markdown]
# Averaging also makes the opposite error: it calls some ill people healthy. Which
# method makes more errors? Take a concept with known edges, draw examples from it, and
# let both methods classify every point in and around it.

# %%
axis = np.arange(-1, 2, 0.02) + 0.01
around = np.stack(np.meshgrid(axis, axis), axis=-1).reshape(-1, 2)
truth = ((around > 0) & (around < 1)).all(axis=1)
results = []
for n in (3, 5, 8, 12, 20, 50):
    wrong: dict[str, list[float]] = {"smallest": [], "averaged": []}
    for _ in range(200):
        belief = sf.Rectangles().observe(rng.random((n, 2)))
        smallest = belief.membership(around, plug_in=True) > 0.5
        averaged = belief.membership(around) > 0.5
        wrong["smallest"].append((smallest != truth).sum() / truth.sum())
        wrong["averaged"].append((averaged != truth).sum() / truth.sum())
    means = {name: float(np.mean(each)) for name, each in wrong.items()}
    print(f"{n:>2}: {means['smallest']:.2f} smallest, {means['averaged']:.2f} averaged")
    results += [
        {"n": n, "wrong": wrongly, "rectangle": name} for name, wrongly in means.items()
    ]

# %% drawing
alt.Chart(pl.DataFrame(results)).mark_line(point=True, strokeWidth=2.5).encode(
    x=alt.X("n:Q", title="examples")
    .scale(type="log", domain=[2.5, 60], nice=False)
    .axis(values=[3, 5, 8, 12, 20, 50]),
    y=alt.Y("wrong:Q", title="errors, as a share of the concept").axis(format="%"),
    color=alt.Color("rectangle:N", title=None).scale(
        domain=["smallest", "averaged"], range=["#80858f", "#0072b2"]
    ),
).properties(width=460, height=240)

# %% [markdown]
# **How to read it.** Grey is the smallest rectangle; blue is the region where healthy
# is more probable than not. Averaging makes fewer errors throughout. With many examples
# both find the edges.
#
# A threshold of one half is right only if both kinds of error cost the same. Whom to
# test again is a
# [decision](../decide.md#a-spam-filter-that-must-not-lose-good-mail), and a decision
# needs a probability. The smallest rectangle offers only 0 and 1.
#
# [The number game](number_game.py) learns in the same way, with a list of rules instead
# of rectangles.
