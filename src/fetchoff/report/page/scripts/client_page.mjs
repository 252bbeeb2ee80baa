// A client's page: everything that the run knows of it.

import { element } from "./elements.mjs";
import { factsOf } from "./facts.mjs";
import { intervalText, ratioText, roughText, tierText } from "./figures.mjs";
import { programPlace } from "./programs.mjs";
import { viewOf } from "./view.mjs";

// Ranks the client among those that the reader chose, even if the filter leaves it out.
export const drawClientPage = (place, data, pairs, state, { backTo }) => {
  const number = data.clients.findIndex((client) => client.id === state.client);
  const back = element("p", { class: "back" }, element("a", { href: backTo }, "← all clients"));
  if (number < 0) {
    place.replaceChildren(back, element("h2", { tabindex: "-1" }, `This run has no client ${state.client}`));
    return;
  }
  const client = data.clients[number];
  place.replaceChildren(
    back,
    element("h2", { tabindex: "-1" }, client.id),
    client.about ? element("p", { class: "what" }, client.about) : "",
    client.ranked ? "" : element("p", {}, "A floor: a bare socket, which is never ranked."),
    definitions(factsOf(data, client)),
    element("h3", {}, "Its workloads"),
    element("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "All figures of the client, scrolls sideways" }, figures(data, pairs, state, number)),
    ...notesOf(data, number),
    element("h3", {}, "Its program"),
    element("p", { class: "what" }, "What was measured, and an example of how to use the client."),
    programPlace(client),
    element("h3", {}, "Where it was measured"),
    environment(),
  );
};

export const definitions = (facts) =>
  element("dl", { class: "setting" }, facts.flatMap(([name, value]) => [element("dt", {}, name), element("dd", {}, value)]));

const figures = (data, pairs, state, number) => {
  const views = data.aspects.map((aspect) => viewOf(data, pairs, { ...state, aspect: aspect.key, column: [] }));
  const heads = views.map(({ aspect }) => element("th", { scope: "col" }, aspect.label));
  const rows = data.workloads.map((workload, place) =>
    element("tr", {}, element("th", { scope: "row" }, workload.title), views.map((view) => figure(data, view, place, number))),
  );
  return element("table", { class: "plain figures" }, element("thead", {}, element("tr", {}, element("td", {}), heads)), element("tbody", {}, rows));
};

const figure = (data, view, place, number) => {
  const column = view.columns[place];
  const value = column.workload.figures[view.aspect.key].texts[number];
  const cell = column.cells.get(number);
  if (!value) return element("td", {}, element("small", {}, column.workload.absent[number] ?? "–"));
  return element("td", {}, element("b", {}, value), element("small", {}, beside(data, column, cell, number)));
};

// Where a figure stands among those that are shown.
const beside = (data, column, cell, number) => {
  if (column.workload.withheld) return "withheld";
  if (!cell || cell.ratio === undefined) return "not among those shown";
  const tier = cell.tiers ? `tier ${tierText(cell.tiers)}` : "";
  if (number === column.reference) return [tier, "the others are relative to it"].filter(Boolean).join(", ");
  const than = data.clients[column.reference].id;
  const told = cell.low === undefined ? `${roughText(cell.ratio)} ×` : `${ratioText(cell.ratio, cell.low, cell.high) || "?"} × (${intervalText(cell.low, cell.high) || "unknown"})`;
  const sure = cell.verdict === "undecided" ? "undecided" : "";
  return [tier, `${told} ${than}`, sure].filter(Boolean).join(", ");
};

const notesOf = (data, number) => {
  const notes = data.workloads.flatMap(({ title, anchor, notes: all, explained }) => [
    ...(all[number] ?? []).map((note) => element("li", {}, `${title}: ${note}`)),
    ...(explained[number] ? [element("li", {}, element("a", { href: `#${explained[number]}` }, `Why it is slow on ${title}`))] : []),
  ]);
  return notes.length ? [element("h3", {}, "What was found"), element("ul", { class: "notes" }, notes)] : [];
};

const environment = () => {
  const known = document.querySelector("#environment dl");
  return known ? known.cloneNode(true) : element("p", {}, "The run has stored nothing about it.");
};
