// Closes its connection after each request.

import { Raw, serveRaw } from "./raw.mjs";

class Closing extends Raw {
  release(socket) {
    socket.destroy();
  }
}

serveRaw(Closing);
