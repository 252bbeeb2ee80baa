// What is shown, as files that the browser makes.

import { element } from "./elements.mjs";

const NAMES = [
  "run", "client", "version", "workload", "aspect", "figure", "shown_as", "ratio", "ratio_low", "ratio_high",
  "relative_to", "verdict", "tier_best", "tier_worst", "absent",
];

export const rowsOf = (data, view) =>
  view.shown.flatMap((number) => view.columns.map((column) => rowOf(data, view.aspect, column, number)));

const rowOf = (data, aspect, column, number) => {
  const cell = column.cells.get(number);
  return {
    run: data.run,
    client: data.clients[number].id,
    version: data.clients[number].version,
    workload: column.workload.id,
    aspect: aspect.key,
    figure: cell.value ?? null,
    shown_as: cell.text ?? null,
    ratio: known(cell.ratio),
    ratio_low: known(cell.high) === null ? null : known(cell.low),
    ratio_high: known(cell.high),
    relative_to: column.reference >= 0 ? data.clients[column.reference].id : null,
    verdict: cell.verdict ?? null,
    tier_best: cell.tiers?.[0] ?? null,
    tier_worst: cell.tiers?.[1] ?? null,
    absent: cell.absent ?? null,
  };
};

const known = (value) => (Number.isFinite(value) ? value : null);

// A spreadsheet takes a text that begins so for a formula, and texts are adapters'.
const literal = (value) => (typeof value === "string" && /^[=+\-@\t\r\n]/.test(value) ? `'${value}` : value);

const quoted = (value) => {
  const text = value === null ? "" : String(literal(value));
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};

export const asCsv = (rows) => {
  const lines = [NAMES, ...rows.map((row) => NAMES.map((name) => row[name]))];
  return lines.map((cells) => `${cells.map(quoted).join(",")}\n`).join("");
};

export const asJson = (data, rows) => `${JSON.stringify({ run: data.run, title: data.title, rows }, null, 1)}\n`;

export const save = (name, kind, text) => {
  const address = URL.createObjectURL(new Blob([text], { type: kind }));
  const link = element("a", { href: address, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
};
