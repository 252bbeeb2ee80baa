import {
  fetchConnections, fetchEngine, fetchFeatures, formData, packageVersion,
  serve, Unsupported,
} from "../_kit/kit.mjs";
import { ofetch } from "ofetch";

function open(settings, exchanges) {
  const { reuse, mustReuse, decompress, redirects } = settings;
  // undici closes the connection after HEAD, and fetch has no option against it.
  if (fetchEngine && mustReuse && exchanges.some(({ method }) => method === "HEAD")) {
    throw new Unsupported("connection.reuse");
  }
  const { options, close } = fetchConnections(settings);
  const own = {};
  if (!reuse) own.connection = "close";
  if (!decompress) own["accept-encoding"] = "identity";
  const client = ofetch.create({
    ...options,
    redirect: redirects > 0 ? "follow" : "manual",
    // Every exchange counts: a failure must be seen, not tried again.
    retry: false,
    ignoreResponseError: true,
  });

  async function send(exchange) {
    const { method, url, headers, body, streamed } = exchange;
    const response = await client.raw(url, {
      method,
      responseType: streamed ? "stream" : "arrayBuffer",
      ...(await encode(body, { ...own, ...headers })),
    });
    if (streamed) return exchange.stream(response.status, response.body);
    return exchange.content(response.status, response._data ?? new ArrayBuffer());
  }
  return { send, close };
}

async function encode(body, headers) {
  switch (body?.kind) {
    case "form":
      return { headers, body: new URLSearchParams(body.fields) };
    case "json":
      return { headers, body: body.value };
    case "multipart":
      return { headers, body: await formData(body) };
    case "raw":
      return { headers: { ...headers, "content-type": body.content_type }, body: body.data };
    default:
      return { headers };
  }
}

serve({
  client: "ofetch",
  version: packageVersion(import.meta.url, "ofetch"),
  engine: fetchEngine,
  features: [
    "http/1.1", "method.get", "method.head", "method.post", "method.put",
    "body.form", "body.json", "body.multipart", "body.raw", "headers",
    "connection.reuse", "connection.fresh", "tls", "sink.buffer", "sink.discard",
    ...fetchFeatures, "decompression", "redirects",
  ],
  open,
});
