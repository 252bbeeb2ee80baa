import { agents, packageVersion, serve } from "../_kit/kit.mjs";
import superagent from "superagent";

function open(settings) {
  const { cookies, decompress, redirects, timeout_ms } = settings;
  const { of, destroy } = agents(settings);
  const client = cookies ? superagent.agent() : superagent;

  async function send(exchange) {
    const { method, url, headers, body } = exchange;
    const request = client[method.toLowerCase()](url)
      .agent(of(url))
      .set(headers)
      .redirects(redirects)
      .responseType("blob")
      .ok(() => true);
    if (!decompress) request.set("Accept-Encoding", "identity");
    if (timeout_ms.total) request.timeout({ deadline: timeout_ms.total });
    if (body) attach(request, body);
    const response = await request;
    return exchange.content(response.status, method === "HEAD" ? NOTHING : response.body);
  }
  return { send, close: destroy };
}

const NOTHING = Buffer.alloc(0);

function attach(request, body) {
  switch (body.kind) {
    case "form":
      return request.type("form").send(new URLSearchParams(body.fields).toString());
    case "json":
      // send() makes JSON of objects only.
      return request.type("json").send(isObject(body) ? body.value : JSON.stringify(body.value));
    case "raw":
      return request.type(body.content_type).send(body.data);
    case "multipart":
      for (const [name, value] of body.fields) request.field(name, value);
      for (const { name, path, filename, content_type: contentType } of body.files) {
        request.attach(name, path, { filename, contentType });
      }
  }
}

function isObject({ value }) {
  return typeof value === "object" && value !== null;
}

// No sink.discard: `pipe` tells nobody when the connection breaks in the middle of a body.
serve({
  client: "superagent",
  version: packageVersion(import.meta.url, "superagent"),
  engine: "node:http",
  features: [
    "http/1.1", "method.get", "method.head", "method.post", "method.put",
    "body.form", "body.json", "body.multipart", "body.raw", "headers",
    "connection.reuse", "connection.fresh", "tls", "sink.buffer", "cookies", "coding.deflate",
    "decompression", "redirects", "timeout.total", "option.tcp_nodelay",
  ],
  open,
});
