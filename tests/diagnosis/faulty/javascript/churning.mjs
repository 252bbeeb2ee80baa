// Keeps two idle connections, and closes all others. It pauses between requests.

import { setTimeout } from "node:timers/promises";

import { Raw, serveRaw } from "./raw.mjs";

const KEPT = 2;

class Churning extends Raw {
  async request(exchange) {
    await setTimeout(10);
    return super.request(exchange);
  }

  release(socket) {
    if (this.idle.length < KEPT) this.idle.push(socket);
    else socket.destroy();
  }
}

serveRaw(Churning);
