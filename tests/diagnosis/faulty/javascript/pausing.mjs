// Collects its garbage after every 35th answer, with much that is alive.
//
// The exchange after a collection is long, too: it lasts 3 to 10 ms, where others take 0.2. After
// every 20th answer, both were a tenth of all exchanges, and that is where the rule takes long ones
// for ordinary.

import v8 from "node:v8";
import vm from "node:vm";

import { Raw, serveRaw } from "./raw.mjs";

v8.setFlagsFromString("--expose-gc");
const collect = vm.runInNewContext("gc");
const EVERY = 35;
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
