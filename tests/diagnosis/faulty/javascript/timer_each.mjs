// Sleeps for SLEEP_MS after each answer, as who looks again and again whether more has come.

import { setTimeout } from "node:timers/promises";

import { Raw, serveRaw } from "./raw.mjs";

const SLEEP_MS = Number(process.env.SLEEP_MS ?? 10);

class TimerEach extends Raw {
  async after() {
    await setTimeout(SLEEP_MS);
  }
}

serveRaw(TimerEach);
