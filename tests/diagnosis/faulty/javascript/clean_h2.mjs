// Does nothing wrong over HTTP/2: every rule is to stay silent on it.

import { RawH2, serveRawH2 } from "./raw_h2.mjs";

serveRawH2(RawH2);
