import { formData, packageVersion, serve } from "../_kit/kit.mjs";
import { once } from "node:events";
import http from "node:http";
import got from "got";
import { CookieJar } from "tough-cookie";

function open({ reuse, cookies, decompress, redirects, timeout_ms, options }) {
  const agent = new http.Agent({ keepAlive: reuse, noDelay: options.tcp_nodelay });
  const client = got.extend({
    agent: { http: agent },
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
  return { send, close: () => agent.destroy() };
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
    "http/1.1", "method.get", "method.head", "method.post", "method.put",
    "body.form", "body.json", "body.multipart", "body.raw", "headers",
    "connection.reuse", "connection.fresh", "sink.buffer", "sink.discard", "cookies",
    "decompression", "redirects", "timeout.connect", "timeout.read", "timeout.total",
    "option.tcp_nodelay",
  ],
  open,
});
