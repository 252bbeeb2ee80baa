import { agents, formData, serve, Unsupported } from "../_kit/kit.mjs";
import axios from "axios";

function open(settings) {
  // Its HTTP/2 sessions are its own affair, and kept.
  if (settings.protocol !== "http/1.1" && !settings.reuse) {
    throw new Unsupported("connection.fresh");
  }
  const { protocol, ca, decompress, redirects, timeout_ms, sink, proxy } = settings;
  const { http: httpAgent, https: httpsAgent, destroy } = agents(settings);
  const client = axios.create({
    httpAgent,
    httpsAgent,
    httpVersion: protocol === "http/1.1" ? 1 : 2,
    http2Options: { ca },
    proxy: proxy !== null && new URL(proxy),
    decompress,
    headers: decompress ? {} : { "Accept-Encoding": "identity" },
    maxRedirects: redirects,
    responseType: sink === "buffer" || sink === "json" ? "arraybuffer" : "stream",
    validateStatus: null,
  });

  async function send(exchange) {
    const { method, url, headers, body } = exchange;
    const response = await client.request({
      method,
      url,
      headers: body?.content_type ? { ...headers, "Content-Type": body.content_type } : headers,
      data: body && (await encode(body)),
      signal: timeout_ms.total ? AbortSignal.timeout(timeout_ms.total) : undefined,
    });
    if (exchange.streamed) return exchange.stream(response.status, response.data);
    return exchange.content(response.status, response.data);
  }
  return { send, close: destroy };
}

function encode(body) {
  switch (body.kind) {
    case "form":
      return new URLSearchParams(body.fields);
    case "json":
      return body.value;
    case "multipart":
      return formData(body);
    case "raw":
      return body.data;
  }
}

serve({
  client: "axios",
  version: axios.VERSION,
  engine: "node:http",
  features: [
    "http/1.1", "h2", "h2c", "method.get", "method.head", "method.post", "method.put",
    "body.form", "body.json", "body.multipart", "body.raw", "headers",
    "connection.reuse", "connection.fresh", "tls", "proxy", "sink.buffer", "sink.discard",
    "coding.deflate", "coding.br", "decompression", "redirects", "timeout.total", "option.tcp_nodelay",
  ],
  open,
});
