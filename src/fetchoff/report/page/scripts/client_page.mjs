// A client's page: everything that the run knows of it.

import { element } from "./elements.mjs";
import { factsOf } from "./facts.mjs";
import { backLink, definitions, figureCell, figureRow, figureTable } from "./pieces.mjs";
import { joined, ratioInWords, tierInWords, verdictInWords, viewHeading, wide } from "./pieces.mjs";
import { programPlace } from "./programs.mjs";
import { viewOf } from "./view.mjs";

// The client is ranked among those that the reader chose.
export const drawClientPage = (place, data, pairs, state, { backTo }) => {
  const number = data.clients.findIndex((client) => client.id === state.client);
  if (number < 0) {
    place.replaceChildren(backLink(backTo), viewHeading(`This run has no client ${state.client}`));
    return;
  }
  const client = data.clients[number];
  place.replaceChildren(
    backLink(backTo),
    viewHeading(client.id),
    element("p", { class: "what" }, client.about),
    ...(client.ranked ? [] : [element("p", {}, "A floor: a bare socket, which is never ranked.")]),
    definitions(factsOf(data, client)),
    element("h3", {}, "Its workloads"),
    wide("All figures of the client", figures(data, pairs, state, number)),
    ...notesOf(data, number),
    element("h3", {}, "Its program"),
    element("p", { class: "what" }, "What was measured, and an example of how to use the client."),
    programPlace(client),
    element("h3", {}, "Where it was measured"),
    environment(),
  );
};

const figures = (data, pairs, state, number) => {
  const views = data.aspects.map((aspect) => viewOf(data, pairs, { ...state, aspect: aspect.key, column: [] }));
  const rows = data.workloads.map(({ title }, place) =>
    figureRow(title, views.map((view) => figure(data, view, place, number))),
  );
  return figureTable(views.map((view) => view.aspect.label), rows);
};

const figure = (data, view, place, number) => {
  const column = view.columns[place];
  const value = column.workload.figures[view.aspect.key].texts[number];
  if (!value) return figureCell("", column.workload.absent[number] ?? "–");
  return figureCell(value, beside(data, column, column.cells.get(number), number));
};

// Where a figure stands among those that are shown.
const beside = (data, column, cell, number) => {
  if (column.workload.withheld) return "withheld";
  if (!cell || cell.ratio === undefined) return "not among those shown";
  if (number === column.reference) return joined(tierInWords(cell), "the others are relative to it");
  const ratio = `${ratioInWords(cell)} ${data.clients[column.reference].id}`;
  return joined(tierInWords(cell), ratio, verdictInWords(cell));
};

const notesOf = (data, number) => {
  const items = data.workloads.flatMap(({ title, notes, explained }) => {
    const told = (notes[number] ?? []).map((note) => element("li", {}, `${title}: ${note}`));
    return explained[number] ? [...told, element("li", {}, why(title, explained[number]))] : told;
  });
  return items.length ? [element("h3", {}, "What was found"), element("ul", { class: "notes" }, items)] : [];
};

const why = (title, anchor) => element("a", { href: `#${anchor}` }, `Why it takes so long on ${title}`);

const environment = () => {
  const known = document.querySelector("#environment dl");
  return known ? known.cloneNode(true) : element("p", {}, "The run has stored nothing about it.");
};
