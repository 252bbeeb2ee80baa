-- Twice the usual length, because the binding is no more than setopt and perform.

local curl = require "curl"
local fetchoff = require "fetchoff"

local function switch(on)
   return on and 1 or 0
end

local function milliseconds(seconds)
   return seconds and math.floor(1000 * seconds + 0.5)
end

-- One option after another, except what is nil.
local function set(handle, options)
   for option, value in pairs(options) do handle:setopt(option, value) end
end

local function header_lines(exchange, content_type)
   local lines = {}
   for i, header in ipairs(exchange.headers) do lines[i] = header[1] .. ": " .. header[2] end
   local is_known = exchange.method == "POST" and exchange.body and exchange.body.kind == "form" -- by libcurl
   if content_type and not is_known then lines[#lines + 1] = "Content-Type: " .. content_type end
   return lines
end

-- Has the content read by libcurl, in pieces of the size that it asks for.
local function read_from(handle, content)
   local sent = 0
   handle:setopt(curl.OPT_READFUNCTION, function(most)
      local piece = content:sub(sent + 1, sent + most)
      sent = sent + #piece
      return #piece, piece
   end)
end

local function set_content(handle, exchange, content)
   if exchange.method == "PUT" then
      handle:setopt(curl.OPT_INFILESIZE, #content)
      read_from(handle, content)
   elseif exchange.method == "POST" then
      handle:setopt(curl.OPT_POSTFIELDSIZE, #content)
      if exchange.body and exchange.body.kind == "raw" then
         read_from(handle, content) -- the binding copies OPT_POSTFIELDS up to the first zero byte
      else
         handle:setopt(curl.OPT_POSTFIELDS, content)
      end
   end
end

local method_option = { HEAD = curl.OPT_NOBODY, PUT = curl.OPT_UPLOAD, POST = curl.OPT_POST }

local function set_method(handle, method)
   handle:setopt(curl.OPT_HTTPGET, 1)
   if method_option[method] then handle:setopt(method_option[method], 1) end
end

-- What was set as OPT_POSTFIELDS cannot be taken back, and would be sent instead of what is read.
local function refuse_mixture(exchanges)
   local has = {}
   for _, exchange in ipairs(exchanges) do
      if exchange.method == "POST" then has[exchange.body and exchange.body.kind or "none"] = true end
   end
   if has.raw and (has.form or has.json or has.none) then fetchoff.unsupported "body.raw" end
end

local function prepare(settings, exchanges)
   refuse_mixture(exchanges)
   local nodelay = settings.options.tcp_nodelay
   local handle = curl.easy_init()
   set(handle, {
      [curl.OPT_HTTP_VERSION] = curl.HTTP_VERSION_1_1,
      [curl.OPT_FORBID_REUSE] = switch(not settings.reuse or settings.options.forbid_reuse),
      [curl.OPT_FOLLOWLOCATION] = switch(settings.redirects > 0),
      [curl.OPT_MAXREDIRS] = settings.redirects,
      [curl.OPT_PROXY] = settings.proxy or "",
      [curl.OPT_COOKIEFILE] = settings.cookies and "" or nil,
      [curl.OPT_ACCEPT_ENCODING] = settings.decompress and "" or nil, -- all that it can decode
      [curl.OPT_CAINFO] = settings.tls_ca,
      [curl.OPT_BUFFERSIZE] = settings.read_size,
      [curl.OPT_CONNECTTIMEOUT_MS] = milliseconds(settings.connect_timeout),
      [curl.OPT_TIMEOUT_MS] = milliseconds(settings.total_timeout),
      [curl.OPT_TCP_NODELAY] = nodelay ~= nil and switch(nodelay) or nil,
   })

   -- The binding has no getinfo: the status is read from the head of the last answer.
   local status
   handle:setopt(curl.OPT_HEADERFUNCTION, function(line)
      status = line:match "^HTTP/%S+ (%d+)" or status
      return #line
   end)

   local pieces, sink
   handle:setopt(curl.OPT_WRITEFUNCTION, function(piece)
      if sink then sink(piece) else pieces[#pieces + 1] = piece end
      return #piece
   end)

   local last -- what the handle was told stays with it
   return function(exchange, take)
      local content_type, content = nil, ""
      if exchange.body then content_type, content = exchange:typed_content(curl.escape) end
      pieces, sink = {}, take
      handle:setopt(curl.OPT_URL, exchange.url)
      if exchange ~= last then
         handle:setopt(curl.OPT_HTTPHEADER, header_lines(exchange, content_type))
         set_method(handle, exchange.method)
         last = exchange
      end
      set_content(handle, exchange, content)

      local code, reason = handle:perform()
      if code ~= 0 then return nil, reason end
      return tonumber(status), not take and table.concat(pieces) or nil
   end
end

fetchoff.serve {
   client = "lua-curl",
   version = curl._VERSION,
   engine = "libcurl " .. curl.version():match "libcurl/(%S+)",
   features = {
      "http/1.1", "tls", "proxy", "method.get", "method.head", "method.post", "method.put",
      "body.form", "body.json", "body.raw", "headers", "connection.reuse", "connection.fresh",
      "sink.buffer", "sink.discard", "read-size", "cookies", "decompression", "coding.deflate", "redirects",
      "timeout.connect", "timeout.total", "option.tcp_nodelay", "option.forbid_reuse",
   },
   prepare = prepare,
}
