// Rank some of the clients of a ranking, from what was found out about its pairs. Nothing is tested
// again: what the whole ranking showed to differ differs in every part of it, and nothing else does.
// stats/subset.py is the same in Python; tests/browser compares the two.

import { isTelling } from "./figures.mjs";

// `shown`: numbers of clients; `baseline`: a client's number, or -1 for the cheapest that is shown.
// Standings are in the order of the ranking. A verdict is about the client beside the reference.
export const recompute = (pairs, shown, baseline) => {
  const chosen = [...pairs.order.keys()].filter((place) => shown.has(pairs.order[place]));
  if (chosen.length === 0) return { reference: -1, standings: [], leaders: [] };
  const ranked = pairs.order.indexOf(baseline);
  const reference = ranked >= 0 ? ranked : chosen[0];
  const tiers = tiersOf(pairs, chosen);
  const standings = chosen.map((place, row) => ({
    client: pairs.order[place],
    tiers: tiers[row],
    ...against(pairs, reference, place),
    isPlaced: isPlaced(pairs, place, chosen),
  }));
  const first = standings.filter((one) => one.tiers[0] === 1);
  const placed = first.filter((one) => one.isPlaced);
  return {
    reference: pairs.order[reference],
    standings,
    leaders: (placed.length > 0 ? placed : first).map((one) => one.client),
  };
};

// If no interval against another says anything, its tiers don't either: it might be anywhere.
const isPlaced = (pairs, place, chosen) => {
  const others = chosen.filter((other) => other !== place);
  return others.length === 0 || others.some((other) => tells(pairs.difference(other, place)));
};

const tells = ({ low, high }) => isTelling(Math.exp(low), Math.exp(high));

// The best tier is one more than the best tier of any client shown to be cheaper; the worst tier
// follows in the same way from the other end.
const tiersOf = (pairs, chosen) => {
  const best = new Array(chosen.length).fill(1);
  for (let j = 0; j < chosen.length; j += 1) {
    for (let i = 0; i < j; i += 1) {
      if (best[i] >= best[j] && pairs.isShown(chosen[i], chosen[j])) best[j] = best[i] + 1;
    }
  }
  const count = Math.max(...best);
  const worst = new Array(chosen.length).fill(count);
  for (let i = chosen.length - 1; i >= 0; i -= 1) {
    for (let j = i + 1; j < chosen.length; j += 1) {
      if (worst[j] <= worst[i] && pairs.isShown(chosen[i], chosen[j])) worst[i] = worst[j] - 1;
    }
  }
  return best.map((first, row) => [first, worst[row]]);
};

const against = (pairs, reference, place) => {
  if (place === reference) return { ratio: 1, low: 1, high: 1, verdict: "equivalent" };
  const { point, low, high } = pairs.difference(reference, place);
  return {
    ratio: Math.exp(point),
    low: Math.exp(low),
    high: Math.exp(high),
    verdict: verdictOf(pairs, reference, place, { low, high }),
  };
};

const verdictOf = (pairs, reference, place, { low, high }) => {
  if (!Number.isFinite(low) || !Number.isFinite(high)) return "undecided";
  if (pairs.isEquivalent(Math.min(reference, place), Math.max(reference, place))) return "equivalent";
  if (high < 0) return "faster";
  if (low > 0) return "slower";
  // Holm's test may show a difference that an interval for all pairs at once is too wide for.
  if (place > reference) return pairs.isShown(reference, place) ? "slower" : "undecided";
  return pairs.isShown(place, reference) ? "faster" : "undecided";
};
