-- What both ways to use lua-http have in common.

local cqueues = require "cqueues"
local fetchoff = require "fetchoff"
local tls = require "http.tls"
local util = require "http.util"

local requests = {}

requests.version = require("http.version").version

requests.http_version = { ["http/1.1"] = 1.1, h2 = 2, h2c = 2 }

-- Neither way has more than one request in flight on a connection, which is what HTTP/2 would be asked for.
function requests.refuse_multiplexing(settings)
   if settings.concurrency > 1 and settings.protocol ~= "http/1.1" then fetchoff.unsupported "concurrency" end
end

function requests.tls_context(settings)
   local context = tls.new_client_context()
   if settings.tls_ca then context:getStore():add(settings.tls_ca) end
   return context
end

-- Fields and content of an exchange, added to `headers`.
function requests.add_content(headers, exchange)
   for _, header in ipairs(exchange.headers) do headers:append(header[1]:lower(), header[2]) end
   if not exchange.body then return end
   local content_type, content = exchange:typed_content(util.encodeURIComponent)
   headers:append("content-type", content_type)
   return content
end

-- The content, whole or piece by piece; nil and the reason where it did not come.
function requests.receive(stream, take, deadline)
   local function left() return deadline and math.max(0, deadline - cqueues.monotime()) end
   if not take then return stream:get_body_as_string(left()) end
   while true do
      local piece, reason = stream:get_next_chunk(left())
      if not piece then return not reason and "" or nil, reason end
      take(piece)
   end
end

-- Runs the functions as coroutines of one event loop.
function requests.together(functions)
   local loop = cqueues.new()
   for _, run in ipairs(functions) do loop:wrap(run) end
   assert(loop:loop())
end

return requests
