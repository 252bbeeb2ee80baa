// Sends content in pieces that it copies, one after the other: it never holds all of a copy, but its
// collector frees them late.

import { once } from "node:events";

import { Raw, serveRaw } from "./raw.mjs";

const PIECE_BYTES = 65_536;

class CleanPieces extends Raw {
  async write(socket, head, content) {
    socket.write(head);
    for (let start = 0; start < content.length; start += PIECE_BYTES) {
      const piece = Buffer.from(content.subarray(start, start + PIECE_BYTES));
      if (!socket.write(piece)) await once(socket, "drain");
    }
  }
}

serveRaw(CleanPieces);
