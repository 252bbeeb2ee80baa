// Asks for 100 (Continue), and waits for its own timer whatever comes.

import { setTimeout } from "node:timers/promises";

import { Raw, serveRaw } from "./raw.mjs";

class Expecting extends Raw {
  fields = [["Expect", "100-continue"]];

  async write(socket, head, content) {
    socket.write(head);
    await setTimeout(150);
    socket.write(content);
  }
}

serveRaw(Expecting);
