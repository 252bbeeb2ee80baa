// check-node.mjs: whether the got that was installed runs on this Node.js.
import { readFileSync } from "node:fs";

const { version, engines } = JSON.parse(readFileSync("node_modules/got/package.json", "utf8"));
const needed = parseInt(engines.node.match(/\d+/)); // as ">=14.16"
const found = process.versions.node;

if (parseInt(found) < needed) {
  console.error(`got ${version} needs Node.js ${needed} or later, and this is ${found}`);
  process.exit(1);
}
