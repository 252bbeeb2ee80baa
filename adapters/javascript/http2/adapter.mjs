import { serve } from "../_kit/kit.mjs";
import { once } from "node:events";
import http2 from "node:http2";

function open({ reuse, ca, timeout_ms }) {
  const sessions = new Map();

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

  async function send(exchange) {
    const { method, url, headers, body } = exchange;
    const { origin, pathname, search } = new URL(url);
    const session = sessionFor(origin);
    try {
      const stream = session.request({
        ":method": method,
        ":path": pathname + search,
        ...headers,
        ...(body && { "content-type": body.content_type ?? "application/x-www-form-urlencoded" }),
      }, { signal: timeout_ms.total ? AbortSignal.timeout(timeout_ms.total) : undefined });
      if (timeout_ms.read) stream.setTimeout(timeout_ms.read, () => stream.destroy(TIMEOUT));
      stream.end(body ? encode(body) : undefined);
      const [{ ":status": status }] = await once(stream, "response");
      if (exchange.streamed) return await exchange.stream(status, stream);
      return exchange.content(status, Buffer.concat(await stream.toArray()));
    } finally {
      if (!reuse) session.close();
    }
  }
  return { send, close: () => sessions.forEach((session) => session.destroy()) };
}

/** Of a stream and of the connection, in bytes, where a variant of this client asks for it. */
const WINDOW = process.env.HTTP2_WINDOW_BYTES && Number(process.env.HTTP2_WINDOW_BYTES);
const TIMEOUT = new Error("stream timeout");

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
