// Writes head and content separately, with Nagle's algorithm on.

import { Raw, serveRaw } from "./raw.mjs";

class TwoWrites extends Raw {
  noDelay = false;

  async write(socket, head, content) {
    await new Promise((written) => socket.write(head, written));
    if (content.length) socket.write(content);
  }
}

serveRaw(TwoWrites);
