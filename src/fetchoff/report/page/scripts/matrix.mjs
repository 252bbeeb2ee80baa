// The matrix client × workload.

import { element } from "./elements.mjs";
import { intervalText, isTelling, ratioText, roughText } from "./figures.mjs";
import { button, hasSide, isByPairs, tierInWords } from "./pieces.mjs";
import { toggled } from "./state.mjs";

const MOST_ROWS = 250; // more are drawn when the reader asks for them
const FULL = 20; // the ratio whose colour is the strongest
const STRONGEST = 70; // percent: text must be readable on it

let showsAll = false;

// `go`: change the reader's choices. `linkTo`: the address of a client's page.
export const drawMatrix = (place, data, view, state, acts) => {
  const rows = showsAll ? view.shown : view.shown.slice(0, MOST_ROWS);
  const left = view.shown.length - rows.length;
  const table = element(
    "table",
    { class: "matrix" },
    element("caption", { class: "sr" }, `Clients by ${view.aspect.label}, one row each`),
    element("thead", {}, headings(data, view, state, acts)),
    element("tbody", {}, rows.map((client) => row(data, view, state, client, acts))),
  );
  const showMore = () => {
    showsAll = true;
    drawMatrix(place, data, view, state, acts);
  };
  const more = button(`Show ${left.toLocaleString("en")} more`, showMore, { class: "more-rows" });
  place.replaceChildren(table, ...(left > 0 ? [more] : []));
};

const headings = (data, view, state, { go }) => {
  const sorted = state.sort || (view.overall.size > 0 ? "overall" : view.columns[0]?.workload.id);
  const order = state.turned ? "descending" : "ascending";
  const heading = (name, label, attributes, beside) => {
    const sort = () => go({ sort: name, turned: name === sorted && !state.turned });
    const told = { scope: "col", "aria-sort": name === sorted && order, ...attributes };
    return element("th", told, button(label, sort, { "data-focus": `sort ${name}` }), beside);
  };
  return element(
    "tr",
    {},
    heading("client", "client", { class: "client" }),
    view.overall.size > 0 ? heading("overall", "all of these", {}, element("small", {}, mean(view))) : null,
    view.columns.map((column) => {
      const { id, title, about } = column.workload;
      return heading(id, title, { title: about }, mark(data, column));
    }),
  );
};

const mean = ({ averaged, columns }) => {
  const ranked = columns.filter(({ standings }) => standings.length > 0);
  return averaged.length < ranked.length ? `geometric mean of ${averaged.length} workloads` : "geometric mean";
};

const mark = (data, { workload, otherReference }) => {
  if (workload.withheld) return element("small", { class: "withheld" }, "withheld");
  return otherReference === null ? null : element("small", {}, `relative to ${data.clients[otherReference].id}`);
};

const row = (data, view, state, number, { go, linkTo }) => {
  const { id } = data.clients[number];
  const pick = element("input", {
    type: "checkbox",
    checked: state.pick.includes(id),
    "aria-label": `pick ${id}`,
    "data-focus": `pick ${id}`,
    onchange: () => go({ pick: toggled(state.pick, id) }),
  });
  const link = element("a", { href: linkTo(id), "data-focus": `client ${id}` }, id);
  return element(
    "tr",
    { class: number === view.baseline && "baseline" },
    element("th", { scope: "row", class: "client" }, pick, link),
    view.overall.size > 0 ? overallCell(view.overall.get(number)) : null,
    view.columns.map((column) => cellOf(column, number)),
  );
};

const cell = (attributes, figure, ...beside) => element("td", attributes, element("b", {}, figure), ...beside);
const blank = (title, told) => element("td", { class: "cell none", title }, element("small", {}, told));

// Blue is less than the reference and orange more; how strong, goes by the logarithm.
const coloured = (cost) => {
  const share = Math.min(1, Math.abs(Math.log(cost)) / Math.log(FULL)) ** 0.7;
  return { class: `cell ${cost < 1 ? "cheap" : "dear"}`, "--strength": `${Math.round(STRONGEST * share)}%` };
};

const reference = (...beside) =>
  cell({ class: "cell reference", title: "what the others are relative to" }, "1", ...beside);

// Nobody tested the mean: it is decided where its interval leaves out 1.
const overallCell = (found) => {
  if (!found) return blank("not ranked on all of these", "–");
  const { ratio, low, high } = found;
  if (low === undefined) return cell(coloured(found.cost), roughText(ratio));
  if (low === 1 && high === 1) return reference();
  if (!isTelling(low, high) || !hasSide(found)) return undecided(found);
  return cell({ ...coloured(found.cost), title: intervalText(low, high) }, ratioText(ratio, low, high));
};

const cellOf = (column, number) => {
  const found = column.cells.get(number);
  if (found.absent) return blank(found.absent, found.absent.split(":")[0]);
  if (found.ratio === undefined) return blank(column.workload.withheld || "too few rounds to be ranked", found.text);
  if (number === column.reference) return reference(beneath(found));
  if (found.verdict === "untested") {
    return cell({ ...coloured(found.cost), title: "not tested for differences" }, roughText(found.ratio), beneath(found));
  }
  return found.verdict === "undecided" ? undecided(found, beneath(found)) : decided(found);
};

const decided = (found) => {
  const interval = intervalText(found.low, found.high);
  const told = ratioText(found.ratio, found.low, found.high) || "?";
  const by = isByPairs(found) ? " (by the test of all pairs)" : "";
  const title = `${found.verdict}${interval && `: ${interval}`}${by}`;
  return cell({ ...coloured(found.cost), title }, told, beneath(found));
};

// Stripes instead of a colour, and a sign before the ratio.
const undecided = (found, ...below) => {
  const interval = intervalText(found.low, found.high);
  const told = ratioText(found.ratio, found.low, found.high);
  const title = interval ? `undecided: ${interval}` : "undecided";
  const said = element("span", { class: "sr" }, " undecided");
  return cell({ class: "cell undecided", title }, told ? `≈ ${told}` : "?", said, ...below);
};

const beneath = (found) => {
  const style = found.tiers?.[0] === 1 && found.isPlaced ? "tier first" : "tier";
  const tier = found.tiers ? [" · ", element("span", { class: style }, tierInWords(found))] : [];
  return element("small", {}, found.text, ...tier);
};
