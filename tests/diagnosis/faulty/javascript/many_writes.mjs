// Writes each line of a request by itself, with Nagle's algorithm off.

import { Raw, serveRaw } from "./raw.mjs";

class ManyWrites extends Raw {
  async write(socket, head, content) {
    for (const line of head.split(/(?<=\n)/)) socket.write(line);
    if (content.length) socket.write(content);
  }
}

serveRaw(ManyWrites);
