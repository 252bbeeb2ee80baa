// Some clients side by side, ranked among themselves.

import { element } from "./elements.mjs";
import { factsOf } from "./facts.mjs";
import { backLink, definitions, figureCell, figureRow, figureTable } from "./pieces.mjs";
import { joined, ratioInWords, tierInWords, verdictInWords, viewHeading, wide } from "./pieces.mjs";
import { programPlace } from "./programs.mjs";
import { START } from "./state.mjs";
import { viewOf } from "./view.mjs";

export const drawComparePage = (place, data, pairs, state, { backTo, linkTo }) => {
  const numbers = [...data.clients.keys()].filter((number) => state.pick.includes(data.clients[number].id));
  numbers.sort((a, b) => state.pick.indexOf(data.clients[a].id) - state.pick.indexOf(data.clients[b].id));
  const names = numbers.map((number) => data.clients[number].id).join(", ");
  place.replaceChildren(
    backLink(backTo),
    viewHeading(names ? `${names} side by side` : "Nothing is picked"),
    element("p", { class: "what" }, "Tiers are those among these clients, and ratios are to the best of them."),
    wide("Figures side by side", figures(data, pairs, numbers, linkTo)),
    element("div", { class: "beside", "--columns": String(Math.max(numbers.length, 1)) }, numbers.map((number) => about(data, number))),
  );
};

const about = (data, number) => {
  const client = data.clients[number];
  const parts = [element("h3", {}, client.id), definitions(factsOf(data, client)), programPlace(client)];
  return element("section", { "aria-label": client.id }, parts);
};

const figures = (data, pairs, numbers, linkTo) => {
  const ids = numbers.map((number) => data.clients[number].id);
  const alone = { ...START, pick: ids, only: true };
  const views = data.aspects.map((aspect) => viewOf(data, pairs, { ...alone, aspect: aspect.key }));
  const rows = data.workloads.flatMap(({ title }, place) => [
    element("tr", { class: "group" }, element("th", { scope: "rowgroup", colspan: String(ids.length + 1) }, title)),
    ...views.map((view) => figureRow(view.aspect.label, numbers.map((number) => figure(view.columns[place], number)))),
  ]);
  return figureTable(ids.map((id) => element("a", { href: linkTo(id) }, id)), rows);
};

const figure = (column, number) => {
  const cell = column.cells.get(number);
  if (!cell || cell.absent) return figureCell("", cell?.absent ?? "–");
  if (cell.ratio === undefined) return figureCell(cell.text, "");
  if (number === column.reference) return figureCell(cell.text, tierInWords(cell));
  return figureCell(cell.text, joined(tierInWords(cell), ratioInWords(cell), verdictInWords(cell)));
};
