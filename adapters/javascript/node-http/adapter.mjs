import { serve } from "../_kit/kit.mjs";
import http from "node:http";

function open({ reuse, timeout_ms, options }) {
  const agent = new http.Agent({ keepAlive: reuse, noDelay: options.tcp_nodelay });

  function request({ method, url, headers, body }) {
    const data = body && encode(body);
    return new Promise((resolve, reject) => {
      const request = http.request(url, {
        agent,
        method,
        headers: body ? { ...headers, ...entityHeaders(body, data) } : headers,
        timeout: timeout_ms.read ?? undefined,
        signal: timeout_ms.total ? AbortSignal.timeout(timeout_ms.total) : undefined,
      });
      request.on("response", resolve);
      request.on("error", reject);
      request.on("timeout", () => request.destroy(new Error("socket timeout")));
      request.end(data);
    });
  }

  async function send(exchange) {
    const response = await request(exchange);
    if (exchange.streamed) return exchange.stream(response.statusCode, response);
    return exchange.content(response.statusCode, await collect(response));
  }
  return { send, close: () => agent.destroy() };
}

function encode(body) {
  if (body.kind === "raw") return body.data;
  if (body.kind === "json") return JSON.stringify(body.value);
  return new URLSearchParams(body.fields).toString();
}

function entityHeaders({ content_type = "application/x-www-form-urlencoded" }, data) {
  return { "Content-Type": content_type, "Content-Length": Buffer.byteLength(data) };
}

function collect(response) {
  return new Promise((resolve, reject) => {
    const chunks = [];
    response.on("data", (chunk) => chunks.push(chunk));
    response.on("end", () => resolve(Buffer.concat(chunks)));
    response.on("error", reject);
  });
}

serve({
  client: "node-http",
  version: process.versions.node,
  features: [
    "http/1.1", "method.get", "method.head", "method.post", "method.put",
    "body.form", "body.json", "body.raw", "headers",
    "connection.reuse", "connection.fresh", "sink.buffer", "sink.discard",
    "timeout.read", "timeout.total", "option.tcp_nodelay",
  ],
  open,
});
