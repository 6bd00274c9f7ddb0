// What the widgets of the gallery share: starting, controls, axes, and the gamma function. Nothing is fetched.
//
// A page has <div class="touch" data-touch="coin"></div>; coin.js calls Touch.add("coin", draw), and draw fills the div.
// A picture right before the div shows the same without JavaScript and on paper; on screen the widget takes its place.
"use strict";

globalThis.Touch ??= {};

Touch.COLOURS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#8a6d3b", "#7a5aa6"];
Touch.GREY = "#80858f";

// ---- numbers

Touch.logGamma = (x) => {
  let shift = 0;
  for (; x < 12; x += 1) shift -= Math.log(x); // Γ(x) = Γ(x + 1) / x, up to where Stirling's series has all digits
  const r = 1 / (x * x);
  const series = (1 / 12 - r * (1 / 360 - r * (1 / 1260 - r * (1 / 1680 - r * (1 / 1188 - (r * 691) / 360360))))) / x;
  return shift + (x - 0.5) * Math.log(x) - x + 0.5 * Math.log(2 * Math.PI) + series;
};

Touch.sum = (values) => values.reduce((total, value) => total + value, 0);

/** Return a source of numbers from 0 to 1 that gives the same ones for the same seed. */
Touch.random = (seed) => () => {
  seed = (seed + 0x9e3779b9) | 0;
  let z = Math.imul(seed ^ (seed >>> 16), 0x21f0aaad);
  z = Math.imul(z ^ (z >>> 15), 0x735a2d97);
  return ((z ^ (z >>> 15)) >>> 0) / 2 ** 32;
};

/** Return a number as people read it: three digits that count, and a minus sign. */
Touch.told = (value, digits = 3) => {
  const text = value !== 0 && Math.abs(value) < 1e-4 ? value.toExponential(1) : String(Number(value.toPrecision(digits)));
  return text.replace("-", "−");
};

// ---- elements

/** Make an element with attributes and children; a child may be text. */
Touch.make = (tag, attributes = {}, ...children) => {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  node.append(...children);
  return node;
};

/** The same for a part of a drawing. */
Touch.shape = (tag, attributes = {}, ...children) => {
  const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  node.append(...children);
  return node;
};

/** Make a labelled slider; `changed` is called with its value. */
Touch.slider = (label, { min, max, step, value }, changed) => {
  const shown = Touch.make("output", {}, String(value));
  const input = Touch.make("input", { type: "range", min, max, step, value });
  input.addEventListener("input", () => {
    shown.textContent = String(Number(input.value));
    changed(Number(input.value));
  });
  const node = Touch.make("label", { class: "touch-slider" }, Touch.make("span", {}, label), input, shown);
  node.set = (to, most) => {
    if (most !== undefined) input.max = most;
    input.value = to;
    shown.textContent = String(to);
  };
  return node;
};

Touch.button = (label, pressed) => {
  const node = Touch.make("button", { type: "button", class: "touch-button" }, label);
  node.addEventListener("click", pressed);
  return node;
};

/** Say what is seen, also to those who hear the page. */
Touch.said = () => Touch.make("p", { class: "touch-said", role: "status", "aria-live": "polite" });

// ---- axes

/** Return about `most` round numbers from low to high. */
Touch.ticks = (low, high, most = 5) => {
  const rough = (high - low) / most;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((k) => k * power).find((k) => k >= rough * 0.999);
  const first = Math.ceil(low / step - 1e-9);
  const count = Math.floor(high / step + 1e-9) - first + 1;
  return Array.from({ length: Math.max(0, count) }, (_, k) => Number(((first + k) * step).toPrecision(12)));
};

/** Return an empty drawing with axes, and functions x and y that place numbers on it. */
Touch.axes = ({ width, height, x, y, across, up, label }) => {
  const [left, right, top, bottom] = [58, width - 10, 8, height - 40];
  const place = ([low, high], from, to) => (value) => from + ((value - low) / (high - low)) * (to - from);
  const at = { x: place(x, left, right), y: place(y, bottom, top) };
  const svg = Touch.shape("svg", { width, height, viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": label });
  for (const tick of Touch.ticks(...x)) {
    svg.append(Touch.shape("line", { class: "touch-grid", x1: at.x(tick), x2: at.x(tick), y1: top, y2: bottom }));
    svg.append(Touch.text(tick, at.x(tick), bottom + 15, "middle"));
  }
  for (const tick of Touch.ticks(...y, 4)) {
    svg.append(Touch.shape("line", { class: "touch-grid", x1: left, x2: right, y1: at.y(tick), y2: at.y(tick) }));
    svg.append(Touch.text(tick, left - 6, at.y(tick) + 4, "end"));
  }
  svg.append(Touch.text(across, (left + right) / 2, height - 6, "middle"));
  const turned = Touch.text(up, 0, 0, "middle");
  turned.setAttribute("transform", `translate(12 ${(top + bottom) / 2}) rotate(-90)`);
  svg.append(turned);
  return { svg, ...at, left, right, top, bottom };
};

Touch.text = (text, x, y, anchor = "start") =>
  Touch.shape("text", { x, y, "text-anchor": anchor }, typeof text === "number" ? String(text).replace("-", "−") : text);

Touch.line = (points, attributes) =>
  Touch.shape("polyline", { points: points.map((point) => point.map((v) => v.toFixed(2)).join(",")).join(" "), ...attributes });

/** Say which line is which. */
Touch.key = (lines) => {
  const node = Touch.make("p", { class: "touch-key" });
  for (const [name, look] of Object.entries(lines)) {
    const svg = Touch.shape("svg", { width: 28, height: 10, "aria-hidden": "true" });
    svg.append(Touch.line([[0, 5], [28, 5]], { class: "touch-curve", ...look }));
    node.append(Touch.make("span", {}, svg, ` ${name}`));
  }
  return node;
};

// ---- starting

/** Return how wide a drawing in the div may be. */
Touch.room = (div) => {
  const { paddingLeft, paddingRight } = getComputedStyle(div);
  return Math.max(240, div.clientWidth - parseFloat(paddingLeft) - parseFloat(paddingRight));
};

/** Draw a widget into each div that asks for it; `draw(div, data)` returns what redraws it to a width. */
Touch.add = (name, draw) => {
  if (typeof document === "undefined") return;
  for (const div of document.querySelectorAll(`.touch[data-touch="${name}"]:not([data-ready])`)) {
    const data = div.querySelector("script");
    const still = div.previousElementSibling;
    const redraw = draw(div, data && JSON.parse(data.textContent));
    div.setAttribute("data-ready", "yes");
    if (still?.matches("p") && still.children.length === 1 && still.querySelector("img")) still.classList.add("touch-still");
    let width = Touch.room(div);
    redraw(width);
    new ResizeObserver(() => {
      if (div.clientWidth && Touch.room(div) !== width) redraw((width = Touch.room(div)));
    }).observe(div);
  }
};
