// The matrix client × workload.

import { element } from "./elements.mjs";
import { intervalText, ratioText, roughText, tierText } from "./figures.mjs";

const MOST_ROWS = 250; // more are drawn when the reader asks for them
const FULL = 20; // the ratio whose colour is the strongest
const STRONGEST = 70; // percent: text must be readable on it

let everything = false;

// `go`: change the reader's choices. `linkTo`: the address of a client's page.
export const drawMatrix = (place, data, view, state, { go, linkTo }) => {
  const rows = everything ? view.shown : view.shown.slice(0, MOST_ROWS);
  const table = element(
    "table",
    { class: "matrix" },
    element("caption", { class: "sr" }, `Clients by ${view.aspect.label}, one row each`),
    element("thead", {}, headings(view, state, go)),
    element("tbody", {}, rows.map((client) => row(data, view, state, client, { go, linkTo }))),
  );
  const left = view.shown.length - rows.length;
  const more = element("button", { type: "button", class: "more-rows", onclick: () => {
    everything = true;
    drawMatrix(place, data, view, state, { go, linkTo });
  } }, `Show ${left.toLocaleString("en")} more`);
  place.replaceChildren(table, ...(left > 0 ? [more] : []));
};

const headings = (view, state, go) => {
  const current = state.sort || (view.overall.size > 0 ? "overall" : view.columns[0]?.workload.id);
  const sort = (name) => go({ sort: name, turned: name === current ? !state.turned : false });
  const heading = (name, label, attributes, ...more) =>
    element(
      "th",
      { scope: "col", ...attributes, "aria-sort": name === current ? (state.turned ? "descending" : "ascending") : false },
      element("button", { type: "button", "data-focus": `sort ${name}`, onclick: () => sort(name) }, label),
      ...more,
    );
  return element(
    "tr",
    {},
    heading("client", "client", { class: "client" }),
    view.overall.size > 0 ? heading("overall", "all of these", {}, element("small", {}, "geometric mean")) : null,
    view.columns.map(({ workload }) => heading(workload.id, workload.title, { title: workload.about }, withheldMark(workload))),
  );
};

const withheldMark = ({ withheld }) => (withheld ? element("small", { class: "withheld" }, "withheld") : null);

const row = (data, view, state, number, { go, linkTo }) => {
  const client = data.clients[number];
  const isPicked = state.pick.includes(client.id);
  const pick = element("input", {
    type: "checkbox",
    checked: isPicked,
    "aria-label": `pick ${client.id}`,
    "data-focus": `pick ${client.id}`,
    onchange: () => go({ pick: isPicked ? state.pick.filter((id) => id !== client.id) : [...state.pick, client.id] }),
  });
  return element(
    "tr",
    { class: number === view.baseline ? "baseline" : false },
    element("th", { scope: "row", class: "client" }, pick, element("a", { href: linkTo(client.id), "data-focus": `client ${client.id}` }, client.id)),
    view.overall.size > 0 ? overallCell(view.overall.get(number)) : null,
    view.columns.map((column) => cell(column, number)),
  );
};

// Blue is cheaper than the reference and orange dearer; how strong, goes by the logarithm.
const strength = (cost) => `${Math.round(STRONGEST * Math.min(1, Math.abs(Math.log(cost)) / Math.log(FULL)) ** 0.7)}%`;
const coloured = (cost) => ({ class: `cell ${cost < 1 ? "cheap" : "dear"}`, "--strength": strength(cost) });

const overallCell = (found) => {
  if (!found) return element("td", { class: "cell none" }, "–");
  const told = found.low === undefined ? roughText(found.ratio) : ratioText(found.ratio, found.low, found.high);
  const interval = found.low === undefined ? "" : intervalText(found.low, found.high);
  return element("td", { ...coloured(found.cost), title: interval }, element("b", {}, told || "?"));
};

const cell = (column, number) => {
  const found = column.cells.get(number);
  if (found.absent) return element("td", { class: "cell none", title: found.absent }, element("small", {}, found.absent.split(":")[0]));
  if (found.ratio === undefined) return element("td", { class: "cell none", title: column.workload.withheld || "too few rounds to be ranked" }, element("small", {}, found.text));
  return number === column.reference ? referenceCell(found) : ratioCell(found);
};

const referenceCell = (found) =>
  element("td", { class: "cell reference", title: "what the others are relative to" }, element("b", {}, "1"), small(found));

// An undecided cell has stripes instead of a colour, and a sign before its ratio.
const ratioCell = (found) => {
  if (found.verdict === "untested") {
    return element("td", { ...coloured(found.cost), title: "not tested for differences" }, element("b", {}, roughText(found.ratio)), small(found));
  }
  const told = ratioText(found.ratio, found.low, found.high);
  const interval = intervalText(found.low, found.high);
  if (found.verdict === "undecided") {
    const title = `undecided${interval ? `: ${interval}` : ""}`;
    return element("td", { class: "cell undecided", title }, element("b", {}, told ? `≈ ${told}` : "?"), element("span", { class: "sr" }, " undecided"), small(found));
  }
  return element("td", { ...coloured(found.cost), title: `${found.verdict}: ${interval}` }, element("b", {}, told), small(found));
};

const small = (found) => {
  const tier = found.tiers ? [element("span", { class: found.tiers[0] === 1 ? "tier first" : "tier" }, `tier ${tierText(found.tiers)}`)] : [];
  return element("small", {}, found.text, tier.length ? " · " : null, ...tier);
};
