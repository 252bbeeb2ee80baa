// undici.request over an Agent with one connection.
const { Agent, request } = require("undici");
const readline = require("node:readline");

const [url] = process.argv.slice(2);
const size = Number(process.argv[3]);
const fields = process.argv.slice(4);
const pairs = fields.flatMap((name, i) => (i % 2 ? [] : [[name, fields[i + 1]]]));
const dispatcher = new Agent({ connections: 1 });

function post() {
  if (!pairs.length) return {};
  const headers = { "content-type": "application/x-www-form-urlencoded" };
  return { method: "POST", headers, body: new URLSearchParams(pairs).toString() };
}

async function exchange() {
  const { statusCode, body } = await request(url, { dispatcher, ...post() });
  const content = await body.arrayBuffer();
  return { status: statusCode, length: content.byteLength };
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
