// The first screen: keeps the reader's choices and draws what follows from them.

import { adviceOf, sureness } from "./advice.mjs";
import { drawClientPage } from "./client_page.mjs";
import { drawComparePage } from "./compare_page.mjs";
import { makeControls } from "./controls.mjs";
import { asCsv, asJson, rowsOf, save } from "./download.mjs";
import { element, keepingFocus } from "./elements.mjs";
import { drawMatrix } from "./matrix.mjs";
import { documentOf } from "./packing.mjs";
import { readPairs } from "./pairs.mjs";
import { drawPicks } from "./picks.mjs";
import { START, fromFragment, toFragment } from "./state.mjs";
import { viewOf } from "./view.mjs";

const at = (id) => document.getElementById(id);
const addressOf = (state) => `#${toFragment(state)}`;

const unpackedPairs = async (data) => {
  const found = new Map();
  for (const { id, pairs } of data.workloads) {
    const clocks = Object.keys(pairs);
    const read = await Promise.all(clocks.map((clock) => readPairs(pairs[clock])));
    found.set(id, Object.fromEntries(clocks.map((clock, place) => [clock, read[place]])));
  }
  return found;
};

export const startAnswer = async () => {
  const place = at("answer-data");
  if (!place) return null;
  const data = await documentOf(place);
  const pairs = await unpackedPairs(data);
  let state = fromFragment(location.hash.slice(1)) ?? START;
  let view = null;
  let wasQuiet = false;

  const linkTo = (client) => addressOf({ ...state, client, view: "" });
  const links = () => ({ go, linkTo, backTo: addressOf({ ...state, client: "", view: "" }) });

  const draw = () => {
    const page = state.client ? "client" : state.view === "compare" ? "compare" : "matrix";
    for (const name of ["matrix", "client", "compare"]) at(`view-${name}`).hidden = page !== name;
    at("depth").hidden = page !== "matrix";
    view = viewOf(data, pairs, state);
    if (page === "client") drawClientPage(at("view-client"), data, pairs, state, links());
    if (page === "compare") drawComparePage(at("view-compare"), data, pairs, state, links());
    if (page !== "matrix") return;
    at("advice").replaceChildren(...adviceOf(view).map(asNode));
    at("sureness").textContent = sureness(data, view);
    drawPicks(at("picks"), data, view, state, go);
    drawMatrix(at("matrix"), data, view, state, links());
  };

  const asNode = (part) => {
    if (typeof part === "string") return part;
    const { id } = data.clients[part.client];
    return element("a", { href: linkTo(id) }, id);
  };

  const show = () => keepingFocus(() => {
    controls(state);
    draw();
  });

  // `quietly`: letters of one word make one entry of the browser's history. null: begin anew.
  const go = (change, { quietly = false } = {}) => {
    const before = state;
    state = change === null ? { ...START, aspect: state.aspect } : { ...state, ...change };
    if (toFragment(before) === toFragment(state)) return;
    history[quietly && wasQuiet ? "replaceState" : "pushState"](null, "", addressOf(state));
    wasQuiet = quietly;
    show();
    if (state.view !== before.view || state.client !== before.client) turnTo();
  };

  // A new view begins at its heading, for the eye and for a screen reader.
  const turnTo = () => {
    const heading = document.querySelector(".view:not([hidden]) h2");
    window.scrollTo(0, 0);
    heading?.focus({ preventScroll: true });
  };

  const controls = makeControls(at("controls"), data, go);
  at("save-csv").addEventListener("click", () => save(`${data.run}.csv`, "text/csv", asCsv(rowsOf(data, view))));
  at("save-json").addEventListener("click", () => {
    save(`${data.run}.json`, "application/json", asJson(data, rowsOf(data, view)));
  });
  show();

  return {
    data,
    pairs,
    // What the address says now; whether it is a state at all.
    follow: () => {
      const told = fromFragment(location.hash.slice(1));
      if (told === null) return false;
      const before = state;
      state = told;
      wasQuiet = false;
      show();
      if (state.view !== before.view || state.client !== before.client) turnTo();
      return true;
    },
    leave: () => {
      if (state.client || state.view) {
        state = { ...state, client: "", view: "" };
        show();
      }
    },
  };
};
