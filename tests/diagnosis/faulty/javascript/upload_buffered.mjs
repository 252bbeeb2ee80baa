// Copies what it sends.

import { Raw, serveRaw } from "./raw.mjs";

class UploadBuffered extends Raw {
  async write(socket, head, content) {
    socket.write(Buffer.concat([Buffer.from(head), content]));
  }
}

serveRaw(UploadBuffered);
