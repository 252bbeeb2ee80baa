import { formData, packageVersion, serve } from "../_kit/kit.mjs";
import undici from "undici";

const { Agent, FormData, ProxyAgent, request } = undici;
const { decompress: decoder, redirect: redirector } = undici.interceptors ?? {};
const VERSION = packageVersion(import.meta.url, "undici");
const MAJOR = parseInt(VERSION);
const WINDOW = process.env.UNDICI_WINDOW_BYTES && Number(process.env.UNDICI_WINDOW_BYTES);
function open({ protocol, reuse, concurrency, decompress, redirects, timeout_ms, ca, proxy }) {
  const shared = protocol !== "http/1.1";
  const tls = { ca, timeout: timeout_ms.connect ?? undefined };
  const settings = {
    // Unlimited, its pool opens a second connection while the first is about to be free.
    connections: shared ? 1 : concurrency,
    pipelining: shared ? concurrency : 1,
    allowH2: protocol === "h2",
    useH2c: protocol === "h2c",
    ...(WINDOW && { initialWindowSize: WINDOW, connectionWindowSize: WINDOW }),
    connect: tls,
    headersTimeout: timeout_ms.read,
    bodyTimeout: timeout_ms.read,
  };
  const agent = proxy
    ? new ProxyAgent({ ...settings, uri: proxy, proxyTunnel: false, requestTls: tls })
    : new Agent(settings);
  const wanted = [];
  if (decompress) wanted.push(decoder());
  if (redirects > 0) wanted.push(redirector({ maxRedirections: redirects }));
  const dispatcher = wanted.length > 0 ? agent.compose(...wanted) : agent;
  const defaults = decompress ? { "accept-encoding": CODINGS.join(", ") } : {};

  /** What is wanted, and no more: each further option costs undici something in each request. */
  function optionsOf({ method, headers, body }, data) {
    const options = { dispatcher };
    if (method !== "GET") options.method = method;
    const type = body && (CONTENT_TYPES[body.kind] ?? body.content_type);
    if (type) options.headers = { ...defaults, ...headers, "content-type": type };
    else if (decompress || Object.keys(headers).length) options.headers = { ...defaults, ...headers };
    if (data) options.body = data;
    // Without being told not to, it closes the connection after HEAD.
    if (!reuse || method === "HEAD") options.reset = !reuse;
    if (timeout_ms.total) options.signal = AbortSignal.timeout(timeout_ms.total);
    return options;
  }

  async function send(exchange) {
    const data = exchange.body && (await encode(exchange.body));
    const { statusCode, body } = await request(exchange.url, optionsOf(exchange, data));
    if (exchange.streamed) return exchange.stream(statusCode, body);
    return exchange.content(statusCode, await body.arrayBuffer());
  }
  return { send, close: () => agent.destroy() };
}

const CODINGS = ["gzip", "deflate", "br", ...("zstd" in process.versions ? ["zstd"] : [])];
const CONTENT_TYPES = { form: "application/x-www-form-urlencoded" };

function encode(body) {
  switch (body.kind) {
    case "form":
      return new URLSearchParams(body.fields).toString();
    case "json":
      return JSON.stringify(body.value);
    case "multipart":
      return formData(body, FormData);
    case "raw":
      return body.data;
  }
}

serve({
  client: "undici",
  version: VERSION,
  features: [
    "http/1.1", "method.get", "method.head", "method.post", "method.put",
    "body.form", "body.json", "body.multipart", "body.raw", "headers",
    "connection.reuse", "connection.fresh", "tls", "sink.buffer", "sink.discard",
    // HTTP/2 was an experiment before 7, and before 6 a tunnel was asked of every proxy.
    ...(MAJOR >= 7 ? ["h2", "h2c"] : []),
    ...(MAJOR >= 6 ? ["proxy"] : []),
    ...(decoder ? ["decompression", ...CODINGS.slice(1).map((name) => `coding.${name}`)] : []),
    ...(redirector ? ["redirects"] : []),
    "timeout.connect", "timeout.read", "timeout.total",
  ],
  open,
});
