// Reads answers in pieces of READ_BYTES, one byte by default.

import { Raw, serveRaw } from "./raw.mjs";

const READ_BYTES = Number(process.env.READ_BYTES ?? 1);

class ByteReads extends Raw {
  options() {
    const buffer = Buffer.alloc(READ_BYTES);
    const callback = function (size, filled) {
      this.emit("data", Buffer.from(filled.subarray(0, size)));
      return true;
    };
    return { onread: { buffer, callback } };
  }
}

serveRaw(ByteReads);
