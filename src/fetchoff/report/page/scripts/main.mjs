// The report's script: begins everything.

import { startAnswer } from "./answer.mjs";
import { drawAll, followScheme, watchCharts } from "./charts.mjs";
import { shownClients } from "./filter.mjs";
import { reveal, unfoldAll, watchFolds, whenUnpacked } from "./folds.mjs";
import { watchExchangesADay } from "./per_day.mjs";
import { recompute } from "./recompute.mjs";
import { fromFragment } from "./state.mjs";
import { watchTables } from "./tables.mjs";

const watch = (part) => {
  watchCharts(part);
  watchTables(part);
  watchExchangesADay(part);
};

watch(document);
whenUnpacked(watch);
watchFolds();
followScheme();

const answer = await startAnswer();

// A fragment is either the reader's choices or the name of a place in the page.
const follow = async () => {
  if (answer?.follow()) return;
  answer?.leave();
  await reveal(location.hash.slice(1));
};
addEventListener("hashchange", follow);
if (fromFragment(location.hash.slice(1)) === null) await follow();

addEventListener("beforeprint", () => {
  document.querySelectorAll("#reading > .fold, #checks > .fold").forEach((part) => { part.open = true; });
  document.querySelectorAll(".explanations details").forEach((entry) => { entry.open = true; });
  drawAll();
});

// For tests, which cannot see what is inside of a module.
window.fetchoffReport = {
  drawAll,
  unfoldAll,
  data: answer?.data,
  standings: (state, workload, clock) => {
    const shown = new Set(shownClients(answer.data.clients, state));
    const baseline = answer.data.clients.findIndex((client) => client.id === state.baseline);
    return recompute(answer.pairs.get(workload)[clock], shown, baseline);
  },
};
document.documentElement.dataset.ready = String(Math.round(performance.now())); // ms since the page was asked for
