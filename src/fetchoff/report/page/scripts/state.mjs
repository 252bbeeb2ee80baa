// The reader's choices, and how the page's address holds them.

export const LISTS = ["language", "kind", "protocol", "capability", "pick", "without", "column"];
const WORDS = ["aspect", "baseline", "text", "sort", "client", "view"];
const FLAGS = ["plain", "only", "turned"];

// `plain`: without variants; `only`: nothing but what is picked; `column`: workloads to show, all if
// none is named; `turned`: the other way round; `view`: "compare", or "". In a list, a value
// that begins with "-" is left out.
export const START = Object.freeze({
  ...Object.fromEntries(LISTS.map((name) => [name, []])),
  ...Object.fromEntries(WORDS.map((name) => [name, ""])),
  ...Object.fromEntries(FLAGS.map((name) => [name, false])),
});

export const toFragment = (state) => {
  const found = new URLSearchParams({ aspect: state.aspect });
  for (const name of WORDS) if (state[name] && name !== "aspect") found.append(name, state[name]);
  for (const name of FLAGS) if (state[name]) found.append(name, "yes");
  for (const name of LISTS) for (const value of state[name]) found.append(name, value);
  return found.toString();
};

// null: the fragment is no state, but the name of a place in the page.
export const fromFragment = (fragment) => {
  if (fragment === "") return START;
  if (!fragment.includes("=")) return null;
  const told = new URLSearchParams(fragment);
  return {
    ...Object.fromEntries(LISTS.map((name) => [name, told.getAll(name)])),
    ...Object.fromEntries(WORDS.map((name) => [name, told.get(name) ?? ""])),
    ...Object.fromEntries(FLAGS.map((name) => [name, told.get(name) === "yes"])),
  };
};

// Neither, then taken in, then left out, then neither again.
export const cycled = (values, value) => {
  const others = values.filter((each) => each !== value && each !== `-${value}`);
  if (values.includes(value)) return [...others, `-${value}`];
  return values.includes(`-${value}`) ? others : [...others, value];
};

export const toggled = (values, value) =>
  values.includes(value) ? values.filter((each) => each !== value) : [...values, value];
