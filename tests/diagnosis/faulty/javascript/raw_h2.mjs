// A bare client on node:http2 whose faults its tests make.

import { once } from "node:events";
import http2 from "node:http2";
import tls from "node:tls";

import { serve } from "../../../../adapters/javascript/_kit/kit.mjs";
import { encode } from "./raw.mjs";

const { HTTP2_HEADER_METHOD, HTTP2_HEADER_PATH, HTTP2_HEADER_STATUS } = http2.constants;

/** HTTP/2 on one connection. A subclass overrides what is to go wrong. */
export class RawH2 {
  noDelay = true;
  window = 16 << 20;

  constructor(settings) {
    this.ca = settings.ca;
    this.session = undefined;
  }

  async connect(url) {
    const socket = tls.connect({
      host: url.hostname, port: url.port, ca: this.ca, ALPNProtocols: ["h2"],
    });
    const session = http2.connect(url, {
      createConnection: () => socket,
      settings: { enablePush: false, initialWindowSize: this.window },
    });
    await once(session, "connect");
    session.setLocalWindowSize(this.window);
    socket.setNoDelay(this.noDelay); // node:http2 turns Nagle's algorithm off by itself
    return session;
  }

  async write(stream, content) {
    stream.end(content);
  }

  async send(exchange) {
    const url = new URL(exchange.url);
    this.session ??= this.connect(url);
    const session = await this.session;
    const content = encode(exchange.body);
    const head = this.head(exchange, url, content.length);
    const stream = session.request(head, { endStream: content.length === 0 });
    const answer = receive(stream);
    if (content.length) await this.write(stream, content);
    const { status, data } = await answer;
    return exchange.content(status, data);
  }

  head({ method, headers, body }, url, length) {
    const type = body && (body.content_type ?? "application/x-www-form-urlencoded");
    return {
      ...headers,
      [HTTP2_HEADER_METHOD]: method,
      [HTTP2_HEADER_PATH]: url.pathname + url.search,
      ...(body && { "content-type": type, "content-length": length }),
    };
  }

  async close() {
    (await this.session)?.destroy();
  }
}

async function receive(stream) {
  let status = 0;
  stream.once("response", (head) => {
    status = head[HTTP2_HEADER_STATUS];
  });
  const pieces = [];
  stream.on("data", (piece) => pieces.push(piece));
  await once(stream, "end");
  return { status, data: Buffer.concat(pieces) };
}

/** Serves a subclass of RawH2 to the kit. */
export function serveRawH2(Faulty) {
  serve({
    client: "raw-h2",
    version: process.versions.node,
    features: [
      "h2", "tls", "method.get", "method.post", "method.put", "body.form", "body.json", "body.raw",
      "headers", "connection.reuse", "sink.buffer",
    ],
    open: (settings) => new Faulty(settings),
  });
}
