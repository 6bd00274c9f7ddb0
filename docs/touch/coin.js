// A coin: a Beta prior, tosses, and the posterior, which is an addition (BB-1).
"use strict";

Touch.coin = {};

Touch.coin.posterior = ({ a, b, heads, tails }) => ({ a: a + heads, b: b + tails }); // BB-1

Touch.coin.mean = ({ a, b }) => a / (a + b); // BB-2

Touch.coin.logBeta = ({ a, b }) => Touch.logGamma(a) + Touch.logGamma(b) - Touch.logGamma(a + b);

/** Return the density of Beta(a, b) at x, which lies between 0 and 1. */
Touch.coin.density = (belief, x) =>
  Math.exp((belief.a - 1) * Math.log(x) + (belief.b - 1) * Math.log1p(-x) - Touch.coin.logBeta(belief));

/**
 * Return the probability below x: the regularised incomplete beta function, by its continued fraction
 *
 *   x^a (1 − x)^b / (a B(a, b)) · 1 / (1 + d₁ / (1 + d₂ / (1 + …)))
 *
 * which converges fast to the left of the mean; to the right, the tails change places.
 */
Touch.coin.below = (belief, x) => {
  const { a, b } = belief;
  if (x <= 0 || x >= 1) return x <= 0 ? 0 : 1;
  if (x > (a + 1) / (a + b + 2)) return 1 - Touch.coin.below({ a: b, b: a }, 1 - x);
  let fraction = 1;
  for (let m = 100; m >= 0; m -= 1) {
    const even = ((m + 1) * (b - m - 1) * x) / ((a + 2 * m + 1) * (a + 2 * m + 2));
    const odd = (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1));
    fraction = 1 + odd / (1 + even / fraction);
  }
  return Math.exp(a * Math.log(x) + b * Math.log1p(-x) - Touch.coin.logBeta(belief)) / (a * fraction);
};

/** Return the x that has a given probability below it, by halving. */
Touch.coin.quantile = (belief, probability) => {
  let [low, high] = [0, 1];
  for (let step = 0; step < 60; step += 1) {
    const middle = (low + high) / 2;
    if (Touch.coin.below(belief, middle) < probability) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
};

/** Return the interval that leaves the same probability on both sides. */
Touch.coin.interval = (belief, level = 0.95) =>
  [(1 - level) / 2, (1 + level) / 2].map((side) => Touch.coin.quantile(belief, side));

// ---- the widget

Touch.coin.CURVES = {
  prior: { stroke: Touch.COLOURS[5], "stroke-dasharray": "6 4" },
  likelihood: { stroke: Touch.COLOURS[1], "stroke-dasharray": "2 3" },
  posterior: { stroke: Touch.COLOURS[0] },
};
Touch.coin.SLIDERS = {
  a: ["prior, heads (a)", { min: 0.5, max: 30, step: 0.5 }],
  b: ["prior, tails (b)", { min: 0.5, max: 30, step: 0.5 }],
  heads: ["heads seen", { min: 0, max: 50, step: 1 }],
  tails: ["tails seen", { min: 0, max: 50, step: 1 }],
};

Touch.coin.tosses = (n) => `${n} ${n === 1 ? "toss" : "tosses"}`;

Touch.coin.words = (state) => {
  const belief = Touch.coin.posterior(state);
  const [low, high] = Touch.coin.interval(belief).map((end) => end.toFixed(3));
  return (
    `The posterior is Beta(${belief.a}, ${belief.b}): its mean is ${Touch.coin.mean(belief).toFixed(4)}, ` +
    `and 95 % lie from ${low} to ${high}. The prior weighs as much as ${Touch.coin.tosses(state.a + state.b)}; ` +
    `the data are ${Touch.coin.tosses(state.heads + state.tails)}.`
  );
};

Touch.coin.draw = (state, width) => {
  const belief = Touch.coin.posterior(state);
  const beliefs = { prior: state, likelihood: { a: state.heads + 1, b: state.tails + 1 }, posterior: belief };
  const places = Array.from({ length: 399 }, (_, k) => (k + 1) / 400);
  const curves = Object.entries(beliefs).map(([name, one]) => [name, places.map((x) => Touch.coin.density(one, x))]);
  const inner = curves.map(([, heights]) => Math.max(...heights.slice(20, -20)));
  const top = 1.12 * Math.min(4 * Math.max(...inner), Math.max(...curves.flatMap(([, heights]) => heights)));
  const label = `Density of prior, likelihood and posterior. ${Touch.coin.words(state)}`;
  const on = Touch.axes({ width, height: 300, x: [0, 1], y: [0, top], across: "probability of heads", up: "density", label });
  const [low, high] = Touch.coin.interval(belief);
  const inside = [low, ...places.filter((x) => x > low && x < high), high];
  const cut = (x, density) => [on.x(x), on.y(Math.min(density, top))]; // where a = 1/2 the curve has no top
  const outline = inside.map((x) => cut(x, Touch.coin.density(belief, x)));
  const area = [[on.x(low), on.bottom], ...outline, [on.x(high), on.bottom]];
  on.svg.append(Touch.line(area, { fill: Touch.COLOURS[0], "fill-opacity": 0.18 }));
  for (const [name, heights] of curves) {
    const points = heights.map((height, k) => cut(places[k], height));
    on.svg.append(Touch.line(points, { class: "touch-curve", ...Touch.coin.CURVES[name] }));
  }
  const mean = on.x(Touch.coin.mean(belief));
  on.svg.append(Touch.shape("line", { class: "touch-mark", x1: mean, x2: mean, y1: on.top, y2: on.bottom }));
  const right = mean > width / 2;
  on.svg.append(Touch.text("mean", mean + (right ? -5 : 5), on.top + 11, right ? "end" : "start"));
  return on.svg;
};

Touch.add("coin", (div) => {
  const [a, b, heads, tails] = div.dataset.start.split(" ").map(Number);
  const state = { a, b, heads, tails };
  const [picture, said] = [Touch.make("div", { class: "touch-picture" }), Touch.said()];
  const redraw = (width = Touch.room(div)) => {
    picture.replaceChildren(Touch.coin.draw(state, Math.min(width, 560)));
    said.textContent = Touch.coin.words(state);
  };
  const sliders = Object.entries(Touch.coin.SLIDERS).map(([name, [label, range]]) =>
    Touch.slider(label, { ...range, value: state[name] }, (value) => {
      state[name] = value;
      redraw();
    }),
  );
  const key = Touch.key(Touch.coin.CURVES);
  div.append(Touch.make("div", { class: "touch-sliders" }, ...sliders), picture, key, said);
  return redraw;
});
