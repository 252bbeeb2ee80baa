// Charts: specifications of Vega-Lite that stand in the page beside their places.

import { inflatedText } from "./packing.mjs";

const CROWDED = 20000; // more marks than this are painted, not kept as elements
const views = new Map();
const seen = new Set();

// Vega is most of the page, so it is packed until the first chart is drawn. The page's policy knows
// the digest of its text.
let vega = null;
const loadVega = () => {
  vega ??= inflatedText(document.getElementById("vega").textContent).then((text) => {
    const script = document.createElement("script");
    script.textContent = text;
    document.head.append(script);
  });
  return vega;
};

const specOf = (id) => {
  const places = [...document.querySelectorAll("script[data-chart]")];
  return JSON.parse(places.find((place) => place.dataset.chart === id).textContent);
};

// A canvas knows no CSS variables, so it gets the colours that they stand for now.
const resolved = (spec) => {
  const style = getComputedStyle(document.documentElement);
  const text = JSON.stringify(spec);
  return JSON.parse(text.replace(/var\((--[a-z]+)\)/g, (_, name) => style.getPropertyValue(name).trim()));
};

const marks = ({ datasets }) => (datasets.batches ? datasets.batches[0].order.length : 0);

const drawn = async (place) => {
  await loadVega();
  const spec = specOf(place.id);
  const paint = marks(spec) > CROWDED;
  const { view } = await window.vegaEmbed(place, paint ? resolved(spec) : spec, {
    actions: false,
    ast: true,
    renderer: paint ? "canvas" : "svg",
    tooltip: { theme: "custom" },
  });
  quiet(place);
  place.dataset.drawn = paint ? "canvas" : "svg";
  return view;
};

// Vega gives containers of marks the role of an image, and no name. Their marks have names.
const quiet = (place) => {
  for (const nameless of place.querySelectorAll("[role=graphics-symbol]:not([aria-label])")) {
    nameless.removeAttribute("role");
    nameless.removeAttribute("aria-roledescription");
  }
};

export const draw = (place) => {
  if (!views.has(place.id)) views.set(place.id, drawn(place));
  return views.get(place.id);
};

const isVisible = (place) => place.checkVisibility();

export const drawAll = () => Promise.all([...seen].filter(isVisible).map(draw));

const observer = new IntersectionObserver(
  (entries) => entries.filter((entry) => entry.isIntersecting).forEach((entry) => {
    observer.unobserve(entry.target);
    draw(entry.target);
  }),
  { rootMargin: "600px" },
);

// Charts are drawn when they come near the window.
export const watchCharts = (part) => {
  for (const place of part.querySelectorAll(".chart")) {
    if (seen.has(place)) continue;
    seen.add(place);
    observer.observe(place);
  }
  for (const group of part.querySelectorAll(".switch")) {
    group.addEventListener("click", (event) => switched(group, event));
  }
};

const switched = async (group, event) => {
  const chosen = event.target.closest("button");
  if (!chosen) return;
  const view = await draw(document.getElementById(group.dataset.for));
  await view.signal("metric", chosen.dataset.metric).runAsync();
  for (const button of group.querySelectorAll("button")) button.setAttribute("aria-pressed", String(button === chosen));
};

export const followScheme = () =>
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
    for (const place of [...seen].filter((one) => one.dataset.drawn === "canvas")) {
      views.get(place.id).then((view) => view.finalize());
      views.delete(place.id);
      draw(place);
    }
  });
