import { serve } from "../_kit/kit.mjs";
import http2 from "node:http2";

function open({ reuse, ca, timeout_ms }, exchanges) {
  const sessions = new Map();
  const targets = new Map(exchanges.map(({ url }) => [url, targetOf(url)]));

  function connect(origin) {
    const session = http2.connect(origin, { ca, settings: WINDOW && { initialWindowSize: WINDOW } });
    if (WINDOW) session.once("connect", () => session.setLocalWindowSize(WINDOW));
    session.on("error", () => sessions.delete(origin)); // its streams fail with it
    session.on("close", () => sessions.delete(origin));
    return session;
  }

  function sessionFor(origin) {
    if (!reuse) return connect(origin);
    if (!sessions.has(origin)) sessions.set(origin, connect(origin));
    return sessions.get(origin);
  }

  /** No options at all where none is wanted: node copies what it is given. */
  function limit() {
    return timeout_ms.total ? { signal: AbortSignal.timeout(timeout_ms.total) } : undefined;
  }

  function request({ method, url, headers, body }) {
    const { origin, path } = targets.get(url);
    const session = sessionFor(origin);
    const fields = { ":method": method, ":path": path, ...headers };
    if (body) fields["content-type"] = body.content_type ?? "application/x-www-form-urlencoded";
    const stream = session.request(fields, limit());
    if (timeout_ms.read) stream.setTimeout(timeout_ms.read, () => stream.destroy(TIMEOUT));
    if (!reuse) stream.on("close", () => session.close());
    stream.end(body ? encode(body) : undefined);
    return stream;
  }

  async function send(exchange) {
    const stream = request(exchange);
    if (exchange.streamed) return exchange.stream(await statusOf(stream), stream);
    const [status, content] = await answer(stream);
    return exchange.content(status, content);
  }
  return { send, close: () => sessions.forEach((session) => session.destroy()) };
}

/** Of a stream and of the connection, in bytes, where a variant of this client asks for it. */
const WINDOW = process.env.HTTP2_WINDOW_BYTES && Number(process.env.HTTP2_WINDOW_BYTES);
const TIMEOUT = new Error("stream timeout");
const CLOSED = new Error("stream closed before its end");

function targetOf(url) {
  const { origin, pathname, search } = new URL(url);
  return { origin, path: pathname + search };
}

function statusOf(stream) {
  return new Promise((resolve, reject) => {
    stream.on("response", (headers) => resolve(headers[":status"]));
    stream.on("error", reject);
    stream.on("close", () => reject(CLOSED));
  });
}

/** Status and content. A promise of the status before, as for streams, would cost each exchange. */
function answer(stream) {
  return new Promise((resolve, reject) => {
    let status;
    const chunks = [];
    stream.on("response", (headers) => (status = headers[":status"]));
    stream.on("data", (chunk) => chunks.push(chunk));
    // A connection that is lost before there is an answer has an end as well.
    stream.on("end", () => status && resolve([status, Buffer.concat(chunks)]));
    stream.on("error", reject);
    stream.on("close", () => reject(CLOSED));
  });
}

function encode(body) {
  if (body.kind === "raw") return body.data;
  if (body.kind === "json") return JSON.stringify(body.value);
  return new URLSearchParams(body.fields).toString();
}

serve({
  client: "http2",
  version: process.versions.node,
  engine: `nghttp2 ${process.versions.nghttp2}`,
  features: [
    "h2", "h2c", "tls", "method.get", "method.head", "method.post", "method.put",
    "body.form", "body.json", "body.raw", "headers",
    "connection.reuse", "connection.fresh", "sink.buffer", "sink.discard",
    "timeout.read", "timeout.total",
  ],
  open,
});
