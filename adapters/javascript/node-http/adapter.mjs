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
  const { of, destroy } = own ? agents(settings) : globalAgents(settings);

  function request(exchange) {
    return new Promise((resolve, reject) => {
      const { request: open } = exchange.url.startsWith("https:") ? https : http;
      const data = exchange.body && encode(exchange.body);
      const request = open(exchange.url, optionsOf(exchange, data, of(exchange.url), settings));
      request.on("response", resolve);
      request.on("error", reject);
      if (settings.timeout_ms.read) {
        request.on("timeout", () => request.destroy(new Error("socket timeout")));
      }
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

/** What is wanted, and no more: each further option costs Node.js something in each request. */
function optionsOf({ method, headers, body }, data, agent, { ca, timeout_ms }) {
  const options = { agent };
  if (method !== "GET") options.method = method;
  if (body) options.headers = { ...headers, ...entityHeaders(body, data) };
  else if (Object.keys(headers).length) options.headers = headers;
  if (ca) options.ca = ca;
  if (timeout_ms.read) options.timeout = timeout_ms.read;
  if (timeout_ms.total) options.signal = AbortSignal.timeout(timeout_ms.total);
  return options;
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
