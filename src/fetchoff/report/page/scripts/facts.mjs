// What is known of a client besides its figures, as names and values.

import { outside } from "./elements.mjs";

export const factsOf = (data, client) => {
  const options = data.facets.flatMap((facet) => facet.options);
  const labels = Object.fromEntries(options.map((option) => [option.value, option.label]));
  const told = (values) => values.map((value) => labels[value] ?? value).join(", ");
  return [
    ["version", client.version],
    ["runs on", [client.runtime, client.engine].filter(Boolean).join(", on ")],
    ["install", client.install || (client.homepage ? "as its homepage says" : "")],
    ["homepage", client.homepage ? outside(client.homepage) : ""],
    ["kind", told(client.traits.kind)],
    ["speaks", told(client.traits.protocol)],
    ["can do", told(client.traits.capability)],
    ["parses JSON by", client.parser === "own" ? "an interface of its own" : client.parser],
    ["sample program", client.source_name ? `${client.source_name}, ${client.lines} lines` : ""],
  ].filter(([, value]) => value);
};
