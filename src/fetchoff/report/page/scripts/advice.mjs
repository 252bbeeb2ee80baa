// One sentence for what is shown, and how sure it is. Clients stand in it as their numbers, which
// the page turns into links. It says nothing that the pairs do not.

import { counted, intervalText, listed, ratioText } from "./figures.mjs";

const client = (number) => ({ client: number });
const many = (clients) => listed(clients.map(client));

export const adviceOf = (view) => {
  const ranked = view.columns.filter((column) => column.standings.length > 0);
  if (view.shown.length === 0) return ["No client passes this filter."];
  if (ranked.length === 0) return [nothing(view)];
  if (!view.aspect.pairs) return estimate(view, ranked);
  return ranked.length === 1 ? one(view.aspect, ranked[0]) : several(view.aspect, ranked);
};

const nothing = (view) => {
  const withheld = view.columns.find((column) => column.workload.withheld);
  return withheld
    ? `The ranking is withheld: ${withheld.workload.withheld}.`
    : "None of the clients shown could be ranked here.";
};

const one = (aspect, column) => {
  const { leaders, standings, workload } = column;
  const on = ` on ${workload.title}`;
  if (standings.length === 1) return ["Only ", client(standings[0].client), ` is ranked${on}: there is nothing to compare.`];
  if (leaders.length > 1) {
    return [...many(leaders), ` share the first tier${on}: it was not shown which of them is ${aspect.best}.`];
  }
  return [client(leaders[0]), ` is ${aspect.best}${on}.`, ...next(aspect, column)];
};

// The second client beside the first: how much more it takes.
const next = (aspect, column) => {
  const [first, second] = column.standings;
  const places = [first, second].map((standing) => column.pairs.order.indexOf(standing.client));
  const { point, low, high } = column.pairs.difference(...places);
  const ratio = [point, low, high].map(Math.exp);
  const interval = intervalText(ratio[1], ratio[2]);
  if (!interval) return [" Next is ", client(second.client), "."];
  const time = aspect.pairs === "cpu" ? "CPU time" : "wall time";
  return [" Next is ", client(second.client), `, with ${ratioText(...ratio)} × (${interval}) the ${time}.`];
};

const several = (aspect, columns) => {
  const firsts = new Map();
  for (const { leaders } of columns) for (const leader of leaders) firsts.set(leader, (firsts.get(leader) ?? 0) + 1);
  const everywhere = [...firsts].filter(([, times]) => times === columns.length).map(([number]) => number);
  const all = `all ${columns.length} workloads shown`;
  const by = `By ${aspect.label}, `;
  if (everywhere.length === 1) return [by, client(everywhere[0]), ` is in the first tier on ${all}; no other client is.`];
  if (everywhere.length > 1) return [by, ...many(everywhere), ` are in the first tier on ${all}: none of them was shown to be better than the others.`];
  const most = [...firsts].sort((a, b) => b[1] - a[1]).slice(0, 3);
  const told = most.flatMap(([number, times], place) => [place ? ", " : "", client(number), ` on ${times}`]);
  return [by, `no client is in the first tier on ${all}. In it are `, ...told, `${firsts.size > 3 ? ", and others" : ""}. Choose a workload that is like yours.`];
};

const estimate = (view, columns) => {
  const { aspect, overall } = view;
  const best = columns.length === 1 ? columns[0].standings[0].client : least(overall);
  if (best === undefined) return [`No client has a figure for ${aspect.label} on every workload shown.`];
  const where = columns.length === 1 ? ` on ${columns[0].workload.title}: ${columns[0].cells.get(best).text}` : " on the whole, by the geometric mean of the workloads shown";
  return ["By the estimates, ", client(best), ` is ${aspect.best}${where}.`];
};

const least = (overall) => [...overall].sort((a, b) => a[1].cost - b[1].cost)[0]?.[0];

// What the sentence rests on.
export const sureness = (data, view) => {
  const ranked = view.columns.filter((column) => column.standings.length > 0);
  if (ranked.length === 0) return "";
  if (!view.aspect.pairs) return `Differences in ${view.aspect.label} are not tested: a small one means nothing.`;
  const told = ranked.map(({ pairs, standings }) => pairsShown(pairs, standings));
  const shown = told.reduce((sum, each) => sum + each.shown, 0);
  const all = told.reduce((sum, each) => sum + each.all, 0);
  if (all === 0) return "";
  const pairs = `${shown.toLocaleString("en")} of ${counted(all, "pair")} of these clients`;
  return `${pairs} were shown to differ. The chance that any of that is false is at most ${data.alpha} on each workload, whatever you filter.`;
};

const pairsShown = (pairs, standings) => {
  const places = standings.map((one) => pairs.order.indexOf(one.client));
  let shown = 0;
  for (let j = 0; j < places.length; j += 1) for (let i = 0; i < j; i += 1) shown += pairs.isShown(places[i], places[j]);
  return { shown, all: (places.length * (places.length - 1)) / 2 };
};
