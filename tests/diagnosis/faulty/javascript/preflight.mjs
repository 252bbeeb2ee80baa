// Asks with HEAD whether the target is there before each request.

import { Raw, serveRaw } from "./raw.mjs";

class Preflight extends Raw {
  async request({ method, url, headers, body }) {
    await super.request({ method: "HEAD", url, headers });
    return super.request({ method, url, headers, body });
  }
}

serveRaw(Preflight);
