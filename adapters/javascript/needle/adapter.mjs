import { agents, packageVersion, serve } from "../_kit/kit.mjs";
import needle from "needle";

function open(settings) {
  const { decompress, redirects, timeout_ms } = settings;
  const { of, destroy } = agents(settings);
  const defaults = {
    compressed: decompress,
    follow_max: redirects,
    decode_response: false,
    parse_response: false,
    ...(timeout_ms.connect && { open_timeout: timeout_ms.connect }),
    response_timeout: timeout_ms.read ?? 0,
    // Without one it waits for ever for the rest of an answer whose connection was closed.
    read_timeout: timeout_ms.read ?? 10_000,
  };

  async function send(exchange) {
    const { method, url, headers, body } = exchange;
    const { data = null, ...options } = body ? encode(body) : {};
    const request = { ...defaults, ...options, agent: of(url) };
    request.headers = { ...headers, ...options.headers };
    if (timeout_ms.total) request.signal = AbortSignal.timeout(timeout_ms.total);
    if (!exchange.streamed) {
      const response = await needle(method, url, data, request);
      // `raw` is what came; `body` is decoded, and a text if its type is one.
      const content = decompress ? Buffer.from(response.body) : response.raw;
      return exchange.content(response.statusCode, content);
    }
    const stream = needle.request(method, url, data, request);
    return exchange.stream(await statusOf(stream), stream);
  }
  return { send, close: destroy };
}

/** A failure before the header is told by "done" alone: there is no "error". */
function statusOf(stream) {
  return new Promise((resolve, reject) => {
    stream.once("header", resolve);
    stream.once("done", reject);
  });
}

function encode(body) {
  switch (body.kind) {
    case "form":
      return { data: new URLSearchParams(body.fields).toString() };
    case "json":
      return { data: JSON.stringify(body.value), headers: { "Content-Type": body.content_type } };
    case "raw":
      return { data: body.data, headers: { "Content-Type": body.content_type } };
    case "multipart":
      return { data: parts(body), multipart: true };
  }
}

function parts({ fields, files }) {
  const attached = files.map(({ name, path, filename, content_type }) => {
    return [name, { file: path, filename, content_type }];
  });
  return Object.fromEntries([...fields, ...attached]);
}

serve({
  client: "needle",
  version: packageVersion(import.meta.url, "needle"),
  engine: "node:http",
  features: [
    "http/1.1", "method.get", "method.head", "method.post", "method.put",
    "body.form", "body.json", "body.multipart", "body.raw", "headers",
    "connection.reuse", "connection.fresh", "tls", "sink.buffer", "sink.discard",
    "coding.deflate", "coding.br", "decompression", "redirects",
    "timeout.connect", "timeout.read", "timeout.total", "option.tcp_nodelay",
  ],
  open,
});
