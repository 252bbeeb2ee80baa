// Lets two requests at once through, however many ask.

import { Raw, serveRaw } from "./raw.mjs";

const LIMIT = 2;

class Queueing extends Raw {
  running = 0;
  waiting = [];

  async request(exchange) {
    if (this.running === LIMIT) await new Promise((letIn) => this.waiting.push(letIn));
    else this.running += 1;
    try {
      return await super.request(exchange);
    } finally {
      const next = this.waiting.shift();
      if (next) next();
      else this.running -= 1;
    }
  }
}

serveRaw(Queueing);
