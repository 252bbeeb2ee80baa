local cookie = require "http.cookie"
local cqueues = require "cqueues"
local fetchoff = require "fetchoff"
local proxies = require "http.proxies"
local request = require "http.request"
local requests = require "requests"

local function prepare(settings)
   requests.refuse_multiplexing(settings)
   local context = requests.tls_context(settings)
   local jar = settings.cookies and cookie.new_store()
   local no_proxies = proxies.new()

   return function(exchange, take)
      local req = request.new_from_uri(exchange.url)
      req.headers:upsert(":method", exchange.method)
      req.version = requests.http_version[settings.protocol]
      req.ctx = req.tls and context or nil
      req.cookie_store = jar
      req.proxy = settings.proxy
      req.proxies = no_proxies
      req.follow_redirects = settings.redirects > 0
      req.max_redirects = settings.redirects
      local content = requests.add_content(req.headers, exchange)
      if content then
         req:set_body(content)
         -- For more than 1024 bytes lua-http expects 100 (Continue). Over HTTP/2 the origin never sends that.
         if req.version == 2 then req.headers:delete "expect" end
      end

      local deadline = settings.total_timeout and cqueues.monotime() + settings.total_timeout
      local headers, stream = req:go(settings.total_timeout)
      if not headers then return nil, stream end
      local body, reason = requests.receive(stream, take, deadline)
      if not body then
         stream.connection:close()
         return nil, reason
      end
      return tonumber(headers:get ":status"), not take and body or nil
   end, requests.together
end

fetchoff.serve {
   client = "lua-http",
   version = requests.version,
   features = {
      "http/1.1", "h2", "h2c", "tls", "proxy", "method.get", "method.head", "method.post", "method.put",
      "body.form", "body.json", "body.raw", "headers", "connection.fresh", "concurrency",
      "sink.buffer", "sink.discard", "cookies", "redirects", "timeout.total",
   },
   prepare = prepare,
}
