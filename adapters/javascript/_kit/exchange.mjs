// One exchange of the workload: the request as the adapter sees it, and the sink and the checks of
// its response.

import { createHash } from "node:crypto";
import * as fs from "node:fs";
import { readFile } from "node:fs/promises";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";

const utf8 = new TextDecoder();

export class Exchange {
  #sink;
  #path;
  #parseMs = 0;
  digesting = false;
  sha256 = "";

  constructor({ method, url, headers, body, expect }, sink, path) {
    this.method = method;
    this.url = url;
    this.headers = combine(headers);
    this.body = body;
    /** Whether the adapter hands over a body to be read (`stream`), or what it read (`content`). */
    this.streamed = sink === "discard" || sink === "file";
    this.expect = expect;
    /** Whether of the content nothing is asked but its length, as in most measurements. */
    this.counted = sink === "buffer";
    this.#sink = sink;
    this.#path = path;
  }

  digest(wanted) {
    this.digesting = wanted;
    this.sha256 = "";
  }

  /**
   * Checks the whole content, a Buffer, typed array or ArrayBuffer, and returns its length.
   *
   * In most measurements it does no more than a program that checks its answers. Private members
   * cost node:http one per cent of an exchange here (`make bench-agreement`).
   */
  content(status, bytes) {
    const length = bytes.byteLength;
    const { expect } = this;
    if (status !== expect.status || length !== expect.bytes) this.#check(status, length);
    if (!this.counted || this.digesting) this.#beyond(bytes);
    return length;
  }

  #beyond(bytes) {
    if (this.#sink === "json") this.#checkDocument(this.#parse(bytes));
    if (this.digesting) this.sha256 = sha256(new Uint8Array(bytes));
  }

  /** The milliseconds of parsing since this was asked last. */
  takeParseMs() {
    const parseMs = this.#parseMs;
    this.#parseMs = 0;
    return parseMs;
  }

  /** Reads a body (a Node.js or web stream, or null) to its end, checks it, returns its length. */
  async stream(status, body) {
    const read = body ?? Readable.from([]);
    const length = this.#path === null ? await this.#discard(read) : await this.#save(read);
    this.#check(status, length);
    return length;
  }

  async #discard(body) {
    const hash = this.digesting ? createHash("sha256") : null;
    let length = 0;
    await drain(body, (chunk) => {
      length += chunk.byteLength;
      hash?.update(chunk);
    });
    if (hash) this.sha256 = hash.digest("hex");
    return length;
  }

  async #save(body) {
    const file = fs.createWriteStream(this.#path);
    await pipeline(body, file);
    if (this.digesting) this.sha256 = sha256(await readFile(this.#path));
    return file.bytesWritten;
  }

  #check(status, length) {
    const expect = this.expect;
    if (status !== expect.status) throw new Error(`status ${status}, expected ${expect.status}`);
    if (expect.bytes !== null && length !== expect.bytes) {
      throw new Error(`${length} bytes of content, expected ${expect.bytes}`);
    }
  }

  #parse(bytes) {
    const start = performance.now();
    try {
      return JSON.parse(utf8.decode(bytes));
    } finally {
      this.#parseMs += performance.now() - start;
    }
  }

  #checkDocument(document) {
    if (this.expect.json === null) return;
    const [name, value] = this.expect.json;
    const found = document?.[name];
    if (found !== value) throw new Error(`member ${name} is ${found}, expected ${value}`);
  }
}

function sha256(bytes) {
  return createHash("sha256").update(bytes).digest("hex");
}

// Events and readers rather than `for await`, which costs a fifth more CPU on 10 MB.
async function drain(body, take) {
  if (body instanceof ReadableStream) {
    const reader = body.getReader();
    for (let read = await reader.read(); !read.done; read = await reader.read()) take(read.value);
    return;
  }
  await new Promise((resolve, reject) => {
    body.on("data", take);
    body.on("end", resolve);
    body.on("error", reject);
    body.on("close", () => reject(new Error("closed before its end")));
  });
}

// Several fields of one name are one field with a list as its value (RFC 9110, section 5.3).
function combine(headers) {
  const combined = {};
  for (const [name, value] of headers) {
    combined[name] = name in combined ? `${combined[name]}, ${value}` : value;
  }
  return combined;
}

/** A body as the adapters see it: raw content is in `data`. */
export async function loadBody(body) {
  if (body?.kind === "raw") return { ...body, data: await readFile(body.path) };
  if (body?.kind === "json") return { ...body, content_type: "application/json" };
  return body;
}

/**
 * A form of the web platform; its files are read while they are sent. Some libraries insist on a
 * FormData of their own.
 */
export async function formData({ fields, files }, Form = FormData) {
  const form = new Form();
  for (const [name, value] of fields) form.append(name, value);
  for (const file of files) form.append(file.name, await openFile(file), file.filename);
  return form;
}

// Node.js 18 has no openAsBlob.
async function openFile({ path, content_type: type }) {
  if (fs.openAsBlob) return fs.openAsBlob(path, { type });
  return new Blob([await readFile(path)], { type });
}
