// What the reader's choices make of the run: pure data, which matrix, advice and downloads lay out.

import { isWithheld } from "./clocks.mjs";
import { shownClients, shownWorkloads } from "./filter.mjs";
import { recompute } from "./recompute.mjs";

// `pairs`: by workload and clock. A cell's `cost` is the ratio by which it is coloured and sorted,
// more is worse; `ratio` is what is read, which for rates is the other way round.
export const viewOf = (data, pairs, state) => {
  const aspect = data.aspects.find((one) => one.key === state.aspect) ?? data.aspects[0];
  const shown = shownClients(data.clients, state);
  const baseline = data.clients.findIndex((client) => client.id === state.baseline);
  const columns = shownWorkloads(data.workloads, state).map((workload) =>
    columnOf(workload, pairs.get(workload.id)?.[aspect.pairs], aspect, new Set(shown), baseline),
  );
  const averaged = columns.filter((column) => column.standings.length > 0 && column.otherReference === null);
  const overall = averaged.length > 1 ? overallOf(shown, averaged) : new Map();
  return { aspect, baseline, columns, averaged, overall, shown: ordered(data, shown, columns, overall, state) };
};

const columnOf = (workload, pairs, aspect, shown, baseline) => {
  const figures = workload.figures[aspect.key];
  const cells = new Map();
  for (const client of shown) {
    const value = figures.values[client];
    if (value === null) cells.set(client, { absent: workload.absent[client] ?? "no figure" });
    else cells.set(client, { value, text: figures.texts[client] });
  }
  const column = { workload, cells, reference: -1, otherReference: null, leaders: [], standings: [], pairs };
  if (workload.withheld) return column;
  const found = aspect.pairs ? tested(column, aspect, shown, baseline) : estimated(column, figures, aspect, baseline);
  // Where the chosen client has no figure, ratios are to another: they are in no mean with the rest.
  const isAnother = baseline >= 0 && found.reference >= 0 && found.reference !== baseline;
  return isAnother ? { ...found, otherReference: found.reference } : found;
};

const tested = (column, aspect, shown, baseline) => {
  if (!column.pairs) return column;
  const found = recompute(column.pairs, shown, baseline);
  for (const one of found.standings) {
    const cell = column.cells.get(one.client);
    Object.assign(cell, one, { cost: one.ratio });
    if (isWithheld(aspect, column.workload, one.client, found.reference, one.ratio)) {
      Object.assign(cell, { verdict: "undecided", isWithheld: true });
    }
    if (aspect.more_is_better) Object.assign(cell, { ratio: 1 / one.ratio, low: 1 / one.high, high: 1 / one.low });
  }
  return { ...column, ...found };
};

// Nobody tested whether these differ: there is a ratio of estimates, and neither tier nor verdict.
const estimated = (column, { values }, aspect, baseline) => {
  const known = [...column.cells].filter(([, cell]) => cell.value !== undefined);
  if (known.length === 0) return column;
  const better = aspect.more_is_better ? (a, b) => b[1].value - a[1].value : (a, b) => a[1].value - b[1].value;
  const standings = known.sort(better).map(([client]) => ({ client }));
  const has = baseline >= 0 && values[baseline] !== null;
  const reference = has ? baseline : standings[0].client;
  for (const [, cell] of known) {
    const ratio = cell.value / values[reference];
    Object.assign(cell, { ratio, cost: aspect.more_is_better ? 1 / ratio : ratio, verdict: "untested" });
  }
  return { ...column, reference, standings };
};

// Geometric means over the columns, of clients that have a ratio in all of them. The interval holds
// if those of the columns do; there is none where the verdict of one is withheld.
const overallOf = (shown, columns) => {
  const found = new Map();
  for (const client of shown) {
    const cells = columns.map((column) => column.cells.get(client));
    if (cells.some((cell) => cell.ratio === undefined)) continue;
    const mean = (name) => Math.exp(cells.reduce((sum, cell) => sum + Math.log(cell[name]), 0) / cells.length);
    const isTested = cells.every((cell) => cell.low !== undefined && !cell.isWithheld);
    const ends = isTested ? { low: mean("low"), high: mean("high") } : {};
    found.set(client, { ratio: mean("ratio"), cost: mean("cost"), ...ends });
  }
  return found;
};

// The clients as they are sorted; those without a figure come last, whichever way.
const ordered = (data, shown, columns, overall, state) => {
  const byName = (a, b) => data.clients[a].id.localeCompare(data.clients[b].id, "en");
  const sign = state.turned ? -1 : 1;
  if (state.sort === "client") return shown.sort((a, b) => sign * byName(a, b));
  const cells = sortedBy(columns, overall, state.sort);
  const cost = (client) => cells.get(client)?.cost ?? Infinity;
  return shown.sort((a, b) => {
    const [x, y] = [cost(a), cost(b)];
    if (x === y) return byName(a, b);
    return x === Infinity || y === Infinity ? x - y : sign * (x - y);
  });
};

const sortedBy = (columns, overall, name) => {
  const chosen = columns.find((column) => column.workload.id === name);
  if (chosen) return chosen.cells;
  return overall.size > 0 ? overall : (columns[0]?.cells ?? new Map());
};
