// What the reader chooses by. Controls are made once; what is returned shows a state in them.

import { element } from "./elements.mjs";
import { button } from "./pieces.mjs";
import { cycled, toggled } from "./state.mjs";

const SAID = { "": "", "+": ", taken in", "-": ", left out" };
const MARKS = { "": "", "+": "✓ ", "-": "✕ " };

export const makeControls = (place, data, go) => {
  const parts = [aspects(data, go), baselines(data, go), search(go), ...data.facets.map((facet) => facetOf(facet, go))];
  if (data.workloads.length > 1) parts.push(columns(data, go));
  if (data.clients.some((client) => client.traits.is_variant)) parts.push(variants(go));
  place.replaceChildren(...parts.map((part) => part.shown), button("show everything", () => go(null), { class: "reset" }));
  return (state) => parts.forEach((part) => part.update(state));
};

const folded = (summary, options) => element("details", { class: "facet" }, summary, options);

const aspects = (data, go) => {
  const inputs = data.aspects.map(({ key }) => {
    const choose = () => go({ aspect: key, sort: "", turned: false });
    return element("input", { type: "radio", name: "aspect", value: key, onchange: choose });
  });
  const labels = data.aspects.map(({ label, about }, place) =>
    element("label", { title: about }, inputs[place], element("span", {}, label)),
  );
  return {
    shown: element("fieldset", { class: "aspects" }, element("legend", { class: "sr" }, "what is compared"), labels),
    update: (state) => {
      for (const input of inputs) input.checked = input.value === (state.aspect || data.aspects[0].key);
    },
  };
};

const baselines = (data, go) => {
  const ranked = data.clients.filter((client) => client.ranked).map((client) => client.id);
  const select = element("select", { onchange: () => go({ baseline: select.value }) });
  select.append(element("option", { value: "" }, "the best shown"), ...ranked.map((id) => element("option", { value: id }, id)));
  return {
    shown: element("label", { class: "baseline-choice" }, "relative to ", select),
    update: (state) => { select.value = ranked.includes(state.baseline) ? state.baseline : ""; },
  };
};

const search = (go) => {
  const input = element("input", {
    type: "search",
    placeholder: "text, -text",
    autocomplete: "off",
    spellcheck: "false",
    oninput: () => go({ text: input.value }, { quietly: true }),
  });
  return {
    shown: element("label", { class: "search" }, "find ", input),
    update: (state) => { if (input.value !== state.text) input.value = state.text; },
  };
};

// One click takes in, a second leaves out, a third does neither.
const facetOf = (facet, go) => {
  let chosen = [];
  const labels = Object.fromEntries(facet.options.map(({ value, label }) => [value, label]));
  const buttons = facet.options.map(({ value, label }) =>
    button(label, () => go({ [facet.key]: cycled(chosen, value) }), { "data-value": value }),
  );
  const mark = (value) => (chosen.includes(value) ? "+" : chosen.includes(`-${value}`) ? "-" : "");
  const inWords = (value) => (value.startsWith("-") ? `not ${labels[value.slice(1)] ?? value.slice(1)}` : (labels[value] ?? value));
  const summary = element("summary", {});
  return {
    shown: folded(summary, element("div", { class: "options", role: "group", "aria-label": facet.label }, buttons)),
    update: (state) => {
      chosen = state[facet.key];
      summary.textContent = `${facet.label}: ${chosen.map(inWords).join(", ") || "any"}`;
      for (const option of buttons) {
        const [found, label] = [mark(option.dataset.value), labels[option.dataset.value]];
        option.dataset.choice = found;
        option.textContent = MARKS[found] + label;
        option.setAttribute("aria-label", label + SAID[found]);
      }
    },
  };
};

const columns = (data, go) => {
  const all = data.workloads.map((workload) => workload.id);
  let chosen = all;
  const boxes = all.map((id) =>
    element("input", { type: "checkbox", value: id, onchange: () => {
      const now = all.filter((each) => toggled(chosen, id).includes(each));
      go({ column: now.length === all.length ? [] : now });
    } }),
  );
  const lines = data.workloads.map(({ id, title }, place) => {
    const only = button("only", () => go({ column: [id] }), { "aria-label": `only ${title}` });
    return element("div", {}, element("label", {}, boxes[place], ` ${title}`), " ", only);
  });
  const summary = element("summary", {});
  return {
    shown: folded(summary, element("div", { class: "options columns", role: "group", "aria-label": "workloads" }, lines)),
    update: (state) => {
      chosen = state.column.length ? state.column : all;
      for (const box of boxes) box.checked = chosen.includes(box.value);
      summary.textContent = `workloads: ${state.column.length ? `${chosen.length} of ${all.length}` : "all"}`;
    },
  };
};

const variants = (go) => {
  const box = element("input", { type: "checkbox", onchange: () => go({ plain: box.checked }) });
  return {
    shown: element("label", { class: "variants" }, box, " hide variants"),
    update: (state) => { box.checked = state.plain; },
  };
};
