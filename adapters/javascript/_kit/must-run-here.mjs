// must-run-here.mjs FOLDER…: fails if a package says that it needs a newer Node.js than this one. npm only warns, and
// the package then ends with an error of its own, or answers wrong.
import { readFileSync } from "node:fs";
import { join } from "node:path";

const NUMBERS = /(<=?\s*)?v?(\d+)(?:\.(\d+))?(?:\.(\d+))?/g; // as in "^20.19.0 || >=22.12", but no upper bound

function compare(one, other) {
  const at = one.findIndex((number, index) => number !== other[index]);
  return at < 0 ? 0 : one[at] - other[at];
}

function leastOf(range) {
  const named = [...range.matchAll(NUMBERS)].filter(([, upper]) => upper === undefined);
  const versions = named.map(([, , ...numbers]) => numbers.map((number) => Number(number ?? 0)));
  return versions.sort(compare)[0];
}

function short(version) {
  return version.join(".").replace(/(\.0)+$/, "");
}

const found = process.versions.node;
for (const folder of process.argv.slice(2)) {
  const { name, version, engines } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const needed = leastOf(engines?.node ?? "");
  if (needed && compare(found.split(".").map(Number), needed) < 0) {
    console.error(`${name} ${version} needs Node.js ${short(needed)} or later, and this is ${found}`);
    process.exit(1);
  }
}
