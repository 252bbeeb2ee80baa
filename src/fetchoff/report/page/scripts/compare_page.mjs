// Some clients side by side, ranked among themselves.

import { definitions } from "./client_page.mjs";
import { element } from "./elements.mjs";
import { factsOf } from "./facts.mjs";
import { intervalText, ratioText, roughText, tierText } from "./figures.mjs";
import { programPlace } from "./programs.mjs";
import { START } from "./state.mjs";
import { viewOf } from "./view.mjs";

export const drawComparePage = (place, data, pairs, state, { backTo, linkTo }) => {
  const numbers = state.pick.map((id) => data.clients.findIndex((client) => client.id === id)).filter((number) => number >= 0);
  const chosen = numbers.map((number) => data.clients[number]);
  place.replaceChildren(
    element("p", { class: "back" }, element("a", { href: backTo }, "← all clients")),
    element("h2", { tabindex: "-1" }, chosen.length ? `${chosen.map((client) => client.id).join(", ")} side by side` : "Nothing is picked"),
    element("p", { class: "what" }, "Tiers and ratios are those among these clients. Ratios are relative to the best of them."),
    element("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Figures side by side, scrolls sideways" }, table(data, pairs, numbers, linkTo)),
    element("div", { class: "beside", "--columns": String(Math.max(chosen.length, 1)) }, chosen.map((client) =>
      element("section", { "aria-label": client.id }, element("h3", {}, client.id), definitions(factsOf(data, client)), programPlace(client)),
    )),
  );
};

const table = (data, pairs, numbers, linkTo) => {
  const ids = numbers.map((number) => data.clients[number].id);
  const views = data.aspects.map((aspect) => viewOf(data, pairs, { ...START, aspect: aspect.key, pick: ids, only: true }));
  const heads = ids.map((id) => element("th", { scope: "col" }, element("a", { href: linkTo(id) }, id)));
  const rows = data.workloads.flatMap((workload, place) => [
    element("tr", { class: "group" }, element("th", { scope: "rowgroup", colspan: String(ids.length + 1) }, workload.title)),
    ...views.map((view) => element("tr", {}, element("th", { scope: "row" }, view.aspect.label), numbers.map((number) => cellOf(view.columns[place], number)))),
  ]);
  return element("table", { class: "plain figures" }, element("thead", {}, element("tr", {}, element("td", {}), heads)), element("tbody", {}, rows));
};

const cellOf = (column, number) => {
  const cell = column.cells.get(number);
  if (!cell || cell.absent) return element("td", {}, element("small", {}, cell?.absent ?? "–"));
  return element("td", {}, element("b", {}, cell.text), element("small", {}, told(cell, number === column.reference)));
};

const told = (cell, isReference) => {
  if (cell.ratio === undefined) return "";
  const tier = cell.tiers ? `tier ${tierText(cell.tiers)}` : "";
  if (isReference) return tier;
  const ratio = cell.low === undefined ? `${roughText(cell.ratio)} ×` : `${ratioText(cell.ratio, cell.low, cell.high) || "?"} × (${intervalText(cell.low, cell.high) || "unknown"})`;
  return [tier, ratio, cell.verdict === "undecided" ? "undecided" : ""].filter(Boolean).join(", ");
};
