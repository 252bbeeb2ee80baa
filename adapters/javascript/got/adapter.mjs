import { agents, formData, packageVersion, serve, Unsupported } from "../_kit/kit.mjs";
import { once } from "node:events";
import got from "got";
import { Agent as Http2Agent } from "http2-wrapper";
import { CookieJar } from "tough-cookie";

function open(settings) {
  const { protocol, reuse, concurrency, ca, cookies, decompress, redirects, timeout_ms } = settings;
  // The connection by which it learns the protocol is not the one of the exchanges after the first.
  if (protocol === "h2" && concurrency > 1) throw new Unsupported("concurrency");
  const { http, https, destroy } = agents(settings);
  const http2 = new Http2Agent({ maxEmptySessions: reuse ? undefined : 0 });
  const client = got.extend({
    agent: { http, https, http2 },
    http2: protocol === "h2",
    https: { certificateAuthority: ca },
    cookieJar: cookies ? new CookieJar() : undefined,
    decompress,
    followRedirect: redirects > 0,
    maxRedirects: redirects,
    responseType: "buffer",
    // Every exchange counts: a failure must be seen, not tried again.
    retry: { limit: 0 },
    throwHttpErrors: false,
    timeout: {
      connect: timeout_ms.connect ?? undefined,
      socket: timeout_ms.read ?? undefined,
      request: timeout_ms.total ?? undefined,
    },
  });

  async function send(exchange) {
    const { method, url, headers, body } = exchange;
    const request = { method, headers, ...(body && (await encode(body, headers))) };
    if (!exchange.streamed) {
      const response = await client(url, request);
      return exchange.content(response.statusCode, response.rawBody);
    }
    const stream = client.stream(url, request);
    if (!body && (method === "POST" || method === "PUT")) stream.end();
    const [response] = await once(stream, "response");
    return exchange.stream(response.statusCode, stream);
  }
  function close() {
    destroy();
    http2.destroy();
  }
  return { send, close };
}

async function encode(body, headers) {
  switch (body.kind) {
    case "form":
      // The `form` option takes an object, in which no name can come twice.
      return {
        body: new URLSearchParams(body.fields).toString(),
        headers: { ...headers, "content-type": "application/x-www-form-urlencoded" },
      };
    case "json":
      return { json: body.value };
    case "multipart":
      return { body: await formData(body) };
    case "raw":
      return { body: body.data, headers: { ...headers, "content-type": body.content_type } };
  }
}

serve({
  client: "got",
  version: packageVersion(import.meta.url, "got"),
  engine: "node:http",
  features: [
    "http/1.1", "h2", "method.get", "method.head", "method.post", "method.put",
    "body.form", "body.json", "body.multipart", "body.raw", "headers",
    "connection.reuse", "connection.fresh", "tls", "sink.buffer", "sink.discard", "cookies",
    "coding.deflate", "coding.br", ...("zstd" in process.versions ? ["coding.zstd"] : []),
    "decompression", "redirects", "timeout.connect", "timeout.read", "timeout.total",
    "option.tcp_nodelay",
  ],
  open,
});
