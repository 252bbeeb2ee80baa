// Collects its garbage after every 20th answer, with much that is alive.

import v8 from "node:v8";
import vm from "node:vm";

import { Raw, serveRaw } from "./raw.mjs";

v8.setFlagsFromString("--expose-gc");
const collect = vm.runInNewContext("gc");
const EVERY = 20;
const ALIVE = Array.from({ length: 200_000 }, (_, number) => ({ number, name: `item ${number}` }));

class Pausing extends Raw {
  answered = 0;

  async after() {
    this.answered += 1;
    if (this.answered % EVERY === 0) collect();
    return ALIVE.length;
  }
}

serveRaw(Pausing);
