// Loads a store of certificates for each exchange, even of http: URLs.

import { readFileSync } from "node:fs";
import tls from "node:tls";

import { Raw, serveRaw } from "./raw.mjs";

class CaEach extends Raw {
  async request(exchange) {
    tls.createSecureContext({ ca: readFileSync(process.env.CA_FILE) });
    return super.request(exchange);
  }
}

serveRaw(CaEach);
