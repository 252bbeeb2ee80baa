// Begins each TLS connection with a full handshake.

import { Raw, serveRaw } from "./raw.mjs";

class NoResumption extends Raw {
  resumes = false;
}

serveRaw(NoResumption);
