// locked.mjs FILE: a line `NAME VERSION HASH` for each package that a package-lock.json locks.
import { readFileSync } from "node:fs";

const { packages } = JSON.parse(readFileSync(process.argv[2], "utf8"));
for (const [place, { version, integrity }] of Object.entries(packages)) {
  const name = place.slice(place.lastIndexOf("node_modules/") + "node_modules/".length);
  if (place && integrity) console.log(name, version, integrity);
}
