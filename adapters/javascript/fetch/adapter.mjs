import {
  fetchConnections, fetchEngine, fetchFeatures, formData, serve, Unsupported,
} from "../_kit/kit.mjs";

const CLONES = Boolean(process.env.FETCH_CLONES);

function open(settings, exchanges) {
  const { reuse, mustReuse, decompress, redirects, timeout_ms } = settings;
  // undici closes the connection after HEAD, and fetch has no option against it.
  if (fetchEngine && mustReuse && exchanges.some(({ method }) => method === "HEAD")) {
    throw new Unsupported("connection.reuse");
  }
  const { options, close } = fetchConnections(settings);
  const defaults = {};
  if (!reuse) defaults.connection = "close";
  if (!decompress) defaults["accept-encoding"] = "identity";
  const redirect = redirects > 0 ? "follow" : "manual";

  async function send(exchange) {
    const { method, url, body } = exchange;
    const headers = { ...defaults, ...exchange.headers };
    if (body?.content_type) headers["content-type"] = body.content_type;
    const response = await fetch(url, {
      ...options,
      method,
      headers,
      body: body && (await encode(body)),
      redirect,
      signal: timeout_ms.total && AbortSignal.timeout(timeout_ms.total),
    });
    if (CLONES) response.clone();
    if (exchange.streamed) return exchange.stream(response.status, response.body);
    return exchange.content(response.status, await response.arrayBuffer());
  }
  return { send, close };
}

function encode(body) {
  switch (body.kind) {
    case "form":
      return new URLSearchParams(body.fields);
    case "json":
      return JSON.stringify(body.value);
    case "multipart":
      return formData(body);
    case "raw":
      return body.data;
  }
}

serve({
  client: "fetch",
  version: process.versions.bun ?? process.versions.deno ?? process.versions.node,
  engine: fetchEngine,
  features: [
    "http/1.1", "method.get", "method.head", "method.post", "method.put",
    "body.form", "body.json", "body.multipart", "body.raw", "headers",
    "connection.reuse", "connection.fresh", "tls", "sink.buffer", "sink.discard",
    ...fetchFeatures,
    "decompression", "redirects", "timeout.total",
  ],
  open,
});
