import { agents, formData, packageVersion, serve } from "../_kit/kit.mjs";
import fetch, { FormData } from "node-fetch";

function open(settings) {
  const { decompress, redirects, timeout_ms } = settings;
  const { of, destroy } = agents(settings);
  const redirection = redirects > 0 ? { follow: redirects } : { redirect: "manual" };

  async function send(exchange) {
    const { method, url, headers, body } = exchange;
    const response = await fetch(url, {
      agent: of(url),
      method,
      headers: body?.content_type ? { ...headers, "Content-Type": body.content_type } : headers,
      body: body && (await encode(body)),
      compress: decompress,
      signal: timeout_ms.total && AbortSignal.timeout(timeout_ms.total),
      ...redirection,
    });
    if (exchange.streamed) return exchange.stream(response.status, response.body);
    return exchange.content(response.status, await response.arrayBuffer());
  }
  return { send, close: destroy };
}

function encode(body) {
  switch (body.kind) {
    case "form":
      return new URLSearchParams(body.fields);
    case "json":
      return JSON.stringify(body.value);
    case "multipart":
      return formData(body, FormData);
    case "raw":
      return body.data;
  }
}

serve({
  client: "node-fetch",
  version: packageVersion(import.meta.url, "node-fetch"),
  engine: "node:http",
  features: [
    "http/1.1", "method.get", "method.head", "method.post", "method.put",
    "body.form", "body.json", "body.multipart", "body.raw", "headers",
    "connection.reuse", "connection.fresh", "tls", "sink.buffer", "sink.discard",
    "coding.deflate", "coding.br",
    "decompression", "redirects", "timeout.total", "option.tcp_nodelay",
  ],
  open,
});
