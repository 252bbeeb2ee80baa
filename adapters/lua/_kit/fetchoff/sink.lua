-- Where the content of one exchange after another goes. `take` is given the pieces, and is nil where content is wanted
-- whole; `begin` comes before an exchange, `finish` after it, with what is left to take, and returns the length.

local digest = require "openssl.digest"
local system = require "fetchoff.system"

local sink = {}
sink.__index = sink

local function hex(bytes)
   return (bytes:gsub(".", function(byte) return ("%02x"):format(byte:byte()) end))
end

function sink.of(settings, lane)
   local self = setmetatable({ length = 0 }, sink)
   if settings.sink == "file" then
      if not settings.directory then error("the sink 'file' needs a 'directory'", 0) end
      self.path = ("%s/download-%d-%d"):format(settings.directory, system.pid, lane)
   elseif settings.sink ~= "buffer" and settings.sink ~= "json" and settings.sink ~= "discard" then
      error("unknown sink '" .. settings.sink .. "'", 0)
   end
   if self.path or settings.sink == "discard" then
      self.take = function(piece) self:add(piece) end
   end
   return self
end

function sink:begin(with_digest)
   self.length = 0
   self.sha256 = with_digest and digest.new "sha256" or nil
   if self.path then self.file = assert(io.open(self.path, "wb")) end
end

function sink:add(piece)
   self.length = self.length + #piece
   if self.sha256 then self.sha256:update(piece) end
   if self.file then assert(self.file:write(piece)) end
end

function sink:finish(rest)
   if rest then self:add(rest) end
   if self.file then
      assert(self.file:close())
      self.file = nil
   end
   return self.length
end

function sink:digest()
   return hex(self.sha256:final())
end

return sink
