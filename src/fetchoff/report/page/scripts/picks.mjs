// What can be done with the clients that are picked, and how many are shown.

import { element } from "./elements.mjs";
import { counted } from "./figures.mjs";
import { button } from "./pieces.mjs";

const MOST_COMPARED = 4;

export const drawPicks = (place, data, view, state, go) => {
  const all = data.clients.filter((client) => client.ranked).length;
  const told = `${view.shown.length.toLocaleString("en")} of ${counted(all, "client")}`;
  const act = (label, change, attributes = {}) =>
    button(label, () => go(change), { "data-focus": `picks ${label}`, ...attributes });
  const undo = act(`${state.without.length} left out: undo`, { without: [] });
  place.replaceChildren(
    element("span", { role: "status" }, told),
    ...(state.without.length ? [undo] : []),
    ...(state.pick.length ? ofPicked(state, act) : []),
  );
};

const ofPicked = (state, act) => {
  const count = state.pick.length;
  const fits = count >= 2 && count <= MOST_COMPARED;
  return [
    element("span", { class: "picked" }, `${count} picked:`),
    act(fits ? "compare side by side" : `compare (2 to ${MOST_COMPARED})`, { view: "compare" }, { disabled: !fits }),
    state.only ? act("show the others too", { only: false }) : act("show only these", { only: true }),
    act("leave these out", { without: [...state.without, ...state.pick], pick: [], only: false }),
    act("unpick", { pick: [], only: false }),
  ];
};
