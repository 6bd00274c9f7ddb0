"use strict";
(() => {
  // The threshold of a class, its figures and its pictures, drawn as sketches.py draws them.
  const place = document.getElementById("thresholds");
  if (!place) return;
  const { grid, classes } = JSON.parse(place.textContent);
  const at = (id) => document.getElementById(id);
  const round = (value) => Math.floor(10 * value + 0.5) / 10;
  const percent = (share) => {
    if (Number.isNaN(share)) return "–";
    if (share > 0 && share < 0.0005) return "< 0.1\u202f%";
    if (share < 1 && share > 0.9995) return "> 99.9\u202f%";
    return `${(100 * share).toFixed(1)}\u202f%`;
  };
  const path = (points) => "M" + points.map(([x, y]) => `${round(x)},${round(y)}`).join("L");
  // A cost that is no number from 0 on is marked; the last valid one counts, and comes back when the field is left.
  const valid = { "t-fp": at("t-fp").defaultValue, "t-fn": at("t-fn").defaultValue };
  const cost = (id) => {
    const { value } = at(id), good = value !== "" && Number(value) >= 0 && Number.isFinite(Number(value));
    if (good) valid[id] = value;
    at(id).setAttribute("aria-invalid", String(!good));
    return Number(valid[id]);
  };
  const nearest = (t) => grid.reduce((best, one, i) => (Math.abs(one - t) < Math.abs(grid[best] - t) ? i : best), 0);

  const bars = (one) => {
    const steps = Array.from({ length: 19 }, (_, k) => nearest((k + 1) / 20));
    const found = [one.rows, ...steps.map((i) => one.found[i]), 0];
    const rest = [one.others, ...steps.map((i) => one.flagged[i] - one.found[i]), 0];
    const shares = (counts, all) => counts.slice(1).map((n, k) => (counts[k] - n) / all);
    const up = shares(found, one.rows), down = shares(rest, one.others), most = Math.max(...up, ...down);
    const own = document.querySelectorAll("#t-bars .own"), other = document.querySelectorAll("#t-bars .rest");
    up.forEach((share, k) => {
      const height = round(50 * share / most);
      own[k].setAttribute("height", height);
      own[k].setAttribute("y", (62 - height).toFixed(1));
      own[k].style.fill = `var(--k${one.code})`;
      other[k].setAttribute("height", round(50 * down[k] / most));
    });
  };

  const named = (place) => {
    const one = classes[place], name = document.querySelector("#t-name .class");
    name.style.setProperty("--c", `var(--k${one.code})`);
    name.firstElementChild.textContent = one.class;
    at("t-ranking").setAttribute("aria-label",
      `Precision against recall of ${one.class}; average precision ${one.average_precision}`);
    at("t-spread").setAttribute("aria-label",
      `Predicted probability of ${one.class}, for rows of the class and for others, and the cost by threshold`);
    const others = at("t-others"), blocks = [...document.querySelectorAll("#threshold [data-place]")];
    if (!others) return;
    blocks.sort((a, b) => a.dataset.place - b.dataset.place);
    for (const block of blocks) (Number(block.dataset.place) === place ? at("t-own") : others).append(block);
  };

  const show = () => {
    const one = classes[at("t-class").selectedIndex], i = Number(at("t-at").value), t = grid[i];
    const all = one.rows + one.others, fp = cost("t-fp"), fn = cost("t-fn");
    const flagged = one.flagged[i], found = one.found[i];
    const costs = grid.map((_, k) => (fp * (one.flagged[k] - one.found[k]) + fn * (one.rows - one.found[k])) / all);
    const most = Math.max(...costs) || 1;
    at("t-shown").textContent = t;
    at("t-at").setAttribute("aria-valuetext", t);
    at("t-precision").textContent = percent(flagged ? found / flagged : NaN);
    at("t-recall").textContent = percent(found / one.rows);
    at("t-flagged").textContent = percent(flagged / all);
    at("t-cost").textContent = String(Number(costs[i].toPrecision(4)));
    at("t-bayes").textContent = fp + fn > 0 ? grid[nearest(fp / (fp + fn))] : "0.5";
    const some = grid.map((_, k) => k).filter((k) => one.flagged[k] > 0);
    at("t-curve").setAttribute("d", path(some.map((k) =>
      [44 + 300 * (one.found[k] / one.rows), 12 + 200 * (1 - one.found[k] / one.flagged[k])])));
    at("t-base").setAttribute("d", `M44,${round(12 + 200 * (1 - one.rows / all))}H344`);
    at("t-dot").setAttribute("cx", round(44 + 300 * (found / one.rows)));
    at("t-dot").setAttribute("cy", flagged ? round(12 + 200 * (1 - found / flagged)) : -99);
    at("t-costs").setAttribute("d", path(costs.map((c, k) => [44 + 300 * grid[k], 140 + 72 * (1 - c / most)])));
    at("t-rule").setAttribute("d", `M${round(44 + 300 * t)},8V212`);
    bars(one);
  };

  for (const id of ["t-class", "t-at", "t-fp", "t-fn"]) at(id).addEventListener("input", show);
  at("t-class").addEventListener("input", () => named(at("t-class").selectedIndex));
  for (const id of ["t-fp", "t-fn"]) at(id).addEventListener("change", () => {
    cost(id);
    at(id).value = valid[id];
    show();
  });
  at("t-best").addEventListener("click", () => {
    at("t-at").value = nearest(Number(at("t-bayes").textContent));
    show();
  });
  document.querySelector(".controls").addEventListener("submit", (event) => event.preventDefault());
  named(at("t-class").selectedIndex);
  show();
})();
