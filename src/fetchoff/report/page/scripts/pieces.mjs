// Pieces that several views are made of.

import { element } from "./elements.mjs";
import { intervalText, ratioText, roughText, tierText } from "./figures.mjs";

export const button = (label, act, attributes = {}) =>
  element("button", { type: "button", onclick: act, ...attributes }, label);

// A table that may be wider than the page; then it alone scrolls.
export const wide = (label, table) => {
  const attributes = { class: "scroll", tabindex: "0", role: "region", "aria-label": `${label}, scrolls sideways` };
  return element("div", attributes, table);
};

export const figureTable = (heads, rows) =>
  element(
    "table",
    { class: "plain figures" },
    element("thead", {}, element("tr", {}, element("td", {}), heads.map((head) => element("th", { scope: "col" }, head)))),
    element("tbody", {}, rows),
  );

export const figureRow = (head, cells) => element("tr", {}, element("th", { scope: "row" }, head), cells);

// A figure, and what is to be said beside it.
export const figureCell = (figure, beside) =>
  element("td", {}, figure ? element("b", {}, figure) : "", element("small", {}, beside));

export const definitions = (facts) => {
  const pairs = facts.flatMap(([name, value]) => [element("dt", {}, name), element("dd", {}, value)]);
  return element("dl", { class: "setting" }, pairs);
};

export const backLink = (address) => element("p", { class: "back" }, element("a", { href: address }, "← all clients"));

// A view's heading takes the focus when the view opens.
export const viewHeading = (text) => element("h2", { tabindex: "-1" }, text);

// `1.4 × (1.2–1.6)`; a ratio that was not tested has no interval.
export const ratioInWords = (cell) => {
  if (cell.low === undefined) return `${roughText(cell.ratio)} ×`;
  const ratio = ratioText(cell.ratio, cell.low, cell.high) || "?";
  return `${ratio} × (${intervalText(cell.low, cell.high) || "unknown"})`;
};

// Whether the interval says by itself on which side of 1 the ratio is.
export const hasSide = ({ low, high }) => high < 1 || low > 1;

// Whether only the test of all pairs tells the verdict: docs/analysis.md#a-part-of-a-ranking.
export const isByPairs = (cell) => ["faster", "slower"].includes(cell.verdict) && !hasSide(cell);

// What a ratio with its interval does not say by itself.
export const verdictInWords = (cell) => {
  if (cell.verdict === "undecided") return "undecided";
  return isByPairs(cell) ? `${cell.verdict} by the test of all pairs` : "";
};

export const tierInWords = (cell) => (cell.tiers ? `tier ${tierText(cell.tiers)}` : "");

export const joined = (...parts) => parts.filter(Boolean).join(", ");
