// Keeps the window that HTTP/2 begins with.

import { RawH2, serveRawH2 } from "./raw_h2.mjs";

class SmallWindow extends RawH2 {
  window = 65_535;
}

serveRawH2(SmallWindow);
