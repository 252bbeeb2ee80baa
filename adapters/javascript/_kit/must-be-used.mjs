// must-be-used.mjs TREE…: fails if the adapter in this folder uses nothing of a tree that was installed. Base and head
// of a gate would be the same code. It uses what its package.json asks for, and what that does, as Node.js finds it.
import { existsSync, readFileSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";

const root = process.cwd();
const modules = join(root, "node_modules");

function described(folder) {
  return JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
}

// A dependent may have a copy of its own, in another version.
function find(name, folder) {
  for (let place = folder; ; place = dirname(place)) {
    const found = join(place, "node_modules", name);
    if (existsSync(join(found, "package.json"))) return found;
    if (place === root) return undefined;
  }
}

function addUsed(folder, used) {
  const { dependencies, optionalDependencies, peerDependencies } = described(folder);
  for (const name of Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies })) {
    const found = find(name, folder);
    if (found === undefined || used.has(found)) continue;
    used.add(found);
    addUsed(found, used);
  }
  return used;
}

const used = addUsed(root, new Set());
for (const tree of process.argv.slice(2)) {
  const { name } = described(tree);
  if (used.has(join(modules, name))) continue;
  const names = [...used].map((folder) => relative(modules, folder)).sort().join(", ");
  console.error(`the adapter uses nothing of ${basename(tree)}, which installs ${name}: it uses ${names}`);
  process.exit(1);
}
