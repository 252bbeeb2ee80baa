// Does nothing wrong with several exchanges at once: as the other one, which is on an event loop too.

import "./clean.mjs";
