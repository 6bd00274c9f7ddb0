// The number game: examples are chosen on a grid, and Bayes' rule goes over the rules of sf.NumberGame, which the page brings.
"use strict";

Touch.numberGame = {};

/** Return ln p(D | h): each example divides by the size of the rule, if the rule holds it. */
Touch.numberGame.logLikelihood = (rule, examples) =>
  examples.every((n) => rule.items.includes(n)) ? -examples.length * Math.log(rule.items.length) : -Infinity; // CL-1

/** Return a line per rule with its likelihood and posterior, in the order given. */
Touch.numberGame.observe = (rules, examples) => {
  const logs = rules.map((rule) => Math.log(rule.prior) + Touch.numberGame.logLikelihood(rule, examples));
  const top = Math.max(...logs);
  const evidence = top + Math.log(Touch.sum(logs.map((log) => Math.exp(log - top)))); // CL-2
  return rules.map((rule, at) => ({
    ...rule,
    likelihood: Math.exp(Touch.numberGame.logLikelihood(rule, examples)),
    posterior: Math.exp(logs[at] - evidence), // CL-2
  }));
};

/** Return the probability that a number follows the rule that is meant. */
Touch.numberGame.membership = (beliefs, n) =>
  Math.min(1, Touch.sum(beliefs.filter((rule) => rule.items.includes(n)).map((rule) => rule.posterior))); // CL-3

// ---- the widget

Touch.numberGame.SHOWN = 10;
Touch.numberGame.COLOURED = 6;
Touch.numberGame.COLUMNS = ["prior", "likelihood", "posterior"];

/** Return the most probable rules, each with its colour, and one line for all others. */
Touch.numberGame.ranked = (beliefs) => {
  const order = [...beliefs].sort((one, other) => other.posterior - one.posterior);
  const coloured = order.map((rule, rank) => ({
    ...rule,
    colour: rank < Touch.numberGame.COLOURED ? Touch.COLOURS[rank] : Touch.GREY,
  }));
  const rest = coloured.splice(Touch.numberGame.SHOWN);
  const total = (name) => Touch.sum(rest.map((rule) => rule[name]));
  const likeliest = Math.max(...rest.map((rule) => rule.likelihood)); // likelihoods do not add up
  const others = { name: `${rest.length} others`, prior: total("prior"), likelihood: likeliest, posterior: total("posterior") };
  return [coloured, { ...others, colour: Touch.GREY, items: [] }];
};

Touch.numberGame.table = (beliefs) => {
  const [shown, others] = Touch.numberGame.ranked(beliefs);
  const lines = [...shown, others];
  const head = ["rule", ...Touch.numberGame.COLUMNS].map((name) => Touch.make("th", { scope: "col" }, name));
  const table = Touch.make("table", { class: "touch-table" }, Touch.make("thead", {}, Touch.make("tr", {}, ...head)));
  const body = Touch.make("tbody");
  const most = Object.fromEntries(Touch.numberGame.COLUMNS.map((name) => [name, Math.max(...lines.map((line) => line[name]))]));
  for (const line of lines) {
    const cells = Touch.numberGame.COLUMNS.map((name) => {
      const bar = Touch.make("span", { class: "touch-bar" });
      bar.style.width = `${(92 * line[name]) / most[name]}%`;
      bar.style.background = line.colour;
      return Touch.make("td", {}, bar, Touch.make("span", { class: "touch-number" }, Touch.told(line[name], 2)));
    });
    body.append(Touch.make("tr", {}, Touch.make("th", { scope: "row" }, line.name), ...cells));
  }
  table.append(body);
  return table;
};

/** Return a column of colours, as high as each rule that holds the number is probable. */
Touch.numberGame.stack = (beliefs, n) => {
  const [shown] = Touch.numberGame.ranked(beliefs);
  const stops = [];
  let height = 0;
  const layer = (colour, more) => {
    stops.push(`${colour} ${100 * height}% ${100 * (height + more)}%`);
    height += more;
  };
  for (const rule of shown.slice(0, Touch.numberGame.COLOURED)) if (rule.items.includes(n)) layer(rule.colour, rule.posterior);
  layer(Touch.GREY, Touch.numberGame.membership(beliefs, n) - height);
  return `linear-gradient(to top, ${stops.join(", ")}, transparent ${100 * height}%)`;
};

/** Move among the numbers by arrow keys: one of them is a stop of the Tab key. */
Touch.numberGame.walk = (grid, event) => {
  const steps = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -10, ArrowDown: 10 };
  const cells = [...grid.children];
  const next = cells[cells.indexOf(event.target) + (steps[event.key] ?? NaN)];
  if (!next) return;
  event.preventDefault();
  cells.forEach((cell) => (cell.tabIndex = -1));
  next.tabIndex = 0;
  next.focus();
};

Touch.numberGame.words = (beliefs, examples) => {
  const [shown] = Touch.numberGame.ranked(beliefs);
  const best = shown.filter((rule) => rule.posterior > (1 - 1e-9) * shown[0].posterior);
  const after = examples.length ? `After ${examples.join(", ")}` : "Before any example";
  const names = best.map((rule) => `“${rule.name}”`).join(" and ");
  const p = best[0].posterior.toFixed(3);
  if (best.length === 1) return `${after}, the most probable rule is ${names}, with ${p}.`;
  return `${after}, the most probable rules are ${names}, with ${p} each.`;
};

Touch.add("number_game", (div, { numbers, rules }) => {
  const chosen = new Set(div.dataset.start.split(" ").map(Number));
  const [table, said] = [Touch.make("div"), Touch.said()];
  const grid = Touch.make("div", { class: "touch-numbers", role: "group", "aria-label": "Examples of the rule" });
  const redraw = () => {
    const beliefs = Touch.numberGame.observe(rules, [...chosen]);
    table.replaceChildren(Touch.numberGame.table(beliefs));
    said.textContent = Touch.numberGame.words(beliefs, [...chosen]);
    numbers.forEach((n, at) => {
      const cell = grid.children[at];
      cell.setAttribute("aria-pressed", chosen.has(n));
      cell.setAttribute("aria-label", `${n}, follows the rule with probability ${Touch.numberGame.membership(beliefs, n).toFixed(2)}`);
      cell.title = `${n}: ${Touch.numberGame.membership(beliefs, n).toFixed(3)}`;
      cell.firstChild.style.background = Touch.numberGame.stack(beliefs, n);
    });
  };
  const choose = (...examples) => {
    chosen.clear();
    examples.forEach((n) => chosen.add(n));
    redraw();
  };
  for (const n of numbers) {
    const stack = Touch.make("span", { class: "touch-stack", "aria-hidden": "true" });
    const cell = Touch.make("button", { type: "button", tabindex: chosen.has(n) ? 0 : -1 }, stack, String(n));
    cell.addEventListener("click", () => {
      if (!chosen.delete(n)) chosen.add(n);
      redraw();
    });
    grid.append(cell);
  }
  grid.addEventListener("keydown", (event) => Touch.numberGame.walk(grid, event));
  const presets = [[16], [16, 8, 2, 64], [60, 80, 10, 30], [81, 25, 4, 36]].map((examples) =>
    Touch.button(examples.join(", "), () => choose(...examples)),
  );
  const buttons = Touch.make("div", { class: "touch-buttons" }, ...presets, Touch.button("none", () => choose()));
  div.append(table, Touch.make("p", { class: "touch-hint" }, "Click numbers that follow the rule, or take:"), buttons, grid, said);
  return redraw;
});
