local fetchoff = require "fetchoff"
local http = require "socket.http"
local ltn12 = require "ltn12"
local socket = require "socket"
local ssl = require "ssl"
local url = require "socket.url"

-- LuaSec does not look at certificates unless it is told to.
local function trust(settings)
   if settings.tls_ca then return { cafile = settings.tls_ca } end
   return { capath = "/etc/ssl/certs" }
end

local function prepare(settings)
   local trusted = trust(settings)
   http.TIMEOUT = settings:one_timeout() or 60

   local function request_for(exchange)
      local request = {
         url = exchange.url,
         method = exchange.method,
         headers = {},
         redirect = settings.redirects > 0,
         maxredirects = settings.redirects,
         proxy = settings.proxy,
         protocol = "any",
         options = "all",
         verify = "peer",
         cafile = trusted.cafile,
         capath = trusted.capath,
      }
      for _, header in ipairs(exchange.headers) do request.headers[header[1]:lower()] = header[2] end
      if exchange.body then
         local content_type, content = exchange:typed_content(url.escape)
         request.headers["content-type"] = content_type
         request.headers["content-length"] = #content
         request.source = ltn12.source.string(content)
      end
      return request
   end

   local function sink_of(take)
      return function(piece)
         if piece then take(piece) end
         return 1
      end
   end

   return function(exchange, take)
      local request, pieces = request_for(exchange), {}
      request.sink = take and sink_of(take) or ltn12.sink.table(pieces)
      local done, status = http.request(request)
      if not done then return nil, status end
      return status, not take and table.concat(pieces) or nil
   end
end

fetchoff.serve {
   client = "LuaSocket",
   version = socket._VERSION:match "%d[%d.]*",
   engine = "LuaSec " .. ssl._VERSION,
   features = {
      "http/1.1", "tls", "proxy", "method.get", "method.head", "method.post", "method.put",
      "body.form", "body.json", "body.raw", "headers", "connection.fresh", "sink.buffer", "sink.discard",
      "redirects", "timeout.connect", "timeout.read",
   },
   prepare = prepare,
}
