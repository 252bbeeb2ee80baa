// releases.mjs PACKAGE: a line `VERSION DATE` for each of its versions, by npm.
import { spawnSync } from "node:child_process";

const name = process.argv[2];
const { stdout } = spawnSync("npm", ["view", name, "versions", "time", "--json"], {
  encoding: "utf8",
  maxBuffer: 2 ** 26,
});
const { error, versions, time } = JSON.parse(stdout || '{"error": {"summary": "npm says nothing"}}');
if (error) {
  console.error(error.summary);
  process.exit(1);
}
for (const version of [versions].flat()) console.log(version, (time[version] ?? "").slice(0, 10));
