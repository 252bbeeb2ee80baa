// node:http with an Agent that keeps connections alive.
const http = require("node:http");
const readline = require("node:readline");

const [url] = process.argv.slice(2);
const size = Number(process.argv[3]);
const agent = new http.Agent({ keepAlive: true });

function exchange() {
  return new Promise((resolve, reject) => {
    const request = http.get(url, { agent }, (response) => {
      const chunks = [];
      response.on("data", (chunk) => chunks.push(chunk));
      response.on("end", () => {
        const content = Buffer.concat(chunks);
        resolve({ status: response.statusCode, length: content.byteLength });
      });
      response.on("error", reject);
    });
    request.on("error", reject);
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
