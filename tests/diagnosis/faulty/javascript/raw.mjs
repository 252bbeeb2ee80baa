// A bare client whose faults its tests make: how it connects, what it sends, and in which pieces.

import net from "node:net";

import { serve } from "../../../../adapters/javascript/_kit/kit.mjs";

const END = Buffer.from("\r\n\r\n");

/** HTTP/1.1 over a socket. A subclass overrides the step that is to go wrong. */
export class Raw {
  noDelay = true;
  fields = [];

  constructor(settings) {
    this.settings = settings;
    this.fresh = settings.reuse === false;
    this.sockets = new Map();
  }

  async connect(url) {
    const socket = net.connect({ host: url.hostname, port: url.port, noDelay: this.noDelay });
    await new Promise((resolve, reject) => {
      socket.once("connect", resolve);
      socket.once("error", reject);
    });
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
    socket.write(Buffer.concat([Buffer.from(head), content]));
  }

  /** What is done with an answer before the exchange is over. */
  async after() {}

  async send(exchange) {
    const url = new URL(exchange.url);
    const socket = this.sockets.get(url.host) ?? (await this.connect(url));
    this.sockets.set(url.host, socket);
    const content = encode(exchange.body);
    const length = exchange.body || exchange.method !== "GET" ? content.length : undefined;
    const answer = receive(socket);
    await this.write(socket, this.head(typed(exchange), url, length), content);
    const { status, data, keep } = await answer;
    if (this.fresh || !keep) {
      socket.destroy();
      this.sockets.delete(url.host);
    }
    await this.after(data);
    return exchange.content(status, data);
  }

  close() {
    for (const socket of this.sockets.values()) socket.destroy();
    this.sockets.clear();
  }
}

function typed({ method, headers, body }) {
  const kind = body && (body.content_type ?? "application/x-www-form-urlencoded");
  return { method, headers: kind ? { ...headers, "Content-Type": kind } : headers };
}

function encode(body) {
  if (!body) return Buffer.alloc(0);
  if (body.kind === "raw") return Buffer.from(body.data);
  if (body.kind === "json") return Buffer.from(JSON.stringify(body.value));
  return Buffer.from(new URLSearchParams(body.fields).toString());
}

function receive(socket) {
  return new Promise((resolve, reject) => {
    let data = Buffer.alloc(0);
    const done = (outcome, value) => {
      socket.off("data", more).off("error", failed).off("close", ended);
      outcome(value);
    };
    const failed = (error) => done(reject, error);
    const ended = () => done(reject, new Error("the connection was closed"));
    const more = (piece) => {
      data = Buffer.concat([data, piece]);
      const answer = parsed(data);
      if (answer) done(resolve, answer);
    };
    socket.on("data", more).on("error", failed).on("close", ended);
  });
}

function parsed(data) {
  const end = data.indexOf(END);
  if (end < 0) return null;
  const head = data.subarray(0, end).toString("latin1").toLowerCase();
  const status = Number(head.slice(9, 12));
  if (status === 100) return parsed(data.subarray(end + END.length));
  const length = Number(/content-length: (\d+)/.exec(head)?.[1] ?? 0);
  const content = data.subarray(end + END.length);
  const keep = !head.includes("connection: close");
  return content.length < length ? null : { status, data: content, keep };
}

/** Serves a subclass of Raw to the kit. */
export function serveRaw(Faulty) {
  serve({
    client: "raw",
    version: process.versions.node,
    features: [
      "http/1.1", "method.get", "method.post", "method.put", "body.form", "body.json", "body.raw",
      "headers", "connection.reuse", "connection.fresh", "sink.buffer",
    ],
    open: (settings) => new Faulty(settings),
  });
}
