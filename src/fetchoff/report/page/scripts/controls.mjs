// What the reader chooses by. Controls are made once; `update` shows the state in them.

import { element } from "./elements.mjs";
import { cycled, toggled } from "./state.mjs";

const SAID = { "": "", "+": ", taken in", "-": ", left out" };
const MARKS = { "": "", "+": "✓ ", "-": "✕ " };

export const makeControls = (place, data, go) => {
  const parts = [
    aspects(data, go),
    baselines(data, go),
    search(go),
    ...data.facets.map((facet) => facetOf(facet, go)),
    data.workloads.length > 1 ? columns(data, go) : null,
    data.clients.some((client) => client.traits.is_variant) ? variants(go) : null,
    reset(data, go),
  ].filter(Boolean);
  place.replaceChildren(...parts.map((part) => part.shown));
  return (state) => parts.forEach((part) => part.update(state));
};

const aspects = (data, go) => {
  const inputs = data.aspects.map((aspect) => [
    aspect.key,
    element("input", { type: "radio", name: "aspect", value: aspect.key, onchange: () => go({ aspect: aspect.key, sort: "", turned: false }) }),
    aspect,
  ]);
  const labels = inputs.map(([, input, aspect]) => element("label", { title: aspect.about }, input, element("span", {}, aspect.label)));
  return {
    shown: element("fieldset", { class: "aspects" }, element("legend", { class: "sr" }, "what is compared"), labels),
    update: (state) => inputs.forEach(([key, input]) => { input.checked = key === (state.aspect || data.aspects[0].key); }),
  };
};

const baselines = (data, go) => {
  const ranked = data.clients.filter((client) => client.ranked).map((client) => client.id);
  const options = ranked.map((id) => element("option", { value: id }, id));
  const select = element("select", { onchange: () => go({ baseline: select.value }) }, element("option", { value: "" }, "the best shown"), options);
  return {
    shown: element("label", { class: "baseline-choice" }, "relative to ", select),
    update: (state) => { select.value = ranked.includes(state.baseline) ? state.baseline : ""; },
  };
};

const search = (go) => {
  const input = element("input", { type: "search", placeholder: "text, -text", autocomplete: "off", spellcheck: "false", oninput: () => go({ text: input.value }, { quietly: true }) });
  return {
    shown: element("label", { class: "search" }, "find ", input),
    update: (state) => { if (input.value !== state.text) input.value = state.text; },
  };
};

// One click takes in, a second leaves out, a third does neither.
const facetOf = (facet, go) => {
  let state = null;
  const buttons = facet.options.map(({ value, label }) => [
    value,
    label,
    element("button", { type: "button", onclick: () => go({ [facet.key]: cycled(state[facet.key], value) }) }, label),
  ]);
  const summary = element("summary", {});
  return {
    shown: element("details", { class: "facet" }, summary, element("div", { class: "options", role: "group", "aria-label": facet.label }, buttons.map(([, , button]) => button))),
    update: (now) => {
      state = now;
      const chosen = now[facet.key];
      for (const [value, label, button] of buttons) {
        const mark = chosen.includes(value) ? "+" : chosen.includes(`-${value}`) ? "-" : "";
        button.dataset.choice = mark;
        button.textContent = MARKS[mark] + label;
        button.setAttribute("aria-label", label + SAID[mark]);
      }
      const labels = Object.fromEntries(facet.options.map((option) => [option.value, option.label]));
      const told = chosen.map((value) => (value.startsWith("-") ? `not ${labels[value.slice(1)] ?? value.slice(1)}` : (labels[value] ?? value)));
      summary.textContent = `${facet.label}: ${told.length ? told.join(", ") : "any"}`;
    },
  };
};

const columns = (data, go) => {
  let state = null;
  const all = data.workloads.map((workload) => workload.id);
  const now = () => (state.column.length ? state.column : all);
  const boxes = data.workloads.map(({ id, title }) => {
    const box = element("input", { type: "checkbox", onchange: () => {
      const chosen = all.filter((each) => toggled(now(), id).includes(each));
      go({ column: chosen.length === all.length ? [] : chosen });
    } });
    const only = element("button", { type: "button", class: "only", "aria-label": `only ${title}`, onclick: () => go({ column: [id] }) }, "only");
    return [id, box, element("div", {}, element("label", {}, box, ` ${title}`), " ", only)];
  });
  const summary = element("summary", {});
  return {
    shown: element("details", { class: "facet" }, summary, element("div", { class: "options columns" }, boxes.map(([, , shown]) => shown))),
    update: (given) => {
      state = given;
      for (const [id, box] of boxes) box.checked = now().includes(id);
      summary.textContent = `workloads: ${state.column.length ? `${state.column.length} of ${all.length}` : "all"}`;
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

const reset = (data, go) => {
  const button = element("button", { type: "button", class: "reset", onclick: () => go(null) }, "show everything");
  return { shown: button, update: () => {} };
};
