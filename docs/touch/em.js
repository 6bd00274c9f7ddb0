// EM, step by step: a mixture of normals in the plane. Rows are shared out, then counted again in shares (EM-1).
//
// The page brings rows of two numbers, and maybe labels: 0, 1, … or null where the class is not known. Rows with a label keep it.
// It may also bring means, from which the first start begins.
"use strict";

Touch.em = {};

Touch.em.logNormal = ([x, y], { mean, covariance: [[xx, xy], [, yy]] }) => {
  const determinant = xx * yy - xy * xy;
  const [dx, dy] = [x - mean[0], y - mean[1]];
  const distance = (yy * dx * dx - 2 * xy * dx * dy + xx * dy * dy) / determinant;
  return -Math.log(2 * Math.PI) - 0.5 * (Math.log(determinant) + distance);
};

/** Share rows out: Q(c) = p(c | x) for each row, or one where it has a label; and the log-likelihood of all rows. */
Touch.em.share = ({ rows, labels }, classes) => {
  let logLikelihood = 0;
  const shares = rows.map((row, at) => {
    const joint = classes.map((one) => Math.log(one.weight) + Touch.em.logNormal(row, one));
    const label = labels?.[at] ?? null;
    if (label !== null) {
      logLikelihood += joint[label]; // EM-1
      return classes.map((_, c) => Number(c === label));
    }
    const top = Math.max(...joint);
    const all = top + Math.log(Touch.sum(joint.map((log) => Math.exp(log - top))));
    logLikelihood += all; // EM-1
    return joint.map((log) => Math.exp(log - all));
  });
  return { shares, logLikelihood };
};

/** Count again: weight, mean and covariance of each class, by maximum likelihood from rows in shares. */
Touch.em.count = ({ rows, floor = [0, 0] }, shares, before) =>
  before.map((old, c) => {
    const q = shares.map((row) => row[c]);
    const n = Touch.sum(q);
    if (n < 1e-9) return { ...old, weight: 1e-12 };
    const average = (f) => Touch.sum(rows.map((row, at) => q[at] * f(row))) / n;
    const mean = [average(([x]) => x), average(([, y]) => y)];
    const xy = average(([x, y]) => (x - mean[0]) * (y - mean[1]));
    const [xx, yy] = [0, 1].map((k) => average((row) => (row[k] - mean[k]) ** 2) + floor[k]);
    return { weight: n / rows.length, mean, covariance: [[xx, xy], [xy, yy]] };
  });

/** EM stops after a round in which the log-likelihood of a row rises by less than this, in nats. */
Touch.em.SLIGHT = 1e-5;

/** Return the state of each round: classes, the shares they give to rows, and the log-likelihood. */
Touch.em.rounds = (data, classes, most = 60) => {
  const found = [{ classes, ...Touch.em.share(data, classes) }];
  while (found.length <= most) {
    const last = found.at(-1);
    const next = Touch.em.count(data, last.shares, last.classes);
    found.push({ classes: next, ...Touch.em.share(data, next) });
    if (found.at(-1).logLikelihood - last.logLikelihood < Touch.em.SLIGHT * data.rows.length) {
      found.at(-1).settled = true;
      break;
    }
  }
  return found;
};

/** Return classes to begin with: all as wide as the data, about the rows with a label, the means given, or rows that are drawn. */
Touch.em.start = (data, number, seed) => {
  const { rows, labels, means } = data;
  const [whole] = Touch.em.count(data, rows.map(() => [1]), [{}]);
  const random = Touch.random(seed);
  const labelled = (c) => rows.filter((_, at) => labels?.[at] === c);
  return Array.from({ length: number }, (_, c) => {
    const mine = labelled(c);
    const about = mine.length ? mine : [means?.[c] ?? rows[Math.floor(random() * rows.length)]];
    const mean = [0, 1].map((k) => Touch.sum(about.map((row) => row[k])) / about.length);
    return { weight: 1 / number, mean, covariance: whole.covariance };
  });
};

/** Return what keeps a variance from shrinking to nothing: a millionth of that of all rows. */
Touch.em.floor = (rows) => Touch.em.count({ rows }, rows.map(() => [1]), [{}])[0].covariance.map((line, k) => 1e-6 * line[k]);

// ---- the widget

Touch.em.mixed = (shares) => {
  const channel = (colour, k) => parseInt(colour.slice(1 + 2 * k, 3 + 2 * k), 16);
  const mix = [0, 1, 2].map((k) => Touch.sum(shares.map((share, c) => share * channel(Touch.COLOURS[c], k))));
  return `rgb(${mix.map(Math.round).join(" ")})`;
};

/** Return points of the ellipse that lies some standard deviations from the mean. */
Touch.em.ellipse = ({ mean, covariance: [[xx, xy], [, yy]] }, deviations) => {
  const [l11, l21] = [Math.sqrt(xx), xy / Math.sqrt(xx)];
  const l22 = Math.sqrt(yy - l21 * l21);
  return Array.from({ length: 73 }, (_, k) => {
    const [u, v] = [deviations * Math.cos((k * Math.PI) / 36), deviations * Math.sin((k * Math.PI) / 36)];
    return [mean[0] + l11 * u, mean[1] + l21 * u + l22 * v];
  });
};

Touch.em.reach = (values) => {
  const [low, high] = [Math.min(...values), Math.max(...values)];
  return [low - 0.08 * (high - low), high + 0.08 * (high - low)];
};

Touch.em.plane = (data, round, width, label) => {
  const [x, y] = [0, 1].map((k) => Touch.em.reach(data.rows.map((row) => row[k])));
  const [across, up] = data.names ?? ["first column", "second column"];
  const on = Touch.axes({ width, height: Math.min(360, 0.8 * width), x, y, across, up, label });
  const id = `touch-em-${Math.random().toString(36).slice(2)}`;
  const frame = { x: on.left, y: on.top, width: on.right - on.left, height: on.bottom - on.top };
  const inner = Touch.shape("g", { "clip-path": `url(#${id})` });
  on.svg.append(Touch.shape("clipPath", { id }, Touch.shape("rect", frame)), inner);
  round.classes.forEach((one, c) => {
    const look = { class: "touch-curve", stroke: Touch.COLOURS[c] };
    for (const deviations of [1, 2])
      inner.append(Touch.line(Touch.em.ellipse(one, deviations).map(([a, b]) => [on.x(a), on.y(b)]), look));
  });
  data.rows.forEach((row, at) => {
    const known = (data.labels?.[at] ?? null) !== null;
    const place = { cx: on.x(row[0]), cy: on.y(row[1]), r: known ? 5.5 : 3.5, fill: Touch.em.mixed(round.shares[at]) };
    inner.append(Touch.shape("circle", { ...place, class: known ? "touch-known" : "touch-dot" }));
  });
  return on.svg;
};

Touch.em.curve = (rounds, at, width) => {
  const values = rounds.map((round) => round.logLikelihood);
  const label = "Log-likelihood round by round; it never falls.";
  const x = [0, Math.max(1, rounds.length - 1)];
  const on = Touch.axes({ width, height: 150, x, y: Touch.em.reach(values), across: "round", up: "log-likelihood", label });
  on.svg.append(Touch.line(values.map((value, k) => [on.x(k), on.y(value)]), { class: "touch-curve", stroke: Touch.GREY }));
  on.svg.append(Touch.shape("circle", { cx: on.x(at), cy: on.y(values[at]), r: 5, fill: Touch.COLOURS[1] }));
  return on.svg;
};

Touch.em.words = (rounds, at) => {
  const { classes, logLikelihood, settled } = rounds[at];
  const gain = at ? `, ${Touch.told(logLikelihood - rounds[at - 1].logLikelihood)} more than before` : "";
  const weights = classes.map((one) => one.weight.toFixed(2)).join(", ");
  const end = settled ? ` EM has converged: this round gained less than ${Touch.em.SLIGHT.toFixed(5)} per row.` : "";
  return `Round ${at}: log-likelihood ${logLikelihood.toFixed(2).replace("-", "−")}${gain}. Shares of the classes: ${weights}.${end}`;
};

Touch.add("em", (div, given) => {
  const data = Array.isArray(given) ? { rows: given } : given;
  data.floor = Touch.em.floor(data.rows);
  const number = Number(div.dataset.classes ?? 2);
  let [seed, at] = [Number(div.dataset.seed ?? 1), 0];
  let rounds = Touch.em.rounds(data, Touch.em.start(data, number, seed));
  const [picture, said] = [Touch.make("div", { class: "touch-picture" }), Touch.said()];
  const redraw = (width = Touch.room(div)) => {
    const wide = Math.min(width, 560);
    said.textContent = Touch.em.words(rounds, at);
    picture.replaceChildren(Touch.em.plane(data, rounds[at], wide, said.textContent), Touch.em.curve(rounds, at, wide));
    slider.set(at, rounds.length - 1);
  };
  const go = (to) => {
    at = Math.min(Math.max(to, 0), rounds.length - 1);
    redraw();
  };
  const slider = Touch.slider("round", { min: 0, max: rounds.length - 1, step: 1, value: 0 }, go);
  const again = () => {
    rounds = Touch.em.rounds(data, Touch.em.start({ ...data, means: undefined }, number, (seed += 1)));
    go(0);
  };
  const buttons = [Touch.button("step", () => go(at + 1)), Touch.button("back", () => go(at - 1))];
  if (!data.labels) buttons.push(Touch.button("another start", again));
  const controls = Touch.make("div", { class: "touch-buttons" }, ...buttons, slider);
  div.append(controls, picture, said);
  return redraw;
});
