// One sentence for what is shown, and how sure it is. Clients stand in it as their numbers, which
// the page turns into links. It says nothing that the pairs do not.

import { isWithheld } from "./clocks.mjs";
import { counted, intervalText, listed, ratioText } from "./figures.mjs";

const client = (number) => ({ client: number });
const many = (clients) => listed(clients.map(client));
const isRanked = (column) => column.standings.length > 0;

export const adviceOf = (view) => {
  const ranked = view.columns.filter(isRanked);
  if (view.shown.length === 0) return ["No client passes this filter."];
  if (view.shown.length === 1) return ["Only ", client(view.shown[0]), " is shown: there is nothing to compare."];
  if (ranked.length === 0) return [nothing(view)];
  if (!view.aspect.pairs) return byEstimates(view, ranked);
  return ranked.length === 1 ? onOne(view.aspect, ranked[0]) : onSeveral(view, ranked);
};

const nothing = (view) => {
  const withheld = view.columns.find((column) => column.workload.withheld);
  if (!withheld) return "None of the clients shown could be ranked here.";
  return `The ranking is withheld: ${withheld.workload.withheld}.`;
};

const onOne = (aspect, column) => {
  const { leaders, standings, workload } = column;
  const on = ` on ${workload.title}`;
  if (standings.length === 1) return ["Only ", client(standings[0].client), ` is ranked${on}.`];
  const found = nextTo(aspect, column);
  if (standings.length === 2 && found?.isWithheld) {
    const [first, second] = standings.map((one) => client(one.client));
    const why = "two clocks differ by more than that about it";
    return ["Undecided: ", second, ` takes ${found.told} of `, first, `${on}; ${why}.`];
  }
  const rest = unplaced(column);
  if (leaders.length === 1) {
    const best = `${aspect.best}${rest.length > 0 ? " that could be placed" : ""}`;
    return [client(leaders[0]), ` is ${best}${on}.`, ...next(found), ...rest];
  }
  const tied = ` share the first tier${on}: it was not shown which of them is ${aspect.best}.`;
  return [...many(leaders), tied, ...unsure(aspect, column), ...rest];
};

// Whose clocks differ, of those that share the first tier: it may be the reason.
const unsure = (aspect, { leaders, workload }) => {
  const apart = aspect.pairs === "wall" ? leaders.filter((leader) => workload.clocks_apart[leader]) : [];
  return apart.length > 0 ? [" Two clocks differ about ", ...many(apart), "."] : [];
};

// Who might be in the first tier, or in any other: too little was measured.
const unplaced = ({ leaders, standings }) => {
  const others = standings.filter((one) => one.tiers[0] === 1 && !leaders.includes(one.client));
  if (others.length === 0) return [];
  return [" ", ...many(others.map((one) => one.client)), " could not be placed."];
};

// The second client beside the first: how much more it takes, "" if that is not known.
const nextTo = (aspect, column) => {
  const [first, second] = column.standings.filter((standing) => standing.isPlaced);
  if (!second) return null;
  const places = [first, second].map((standing) => column.pairs.order.indexOf(standing.client));
  const { point, low, high } = column.pairs.difference(...places);
  const ratio = [point, low, high].map(Math.exp);
  const interval = intervalText(ratio[1], ratio[2]);
  const time = aspect.pairs === "cpu" ? "CPU time" : "wall time";
  return {
    client: second.client,
    told: interval && `${ratioText(...ratio)} × (${interval}) the ${time}`,
    isWithheld: isWithheld(aspect, column.workload, first.client, second.client, ratio[0]),
  };
};

const next = (found) => {
  if (!found) return [];
  return [" Next is ", client(found.client), found.told ? `, with ${found.told}.` : "."];
};

const onSeveral = (view, ranked) => {
  const by = `By ${view.aspect.label}, `;
  const all = `all ${ranked.length} ${ranked.length < view.columns.length ? "ranked " : ""}workloads shown`;
  const firsts = timesFirst(ranked);
  const always = [...firsts].filter(([, times]) => times === ranked.length).map(([number]) => number);
  if (always.length === 1) return [by, client(always[0]), ` is in the first tier on ${all}; no other client is.`];
  if (always.length > 1) {
    const same = "none of them was shown to be better than another";
    return [by, ...many(always), ` are in the first tier on ${all}: ${same}.`];
  }
  const most = [...firsts].sort((a, b) => b[1] - a[1]).slice(0, 3);
  const told = most.flatMap(([number, times], place) => [place ? ", " : "", client(number), ` on ${times}`]);
  const others = firsts.size > 3 ? ", and others" : "";
  return [by, `no client is in the first tier on ${all}. In it are `, ...told, `${others}. Choose what is like your own use.`];
};

// On how many workloads each client is in the first tier.
const timesFirst = (columns) => {
  const found = new Map();
  for (const leader of columns.flatMap((column) => column.leaders)) found.set(leader, (found.get(leader) ?? 0) + 1);
  return found;
};

const byEstimates = ({ aspect, averaged, baseline, overall }, ranked) => {
  const [only] = ranked;
  const best = ranked.length === 1 ? only.standings[0].client : least(overall);
  if (best === undefined && averaged.length < ranked.length) {
    const why = ` has no figure for ${aspect.label} on every workload shown: choose another client to compare with.`;
    return [client(baseline), why];
  }
  if (best === undefined) return [`No client has a figure for ${aspect.label} on every workload shown.`];
  const whole = averaged.length < ranked.length ? ` on ${averaged.length} of the workloads shown` : " on the whole";
  const where = ranked.length === 1 ? ` on ${only.workload.title}: ${only.cells.get(best).text}` : whole;
  return ["By the estimates, ", client(best), ` is ${aspect.best}${where}.`];
};

const least = (overall) => [...overall].sort((a, b) => a[1].cost - b[1].cost)[0]?.[0];

// What the sentence rests on.
export const sureness = (data, view) => {
  const ranked = view.columns.filter(isRanked);
  if (ranked.length === 0) return "";
  if (!view.aspect.pairs) return `Differences in ${view.aspect.label} are not tested: a small one means nothing.`;
  const told = ranked.map(pairsShown);
  const [shown, all] = ["shown", "all"].map((name) => told.reduce((sum, each) => sum + each[name], 0));
  if (all === 0) return "";
  const differ = `${shown.toLocaleString("en")} of ${counted(all, "pair")} of these clients were shown to differ.`;
  return `${differ} The chance that any of that is false is at most ${data.alpha} on each workload, whatever you filter.`;
};

const pairsShown = ({ pairs, standings }) => {
  const places = standings.map((one) => pairs.order.indexOf(one.client));
  let shown = 0;
  places.forEach((j, before) => {
    for (const i of places.slice(0, before)) shown += pairs.isShown(i, j);
  });
  return { shown, all: (places.length * (places.length - 1)) / 2 };
};
