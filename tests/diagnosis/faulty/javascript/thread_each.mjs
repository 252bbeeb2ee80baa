// Decodes each answer in a thread of its own.

import { once } from "node:events";
import { Worker } from "node:worker_threads";

import { Raw, serveRaw } from "./raw.mjs";

const DECODE = `
  const { parentPort, workerData } = require("node:worker_threads");
  parentPort.postMessage(new TextDecoder().decode(workerData));
`;

class ThreadEach extends Raw {
  async after(data) {
    await once(new Worker(DECODE, { eval: true, workerData: data }), "message");
  }
}

serveRaw(ThreadEach);
