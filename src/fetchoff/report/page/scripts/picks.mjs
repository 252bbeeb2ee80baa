// What can be done with the clients that are picked, and how many are shown.

import { element } from "./elements.mjs";
import { counted } from "./figures.mjs";

export const MOST_COMPARED = 4;

export const drawPicks = (place, data, view, state, go) => {
  const all = data.clients.filter((client) => client.ranked).length;
  const told = `${view.shown.length.toLocaleString("en")} of ${counted(all, "client")}`;
  const left = state.without.length ? [button(`${state.without.length} left out: undo`, { without: [] }, go)] : [];
  place.replaceChildren(element("span", { role: "status" }, told), ...left, ...(state.pick.length ? ofPicked(state, go) : []));
};

const ofPicked = (state, go) => {
  const count = state.pick.length;
  const compare = count >= 2 && count <= MOST_COMPARED;
  return [
    element("span", { class: "picked" }, `${count} picked:`),
    button(compare ? "compare side by side" : `compare (2 to ${MOST_COMPARED})`, { view: "compare" }, go, !compare),
    state.only ? button("show the others too", { only: false }, go) : button("show only these", { only: true }, go),
    button("leave these out", { without: [...state.without, ...state.pick], pick: [], only: false }, go),
    button("unpick", { pick: [], only: false }, go),
  ];
};

const button = (label, change, go, disabled = false) =>
  element("button", { type: "button", disabled, "data-focus": `picks ${label}`, onclick: () => go(change) }, label);
