// A spinner of three colours: the density of a Dirichlet belief on the triangle, and draws from it.
"use strict";

Touch.die = {};

Touch.die.logDensity = (alpha, p) =>
  Touch.logGamma(Touch.sum(alpha)) +
  Touch.sum(alpha.map((one, k) => (one - 1) * Math.log(p[k]) - Touch.logGamma(one)));

/** Return the mean, which is also how probable each colour is next. */
Touch.die.mean = (alpha) => alpha.map((one) => one / Touch.sum(alpha)); // DM-2, DM-4

/** Return the logarithm of a draw from Gamma(shape), by rejection (Marsaglia and Tsang 2000). */
Touch.die.logGammaDraw = (shape, random) => {
  if (shape < 1) return Touch.die.logGammaDraw(shape + 1, random) + Math.log(1 - random()) / shape;
  const d = shape - 1 / 3;
  for (;;) {
    const normal = Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
    const v = (1 + normal / Math.sqrt(9 * d)) ** 3;
    if (v > 0 && Math.log(1 - random()) < normal ** 2 / 2 + d * (1 - v + Math.log(v))) return Math.log(d * v);
  }
};

/** Return a spinner drawn from the belief: gamma draws over their sum. A seed keeps its spinner near while α changes. */
Touch.die.sample = (alpha, seed) => {
  const logs = alpha.map((one, k) => Touch.die.logGammaDraw(one, Touch.random(3 * seed + k)));
  const top = Math.max(...logs);
  const parts = logs.map((log) => Math.exp(log - top));
  return parts.map((part) => part / Touch.sum(parts));
};

/** Return the cells of the triangle, standing and hanging: the probabilities of corners and of the middle. */
Touch.die.cells = (side) => {
  const cells = [];
  const probabilities = (i, j) => [1 - (i + j) / side, i / side, j / side];
  for (let i = 0; i < side; i += 1) {
    for (let j = 0; i + j < side; j += 1) {
      cells.push({ corners: [[i, j], [i + 1, j], [i, j + 1]], middle: [i + 1 / 3, j + 1 / 3] });
      if (i + j < side - 1) cells.push({ corners: [[i + 1, j], [i + 1, j + 1], [i, j + 1]], middle: [i + 2 / 3, j + 2 / 3] });
    }
  }
  return cells.map(({ corners, middle }) => ({
    corners: corners.map((corner) => probabilities(...corner)),
    middle: probabilities(...middle),
  }));
};

/** Return what the brightest colour stands for: where an α is below 1 the density has no top. */
Touch.die.brightest = (alpha, heights) => {
  const order = [...heights].sort((one, other) => one - other);
  return alpha.some((one) => one < 1) ? order[Math.floor(0.995 * (order.length - 1))] : order.at(-1);
};

// ---- the widget

Touch.die.VIRIDIS = [[68, 1, 84], [59, 82, 139], [33, 145, 140], [94, 201, 98], [253, 231, 37]];
Touch.die.CELLS = Touch.die.cells(40);
Touch.die.DRAWS = 200;

Touch.die.colour = (share) => {
  const at = Math.min(1, Math.max(0, share)) * (Touch.die.VIRIDIS.length - 1);
  const low = Math.min(Math.floor(at), Touch.die.VIRIDIS.length - 2);
  const mix = Touch.die.VIRIDIS[low].map((from, k) => Math.round(from + (at - low) * (Touch.die.VIRIDIS[low + 1][k] - from)));
  return `rgb(${mix.join(" ")})`;
};

Touch.die.words = (alpha, names) => {
  const next = Touch.die.mean(alpha).map((mean, k) => `${names[k]} ${mean.toFixed(3)}`);
  return `Dirichlet(${alpha.map((one) => Touch.told(one)).join(", ")}). Next: ${next.join(", ")}.`;
};

Touch.die.draw = (alpha, names, width) => {
  const [size, room] = [Math.min(width - 44, 380), 24];
  const tall = (size * Math.sqrt(3)) / 2;
  const left = (width - size) / 2;
  const place = ([, second, third]) => [left + size * (second + third / 2), room + tall * (1 - third)];
  const label = `Density over all spinners. ${Touch.die.words(alpha, names)}`;
  const svg = Touch.shape("svg", { width, height: tall + 2 * room, viewBox: `0 0 ${width} ${tall + 2 * room}`, role: "img", "aria-label": label });
  const heights = Touch.die.CELLS.map(({ middle }) => Math.exp(Touch.die.logDensity(alpha, middle)));
  const top = Touch.die.brightest(alpha, heights);
  Touch.die.CELLS.forEach(({ corners }, k) => {
    const fill = Touch.die.colour(heights[k] / top);
    svg.append(Touch.line([...corners, corners[0]].map(place), { fill, stroke: fill, "stroke-width": 0.8 }));
  });
  for (let seed = 0; seed < Touch.die.DRAWS; seed += 1) {
    const [cx, cy] = place(Touch.die.sample(alpha, seed));
    svg.append(Touch.shape("circle", { cx, cy, r: 2.2, class: "touch-draw" }));
  }
  const corners = [[1, 0, 0], [0, 1, 0], [0, 0, 1]].map(place);
  svg.append(Touch.text(names[0], corners[0][0], corners[0][1] + 17, "middle"));
  svg.append(Touch.text(names[1], corners[1][0], corners[1][1] + 17, "middle"));
  svg.append(Touch.text(names[2], corners[2][0], corners[2][1] - 9, "middle"));
  return svg;
};

Touch.add("die", (div) => {
  const words = div.dataset.start.split(" "); // red 6 green 3 blue 2
  const [names, alpha] = [words.filter((_, k) => k % 2 === 0), words.filter((_, k) => k % 2).map(Number)];
  const [picture, said] = [Touch.make("div", { class: "touch-picture" }), Touch.said()];
  const redraw = (width = Touch.room(div)) => {
    picture.replaceChildren(Touch.die.draw(alpha, names, Math.min(width, 480)));
    said.textContent = Touch.die.words(alpha, names);
  };
  const sliders = names.map((name, k) =>
    Touch.slider(`α of ${name}`, { min: 0.1, max: 20, step: 0.1, value: alpha[k] }, (value) => {
      alpha[k] = value;
      redraw();
    }),
  );
  div.append(Touch.make("div", { class: "touch-sliders" }, ...sliders), picture, said);
  return redraw;
});
