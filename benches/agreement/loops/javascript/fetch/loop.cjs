// The global fetch.
const readline = require("node:readline");

const [url] = process.argv.slice(2);
const size = Number(process.argv[3]);
const fields = process.argv.slice(4);
const pairs = fields.flatMap((name, i) => (i % 2 ? [] : [[name, fields[i + 1]]]));

async function exchange() {
  const response = await fetch(url, {
    headers: { "accept-encoding": "identity" },
    redirect: "manual",
    ...(pairs.length && { method: "POST", body: new URLSearchParams(pairs) }),
  });
  const content = await response.arrayBuffer();
  return { status: response.status, length: content.byteLength };
}

const cpuNs = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) * 1000;
};

async function main() {
  for await (const line of readline.createInterface({ input: process.stdin })) {
    const n = Number(line);
    const cpu = cpuNs();
    const wall = process.hrtime.bigint();
    for (let i = 0; i < n; i += 1) {
      const { status, length } = await exchange();
      if (status !== 200 || length !== size) {
        console.error(`status ${status}, ${length} bytes`);
        process.exit(1);
      }
    }
    process.stdout.write(`${cpuNs() - cpu} ${process.hrtime.bigint() - wall}\n`);
  }
  process.exit(0);
}

main();
