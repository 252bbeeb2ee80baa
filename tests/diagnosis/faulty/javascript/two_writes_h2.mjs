// Writes HEADERS and DATA separately, with Nagle's algorithm on.

import { setImmediate } from "node:timers/promises";

import { RawH2, serveRawH2 } from "./raw_h2.mjs";

class TwoWrites extends RawH2 {
  noDelay = false;

  async write(stream, content) {
    await setImmediate();
    await setImmediate();
    stream.end(content);
  }
}

serveRawH2(TwoWrites);
