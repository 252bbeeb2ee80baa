// Which clients the reader's choices leave.

const FACETS = ["language", "kind", "protocol", "capability"];
const EVERY_ONE = new Set(["protocol", "capability"]); // what a client must have all of

const passesFacet = (name, values, chosen) => {
  const wanted = chosen.filter((value) => !value.startsWith("-"));
  const unwanted = chosen.filter((value) => value.startsWith("-")).map((value) => value.slice(1));
  if (unwanted.some((value) => values.includes(value))) return false;
  if (wanted.length === 0) return true;
  const has = (value) => values.includes(value);
  return EVERY_ONE.has(name) ? wanted.every(has) : wanted.some(has);
};

// Every word must be there, and no word after a "-".
const passesText = (client, text) => {
  const told = [client.id, client.about, client.version, client.runtime, client.engine].join(" ").toLowerCase();
  const words = text.toLowerCase().split(/\s+/).filter((word) => word && word !== "-");
  return words.every((word) => (word.startsWith("-") ? !told.includes(word.slice(1)) : told.includes(word)));
};

const passes = (client, state) =>
  client.ranked &&
  FACETS.every((name) => passesFacet(name, client.traits[name], state[name])) &&
  passesText(client, state.text) &&
  !(state.plain && client.traits.is_variant) &&
  !state.without.includes(client.id) &&
  !(state.only && state.pick.length > 0 && !state.pick.includes(client.id));

// The numbers of the clients that are shown.
export const shownClients = (clients, state) =>
  [...clients.keys()].filter((number) => passes(clients[number], state));

export const shownWorkloads = (workloads, state) => {
  const chosen = workloads.filter((workload) => state.column.includes(workload.id));
  return chosen.length > 0 ? chosen : workloads;
};
