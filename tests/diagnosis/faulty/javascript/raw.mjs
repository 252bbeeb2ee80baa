// A bare client whose faults its tests make: how it connects, what it sends, and in which pieces.

import { once } from "node:events";
import net from "node:net";
import tls from "node:tls";

import { serve } from "../../../../adapters/javascript/_kit/kit.mjs";

const END = Buffer.from("\r\n\r\n");
const LARGE_BYTES = 1 << 16;

/** HTTP/1.1 over sockets, one for each exchange at a time. A subclass overrides the step that is
 * to go wrong. */
export class Raw {
  noDelay = true;
  resumes = true;
  fields = [];

  constructor(settings) {
    this.fresh = settings.reuse === false;
    this.secureContext = settings.ca && tls.createSecureContext({ ca: settings.ca });
    this.session = undefined;
    this.idle = [];
  }

  /** What net.connect is told besides host and port. */
  options() {
    return {};
  }

  async connect(url) {
    const options = { host: url.hostname, port: url.port, ...this.options() };
    if (url.protocol === "https:") return this.connectSecurely(options);
    const socket = net.connect({ ...options, noDelay: this.noDelay });
    await once(socket, "connect");
    return socket;
  }

  async connectSecurely(options) {
    const { secureContext, session } = this;
    const socket = tls.connect({ ...options, secureContext, session });
    socket.setNoDelay(this.noDelay);
    socket.on("session", (ticket) => {
      if (this.resumes) this.session = ticket;
    });
    await once(socket, "secureConnect");
    return socket;
  }

  head({ method, headers }, url, length) {
    const fields = [["Host", url.host], ...Object.entries(headers ?? {}), ...this.fields];
    if (this.fresh) fields.push(["Connection", "close"]);
    if (length !== undefined) fields.push(["Content-Length", length]);
    const lines = fields.map(([name, value]) => `${name}: ${value}\r\n`);
    return `${method} ${url.pathname}${url.search} HTTP/1.1\r\n${lines.join("")}\r\n`;
  }

  async write(socket, head, content) {
    if (content.length < LARGE_BYTES) {
      socket.write(Buffer.concat([Buffer.from(head), content]));
      return;
    }
    socket.cork(); // joined, it would be copied
    socket.write(head);
    socket.write(content);
    socket.uncork();
  }

  /** What is done with an answer before the exchange is over. */
  async after() {}

  async send(exchange) {
    const { status, data } = await this.request(exchange);
    return exchange.content(status, data);
  }

  async request(exchange) {
    const url = new URL(exchange.url);
    const socket = this.idle.pop() ?? (await this.connect(url));
    const content = encode(exchange.body);
    const hasContent = exchange.body || !["GET", "HEAD"].includes(exchange.method);
    const answer = receive(socket, exchange.method);
    const length = hasContent ? content.length : undefined;
    await this.write(socket, this.head(typed(exchange), url, length), content);
    const { keep, ...answered } = await answer;
    if (keep && !this.fresh) this.release(socket);
    else socket.destroy();
    await this.after(answered.data, answered.contentType);
    return answered;
  }

  /** What is done with a connection that could carry another request. */
  release(socket) {
    this.idle.push(socket);
  }

  close() {
    for (const socket of this.idle) socket.destroy();
    this.idle = [];
  }
}

function typed({ method, headers, body }) {
  const kind = body && (body.content_type ?? "application/x-www-form-urlencoded");
  return { method, headers: kind ? { ...headers, "Content-Type": kind } : headers };
}

export function encode(body) {
  if (!body) return Buffer.alloc(0);
  if (body.kind === "raw") return body.data;
  if (body.kind === "json") return Buffer.from(JSON.stringify(body.value));
  return Buffer.from(new URLSearchParams(body.fields).toString());
}

function receive(socket, method) {
  return new Promise((resolve, reject) => {
    const pieces = [];
    let head = null;
    let got = 0;
    const done = (outcome, value) => {
      socket.off("data", more).off("error", failed).off("close", ended);
      outcome(value);
    };
    const failed = (error) => done(reject, error);
    const ended = () => done(reject, new Error("the connection was closed"));
    const more = (piece) => {
      pieces.push(piece);
      got += piece.length;
      head ??= headIn(pieces, method);
      if (head && got >= head.end + head.length) done(resolve, answerOf(head, pieces));
    };
    socket.on("data", more).on("error", failed).on("close", ended);
  });
}

/** The head of the final answer, once all of it has come; `end`: where the content begins. */
function headIn(pieces, method) {
  const data = Buffer.concat(pieces);
  for (let start = 0, end; (end = data.indexOf(END, start)) >= 0; start = end + END.length) {
    const text = data.subarray(start, end).toString("latin1").toLowerCase();
    const status = Number(text.slice(9, 12));
    if (status === 100) continue;
    const length = method === "HEAD" ? 0 : Number(field(text, "content-length") || 0);
    return { status, text, end: end + END.length, length };
  }
  return null;
}

function answerOf({ status, text, end }, pieces) {
  const data = Buffer.concat(pieces).subarray(end);
  const keep = field(text, "connection") !== "close";
  return { status, data, keep, contentType: field(text, "content-type") };
}

function field(head, name) {
  return new RegExp(`\r\n${name}: ([^\r]*)`).exec(head)?.[1] ?? "";
}

/** Serves a subclass of Raw to the kit. */
export function serveRaw(Faulty) {
  serve({
    client: "raw",
    version: process.versions.node,
    features: [
      "http/1.1", "tls", "method.get", "method.head", "method.post", "method.put", "body.form",
      "body.json", "body.raw", "headers", "connection.reuse", "connection.fresh", "sink.buffer",
    ],
    open: (settings) => new Faulty(settings),
  });
}
