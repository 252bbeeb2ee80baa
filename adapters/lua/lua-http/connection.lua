local client = require "http.client"
local cqueues = require "cqueues"
local fetchoff = require "fetchoff"
local request = require "http.request"
local requests = require "requests"

-- The head of each exchange as lua-http makes it from a URL, to be cloned for each request.
local function heads_of(exchanges)
   local heads = {}
   for _, exchange in ipairs(exchanges) do
      local headers = request.new_from_uri(exchange.url).headers
      headers:upsert(":method", exchange.method)
      heads[exchange] = headers
   end
   return heads
end

-- Sends one request on a stream of its own, and returns the head of the answer with that stream.
local function ask(connection, exchange, headers, timeout)
   local content = requests.add_content(headers, exchange)
   if content then headers:upsert("content-length", tostring(#content)) end

   local stream = connection:new_stream()
   local sent, reason = stream:write_headers(headers, not content, timeout)
   if sent and content then sent, reason = stream:write_body_from_string(content, timeout) end
   if not sent then return nil, reason end
   local answer
   repeat
      answer, reason = stream:get_headers(timeout)
   until not answer or answer:get ":status" ~= "100"
   if not answer then return nil, reason end
   return answer, stream
end

local function prepare(settings, exchanges)
   requests.refuse_multiplexing(settings)
   local uri = request.new_from_uri(exchanges[1].url)
   local target = {
      host = uri.host,
      port = uri.port,
      tls = uri.tls,
      ctx = uri.tls and requests.tls_context(settings) or nil,
      version = requests.http_version[settings.protocol],
   }
   local heads, idle = heads_of(exchanges), {}

   return function(exchange, take)
      local timeout = settings.total_timeout
      local deadline = timeout and cqueues.monotime() + timeout
      local connection, refused = table.remove(idle) or client.connect(target, timeout)
      if not connection then return nil, refused end

      local answer, stream = ask(connection, exchange, heads[exchange]:clone(), timeout)
      local body, reason
      if answer then
         body, reason = requests.receive(stream, take, deadline)
      else
         reason = stream
      end
      if body and settings.reuse and answer:get "connection" ~= "close" then
         idle[#idle + 1] = connection
      else
         connection:close()
      end
      if not body then return nil, reason end
      return tonumber(answer:get ":status"), not take and body or nil
   end, requests.together
end

fetchoff.serve {
   client = "lua-http (connections)",
   version = requests.version,
   features = {
      "http/1.1", "h2", "h2c", "tls", "method.get", "method.head", "method.post", "method.put",
      "body.form", "body.json", "body.raw", "headers", "connection.reuse", "connection.fresh", "concurrency",
      "sink.buffer", "sink.discard", "timeout.total",
   },
   prepare = prepare,
}
