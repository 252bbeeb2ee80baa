// The protocol loop of docs/protocol.md, version 1, for Node.js. An adapter calls `serve` with its
// description and `open(settings, exchanges)`, which builds the client, an object with
// `send(exchange)` and `close()`.

import { readFileSync } from "node:fs";
import path from "node:path";
import { createInterface } from "node:readline";

import { Exchange, loadBody } from "./exchange.mjs";

export { agents } from "./agents.mjs";
export { formData } from "./exchange.mjs";
export { fetchConnections, fetchEngine, fetchFeatures } from "./fetch.mjs";

const PROTOCOL = 1;
const KIT_FEATURES = ["concurrency", "inject.busy"];
// Sinks that need no more of the library than the sink that they are built upon.
const SINKS_BUILT_UPON = { "sink.buffer": "sink.json", "sink.discard": "sink.file" };
const GRACE_AT_END_OF_INPUT_MS = 5000;

// Standard output belongs to the protocol from the first import on; a library that prints does so
// on standard error.
const writeAnswer = process.stdout.write.bind(process.stdout);
process.stdout.write = process.stderr.write.bind(process.stderr);

// The setting alone says whether there is a proxy, and not the environment.
for (const name of Object.keys(process.env)) {
  if (name.toLowerCase().endsWith("_proxy")) delete process.env[name];
}

/** Thrown by `open` for a feature that the library has, but not together with the others. */
export class Unsupported extends Error {
  constructor(feature) {
    super(`unsupported: ${feature}`);
    this.feature = feature;
  }
}

/** The version in an installed package's package.json; `adapter`: the adapter's import.meta.url. */
export function packageVersion(adapter, name) {
  const path = new URL(`node_modules/${name}/package.json`, adapter);
  return JSON.parse(readFileSync(path, "utf8")).version;
}

export async function serve(adapter) {
  const session = new Session(adapter);
  const lines = createInterface({ input: process.stdin });
  // A batch that hangs must not keep the process alive when the harness is gone.
  const giveUp = () => process.exit(1);
  process.stdin.once("end", () => setTimeout(giveUp, GRACE_AT_END_OF_INPUT_MS).unref());
  for await (const line of lines) {
    const answer = await session.answer(line);
    await new Promise((written) => writeAnswer(`${JSON.stringify(answer)}\n`, written));
    if (answer.finished) break;
  }
  process.exit(0);
}

class Session {
  #adapter;
  #features;
  #workload = null;

  constructor(adapter) {
    this.#adapter = adapter;
    const built = adapter.features.map((feature) => SINKS_BUILT_UPON[feature]).filter(Boolean);
    this.#features = [...adapter.features, ...built, ...KIT_FEATURES];
  }

  async answer(line) {
    try {
      const message = JSON.parse(line);
      switch (message?.op) {
        case "hello":
          return this.#hello(message);
        case "prepare":
          return await this.#prepare(message);
        case "run":
          return await this.#run(message);
        case "finish":
          await this.#drop();
          return { finished: true };
        default:
          return { error: `unknown op: ${JSON.stringify(message?.op ?? message)}` };
      }
    } catch (error) {
      if (error instanceof Unsupported) return { unsupported: error.feature };
      return { error: describe(error) };
    }
  }

  #hello({ protocol }) {
    if (protocol !== PROTOCOL) throw new Error(`protocol ${protocol}: ${PROTOCOL} is spoken here`);
    const { client, version, engine = "" } = this.#adapter;
    const features = this.#features;
    return { protocol: PROTOCOL, client, version, runtime: runtime(), engine, features };
  }

  async #prepare({ require, exchanges, settings }) {
    if (!Array.isArray(require) || !Array.isArray(exchanges) || !settings) {
      throw new Error("prepare needs require, exchanges and settings");
    }
    await this.#drop();
    const unsupported = require.find((feature) => !this.#features.includes(feature));
    if (unsupported !== undefined) throw new Unsupported(unsupported);
    const loaded = await Promise.all(
      exchanges.map(async (exchange) => ({ ...exchange, body: await loadBody(exchange.body) })),
    );
    // Every worker has exchanges of its own, so that two of them never write to the same file.
    const workers = Array.from({ length: settings.concurrency }, (_, worker) =>
      loaded.map((exchange, index) => {
        return new Exchange(exchange, settings.sink, filePath(settings, worker, index));
      }),
    );
    // null leaves it to the client, and every client here can keep connections.
    const reuse = { reuse: settings.reuse ?? true, mustReuse: settings.reuse === true };
    const ca = settings.tls_ca === null ? undefined : readFileSync(settings.tls_ca, "utf8");
    const client = await this.#adapter.open({ ...settings, ...reuse, ca }, exchanges);
    this.#workload = { client, workers, parses: settings.sink === "json" };
    return { ready: true };
  }

  async #run({ n, digest = false, busy_ns = 0 }) {
    if (this.#workload === null) throw new Error("run before a successful prepare");
    if (!Number.isSafeInteger(n) || n < 1) throw new Error(`n is no positive whole number: ${n}`);
    if (digest && n !== 1) throw new Error("a digest is of one iteration: n must be 1");
    const { client, workers, parses } = this.#workload;
    const [exchanges] = workers;
    for (const exchange of exchanges) exchange.digest(digest);
    const answer = await runBatch(client, workers, n, busy_ns);
    if (parses) answer.parse_ns = Math.round(takeParseMs(workers.flat()) * 1e6);
    if (digest) answer.sha256 = exchanges.map((exchange) => exchange.sha256);
    return answer;
  }

  async #drop() {
    const workload = this.#workload;
    this.#workload = null;
    await workload?.client.close();
  }
}

function runtime() {
  const { bun, deno } = process.versions;
  if (bun) return `Bun ${bun}`;
  if (deno) return `Deno ${deno}`;
  return `Node.js ${process.version}`;
}

function filePath({ sink, directory }, worker, index) {
  return sink === "file" ? path.join(directory, `content-${worker}-${index}`) : null;
}

function takeParseMs(exchanges) {
  return exchanges.reduce((sum, exchange) => sum + exchange.takeParseMs(), 0);
}

async function runBatch(client, workers, n, busyNs) {
  const batch = { left: n, done: 0, failed: 0, bytes: 0, spunMs: 0, error: undefined };
  const start = performance.now();
  const busyMs = busyNs / 1e6;
  const does = busyMs > 0 ? workAndSpin : work;
  await Promise.all(workers.slice(0, n).map((own) => does(batch, client, own, busyMs)));
  const answer = {
    done: batch.done,
    failed: batch.failed,
    bytes: batch.bytes,
    wall_ns: Math.round((performance.now() - start) * 1e6),
  };
  if (batch.error !== undefined) answer.error = batch.error;
  if (busyNs > 0) answer.busy_ns = Math.round(batch.spunMs * 1e6);
  return answer;
}

// The measured loop: as little as a user's own would do. Counts are kept in it, for several workers share a batch.
async function work(batch, client, exchanges) {
  let bytes = 0;
  let done = 0;
  while (batch.left > 0) {
    batch.left -= 1;
    for (let i = 0; i < exchanges.length; i += 1) {
      try {
        bytes += await client.send(exchanges[i]);
        done += 1;
      } catch (error) {
        note(batch, error);
      }
    }
  }
  batch.bytes += bytes;
  batch.done += done;
}

async function workAndSpin(batch, client, exchanges, busyMs) {
  while (batch.left > 0) {
    batch.left -= 1;
    for (const exchange of exchanges) {
      try {
        const bytes = await client.send(exchange);
        batch.bytes += bytes;
        batch.done += 1;
      } catch (error) {
        note(batch, error);
      }
      batch.spunMs += spin(busyMs);
    }
  }
}

function note(batch, error) {
  batch.failed += 1;
  batch.error ??= describe(error);
}

function spin(ms) {
  const start = performance.now();
  let now = start;
  while (now - start < ms) now = performance.now();
  return now - start;
}

// fetch and Happy Eyeballs hide what happened in `cause` and `errors`, under a message of their own
// or none.
function describe(error) {
  if (!(error instanceof Error)) return String(error);
  const text = `${error.name}: ${error.message || error.code}`;
  const inner = error.cause ?? error.errors?.[0];
  const isNews = inner instanceof Error && !text.includes(inner.message);
  return isNews ? `${text} (${describe(inner)})` : text;
}
