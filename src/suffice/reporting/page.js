"use strict";
(() => {
  document.documentElement.classList.remove("no-js");
  const parsed = (id) => JSON.parse(document.getElementById(id).textContent);
  const config = parsed("config");
  const views = {};

  const draw = async (place) => {
    const options = { mode: "vega-lite", renderer: "svg", ast: true, actions: false, config,
      logLevel: 1, tooltip: { theme: "page" } };
    const made = await vegaEmbed(place, parsed(place.dataset.spec), options);
    views[place.id] = made.view;
  };

  // The posterior of one feature in two classes: a Beta or a Gamma, drawn where its mass is.
  const curve = (explorer, i) => {
    const rows = [];
    explorer.classes.forEach((name, c) => {
      const a = explorer.a[c][i], b = explorer.b[c][i], beta = explorer.family === "beta";
      const mean = beta ? a / (a + b) : a / b;
      const sd = beta ? Math.sqrt((a * b) / ((a + b) ** 2 * (a + b + 1))) : Math.sqrt(a) / b;
      const low = Math.max(mean - 4 * sd, mean * 1e-3), high = beta ? Math.min(mean + 5 * sd, 1 - 1e-9) : mean + 5 * sd;
      const log = (x) => (a - 1) * Math.log(x) + (beta ? (b - 1) * Math.log1p(-x) : -b * x);
      const xs = Array.from({ length: 90 }, (_, k) => low + ((high - low) * k) / 89);
      const logs = xs.map(log), top = Math.max(...logs);
      const heights = logs.map((l) => Math.exp(l - top));
      xs.forEach((x, k) => rows.push({ class: name, x, density: heights[k] }));
    });
    return rows;
  };

  const explore = () => {
    const box = document.getElementById("feature");
    if (!box) return;
    const explorer = parsed("explorer");
    const show = () => {
      const view = views["posterior"];
      view.data("curve", curve(explorer, box.selectedIndex)).runAsync();
    };
    box.addEventListener("change", show);
    for (const id of ["spikes-0", "spikes-1"]) {
      views[id].addEventListener("pointermove", (event, item) => {
        const place = item && item.datum && item.datum.place;
        if (place === undefined || place === box.selectedIndex) return;
        box.selectedIndex = place;
        show();
      });
    }
    show();
  };

  // The contents: the section in view is marked, and the menu of a narrow page closes when it has been used.
  const contents = () => {
    const links = [...document.querySelectorAll("nav a")], menu = document.getElementById("menu");
    const sections = [...document.querySelectorAll("main > section")];
    const mark = () => {
      const end = window.innerHeight + window.scrollY >= document.documentElement.scrollHeight - 2;
      const passed = sections.filter((one) => one.getBoundingClientRect().top < 0.3 * window.innerHeight);
      const now = (end ? sections : passed.length ? passed : sections.slice(0, 1)).at(-1);
      for (const one of links) {
        if (one.hash === `#${now.id}`) one.setAttribute("aria-current", "true");
        else one.removeAttribute("aria-current");
      }
    };
    menu.addEventListener("click", (event) => { if (event.target.closest("a")) menu.open = false; });
    document.addEventListener("keydown", (event) => { if (event.key === "Escape") menu.open = false; });
    document.addEventListener("click", (event) => { if (!menu.contains(event.target)) menu.open = false; });
    document.addEventListener("scroll", mark, { passive: true });
    mark();
  };
  contents();

  const resized = () => window.dispatchEvent(new Event("resize"));
  document.querySelectorAll("details").forEach((one) => one.addEventListener("toggle", resized));
  window.addEventListener("beforeprint", () => {
    document.querySelectorAll("main details").forEach((one) => { one.open = true; });
    resized();
  });
  Promise.all([...document.querySelectorAll("[data-spec]")].map(draw))
    .then(explore)
    .then(() => { document.documentElement.dataset.drawn = "yes"; });
})();
