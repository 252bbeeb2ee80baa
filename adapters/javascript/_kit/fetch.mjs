// fetch has no client object, and each runtime has its own way to the connections behind it.

const { bun, deno, undici } = process.versions;
const isUndici8 = parseInt(undici) >= 8;
const DISPATCHER = Symbol.for(`undici.globalDispatcher.${isUndici8 ? 2 : 1}`);

/** What the runtime's fetch has besides what every fetch has. */
export const fetchFeatures = featuresOf();

function featuresOf() {
  if (bun) return ["proxy", "coding.deflate", "coding.br", "coding.zstd"];
  if (deno) return ["h2", "h2c", "proxy", "coding.br"];
  return ["coding.deflate", ...(isUndici8 ? ["h2"] : [])];
}

/** The name and version of what does the HTTP; Bun and Deno have their own. */
export const fetchEngine = undici && !bun && !deno ? `undici ${undici}` : "";

/** Connections for one workload: `options` for every call of fetch, and `close`. */
export function fetchConnections({ protocol, ca, proxy }) {
  if (bun) return connectBun(ca, proxy);
  if (deno) return connectDeno(protocol, ca, proxy);
  return connectNode(protocol, ca);
}

// What undici's setGlobalDispatcher does; the undici in Node.js exports no more than fetch.
function connectNode(protocol, ca) {
  void Response; // loads it
  const Agent = globalThis[DISPATCHER].constructor;
  // undici 8 speaks HTTP/2 wherever it can.
  const agent = new Agent({ allowH2: protocol === "h2", connect: { ca } });
  globalThis[DISPATCHER] = agent;
  return { options: {}, close: () => agent.destroy() };
}

function connectBun(ca, proxy) {
  const options = { ...(ca && { tls: { ca } }), ...(proxy && { proxy }) };
  return { options, close() {} };
}

function connectDeno(protocol, ca, proxy) {
  const client = Deno.createHttpClient({
    caCerts: ca ? [ca] : [],
    ...(proxy && { proxy: { url: proxy } }),
    http1: protocol === "http/1.1",
    http2: protocol !== "http/1.1",
  });
  return { options: { client }, close: () => client.close() };
}
