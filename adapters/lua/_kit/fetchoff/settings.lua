-- The settings of a `prepare`: timeouts are in seconds, as Lua's libraries take them, and what is null is nil.

local cjson = require "cjson"

local settings = {}
settings.__index = settings

local function given(value)
   if value ~= cjson.null then return value end
end

local function seconds(milliseconds)
   return given(milliseconds) and milliseconds / 1000
end

function settings.of(message)
   local timeout = given(message.timeout_ms) or {}
   return setmetatable({
      protocol = given(message.protocol) or "http/1.1",
      reuse = given(message.reuse) ~= false, -- kept where the library can, unless they must not be
      concurrency = given(message.concurrency) or 1,
      sink = given(message.sink) or "buffer",
      read_size = given(message.read_size),
      directory = given(message.directory),
      cookies = given(message.cookies) or false,
      decompress = given(message.decompress) or false,
      redirects = given(message.redirects) or 0,
      connect_timeout = seconds(timeout.connect),
      read_timeout = seconds(timeout.read),
      total_timeout = seconds(timeout.total),
      tls_ca = given(message.tls_ca),
      proxy = given(message.proxy),
      options = given(message.options) or {},
   }, settings)
end

-- The one number of a library that bounds connecting and reading by the same timeout.
function settings:one_timeout()
   local connect, read = self.connect_timeout, self.read_timeout
   if connect and read and connect ~= read then error({ unsupported = "timeout.connect" }, 0) end
   return connect or read
end

return settings
