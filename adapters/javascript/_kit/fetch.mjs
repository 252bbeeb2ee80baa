// fetch has no client object, and each runtime has its own way to the connections behind it:
// `options` for every call, and `close`.

// Of undici 8 and of those before it.
const DISPATCHERS = ["undici.globalDispatcher.2", "undici.globalDispatcher.1"].map(Symbol.for);

/** HTTP/2 is a default since undici 8. */
export function fetchConnections({ protocol, ca, proxy }) {
  if (globalThis.Bun) return connectBun(ca, proxy);
  if (globalThis.Deno) return connectDeno(ca, proxy);
  return connectNode(protocol, ca);
}

// What undici's setGlobalDispatcher does; the undici in Node.js exports no more than fetch.
function connectNode(protocol, ca) {
  void Response; // loads it
  const dispatcher = DISPATCHERS.find((symbol) => globalThis[symbol]);
  const Agent = globalThis[dispatcher].constructor;
  const agent = new Agent({ allowH2: protocol === "h2", connect: { ca } });
  globalThis[dispatcher] = agent;
  return { options: {}, close: () => agent.destroy() };
}

function connectBun(ca, proxy) {
  const options = { ...(ca && { tls: { ca } }), ...(proxy && { proxy }) };
  return { options, close() {} };
}

function connectDeno(ca, proxy) {
  const client = Deno.createHttpClient({
    caCerts: ca ? [ca] : [],
    ...(proxy && { proxy: { url: proxy } }),
    http2: false,
  });
  return { options: { client }, close: () => client.close() };
}
