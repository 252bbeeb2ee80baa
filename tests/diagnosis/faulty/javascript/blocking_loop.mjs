// Works on each answer for 6 ms in the event loop, as a slow parser would.

import { Raw, serveRaw } from "./raw.mjs";

const WORK_MS = 6;

class BlockingLoop extends Raw {
  async after() {
    const ends = performance.now() + WORK_MS;
    while (performance.now() < ends);
  }
}

serveRaw(BlockingLoop);
