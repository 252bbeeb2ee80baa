import {
  fetchConnections, fetchEngine, fetchFeatures, formData, packageVersion,
  serve, Unsupported,
} from "../_kit/kit.mjs";
import ky from "ky";

function open(settings, exchanges) {
  const { reuse, mustReuse, decompress, redirects, timeout_ms } = settings;
  // undici closes the connection after HEAD, and fetch has no option against it.
  if (fetchEngine && mustReuse && exchanges.some(({ method }) => method === "HEAD")) {
    throw new Unsupported("connection.reuse");
  }
  const { options, close } = fetchConnections(settings);
  const headers = {};
  if (!reuse) headers.connection = "close";
  if (!decompress) headers["accept-encoding"] = "identity";
  const client = ky.create({
    ...options,
    headers,
    redirect: redirects > 0 ? "follow" : "manual",
    // Every exchange counts: a failure must be seen, not tried again.
    retry: 0,
    throwHttpErrors: false,
    timeout: timeout_ms.total ?? undefined, // its own: ten seconds
  });

  async function send(exchange) {
    const { method, url, headers, body } = exchange;
    const request = { method, headers, ...(body && (await encode(body, headers))) };
    const response = await client(url, request);
    if (exchange.streamed) return exchange.stream(response.status, response.body);
    return exchange.content(response.status, await response.arrayBuffer());
  }
  return { send, close };
}

async function encode(body, headers) {
  switch (body.kind) {
    case "form":
      return { body: new URLSearchParams(body.fields) };
    case "json":
      return { json: body.value };
    case "multipart":
      return { body: await formData(body) };
    case "raw":
      return { body: body.data, headers: { ...headers, "content-type": body.content_type } };
  }
}

serve({
  client: "ky",
  version: packageVersion(import.meta.url, "ky"),
  engine: fetchEngine,
  features: [
    "http/1.1", "method.get", "method.head", "method.post", "method.put",
    "body.form", "body.json", "body.multipart", "body.raw", "headers",
    "connection.reuse", "connection.fresh", "tls", "sink.buffer", "sink.discard",
    ...fetchFeatures, "decompression", "redirects", "timeout.total",
  ],
  open,
});
