// Connections of Node.js's own clients, which most libraries use as well.

import http from "node:http";
import https from "node:https";

/** An agent for each scheme, as the settings want its connections; `of(url)` is the one to use. */
export function agents({ reuse, ca, options }) {
  const settings = { keepAlive: reuse, noDelay: options.tcp_nodelay };
  const plain = new http.Agent(settings);
  const secure = new https.Agent({ ...settings, ca });
  return {
    http: plain,
    https: secure,
    of: (url) => (url.startsWith("https:") ? secure : plain),
    destroy() {
      plain.destroy();
      secure.destroy();
    },
  };
}
