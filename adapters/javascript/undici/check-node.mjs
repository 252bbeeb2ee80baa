// check-node.mjs VERSION: whether this version of undici runs on this Node.js.
const version = process.argv[2];
const needed = { 5: 14, 6: 18, 7: 20, 8: 22 }[parseInt(version)];

if (parseInt(process.versions.node) < needed) {
  const found = process.versions.node;
  console.error(`undici ${version} needs Node.js ${needed} or later, and this is ${found}`);
  process.exit(1);
}
