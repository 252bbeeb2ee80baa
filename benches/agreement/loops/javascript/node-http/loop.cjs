// node:http with an Agent that keeps connections alive.
const http = require("node:http");
const readline = require("node:readline");

const [url] = process.argv.slice(2);
const size = Number(process.argv[3]);
const fields = process.argv.slice(4);
const pairs = fields.flatMap((name, i) => (i % 2 ? [] : [[name, fields[i + 1]]]));
const agent = new http.Agent({ keepAlive: true });

function post(form) {
  const headers = {
    "Content-Type": "application/x-www-form-urlencoded",
    "Content-Length": Buffer.byteLength(form),
  };
  return { method: "POST", headers };
}

function exchange() {
  return new Promise((resolve, reject) => {
    const form = pairs.length ? new URLSearchParams(pairs).toString() : undefined;
    const request = http.request(url, { agent, ...(form && post(form)) }, (response) => {
      const chunks = [];
      response.on("data", (chunk) => chunks.push(chunk));
      response.on("end", () => {
        const content = Buffer.concat(chunks);
        resolve({ status: response.statusCode, length: content.byteLength });
      });
      response.on("error", reject);
    });
    request.on("error", reject);
    request.end(form);
  });
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
