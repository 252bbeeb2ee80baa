import { formData, packageVersion, serve } from "../_kit/kit.mjs";
import { Agent, FormData, interceptors, request } from "undici";

function open({ reuse, concurrency, decompress, redirects, timeout_ms }) {
  const agent = new Agent({
    // Unlimited, its pool opens a second connection while the first is about to be free.
    connections: concurrency,
    connect: { timeout: timeout_ms.connect ?? undefined },
    headersTimeout: timeout_ms.read,
    bodyTimeout: timeout_ms.read,
  });
  const wanted = [];
  if (decompress) wanted.push(interceptors.decompress());
  if (redirects > 0) wanted.push(interceptors.redirect({ maxRedirections: redirects }));
  const dispatcher = wanted.length > 0 ? agent.compose(...wanted) : agent;
  const defaults = decompress ? { "accept-encoding": "gzip" } : {};

  async function send(exchange) {
    const headers = { ...defaults, ...exchange.headers };
    const contentType = CONTENT_TYPES[exchange.body?.kind] ?? exchange.body?.content_type;
    if (contentType) headers["content-type"] = contentType;
    const { statusCode, body } = await request(exchange.url, {
      dispatcher,
      method: exchange.method,
      headers,
      body: exchange.body && (await encode(exchange.body)),
      reset: !reuse,
      signal: timeout_ms.total && AbortSignal.timeout(timeout_ms.total),
    });
    if (exchange.streamed) return exchange.stream(statusCode, body);
    return exchange.content(statusCode, await body.arrayBuffer());
  }
  return { send, close: () => agent.destroy() };
}

const CONTENT_TYPES = { form: "application/x-www-form-urlencoded" };

function encode(body) {
  switch (body.kind) {
    case "form":
      return new URLSearchParams(body.fields).toString();
    case "json":
      return JSON.stringify(body.value);
    case "multipart":
      return formData(body, FormData);
    case "raw":
      return body.data;
  }
}

serve({
  client: "undici",
  version: packageVersion(import.meta.url, "undici"),
  features: [
    "http/1.1", "method.get", "method.head", "method.post", "method.put",
    "body.form", "body.json", "body.multipart", "body.raw", "headers",
    "connection.reuse", "connection.fresh", "sink.buffer", "sink.discard",
    "decompression", "redirects", "timeout.connect", "timeout.read", "timeout.total",
  ],
  open,
});
