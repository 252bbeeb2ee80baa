// The programs of clients, which stand in a folded part of the page.

import { element } from "./elements.mjs";
import { unpacked } from "./folds.mjs";

// The client's program with its colours, as a copy.
const programOf = async (client) => {
  await unpacked(document.querySelector("#clients > .fold"));
  const code = client.card && document.getElementById(client.card)?.querySelector("pre");
  return code ? code.cloneNode(true) : element("p", {}, "This run has no program of it.");
};

export const programPlace = (client) => {
  const place = element("div", { class: "program" }, element("p", {}, "…"));
  programOf(client).then((code) => place.replaceChildren(code));
  return place;
};
