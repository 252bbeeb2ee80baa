// Does nothing wrong: every rule is to stay silent on it.

import { Raw, serveRaw } from "./raw.mjs";

serveRaw(Raw);
