import { agents, serve } from "../_kit/kit.mjs";
import http from "node:http";
import https from "node:https";

const own = process.env.AGENT !== "global";

function globalAgents({ reuse }) {
  function destroy() {
    http.globalAgent.destroy();
    https.globalAgent.destroy();
  }
  return { of: () => (reuse ? undefined : false), destroy };
}

function open(settings) {
  const { ca, timeout_ms } = settings;
  const { of, destroy } = own ? agents(settings) : globalAgents(settings);

  function request({ method, url, headers, body }) {
    const data = body && encode(body);
    return new Promise((resolve, reject) => {
      const { request: open } = url.startsWith("https:") ? https : http;
      const request = open(url, {
        agent: of(url),
        ca,
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
  return { send, close: destroy };
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
    "connection.fresh", "tls", "sink.buffer", "sink.discard",
    "timeout.read", "timeout.total", ...(own ? ["option.tcp_nodelay"] : []),
    // The global agent keeps connections since Node.js 19.
    ...(own || http.globalAgent.keepAlive ? ["connection.reuse"] : []),
  ],
  open,
});
