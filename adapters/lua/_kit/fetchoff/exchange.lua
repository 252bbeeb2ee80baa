-- One request and what its response must be:
--
--     method   url
--     headers  { { name, value }, ... }
--     body     nil, or a table with its kind and
--         form, multipart  fields: { { name, value }, ... }
--         multipart        files: { { name =, filename =, content_type =, path = }, ... }
--         json             value
--         raw              content_type, content

local cjson = require "cjson"

local exchange = {}
exchange.__index = exchange

local function given(value)
   if value ~= cjson.null then return value end
end

local function content_of(path)
   local file = assert(io.open(path, "rb"))
   local content = file:read "*a"
   file:close()
   return content
end

local function body_of(message)
   local body = {
      kind = message.kind,
      fields = message.fields,
      files = message.files or {},
      value = message.value,
      content_type = message.content_type,
   }
   if body.kind == "raw" then body.content = content_of(message.path) end
   return body
end

function exchange.of(message)
   if type(message) ~= "table" or type(message.method) ~= "string" or type(message.url) ~= "string" then
      error("an exchange needs 'method' and 'url'", 0)
   end
   local expect = given(message.expect) or {}
   return setmetatable({
      method = message.method,
      url = message.url,
      headers = given(message.headers) or {},
      body = given(message.body) and body_of(message.body),
      status = given(expect.status),
      length = given(expect.bytes),
      member = given(expect.json),
   }, exchange)
end

-- The Content-Type and the content of a body that is sent as one string, serialised anew at each call.
-- `encode` is the library's own encoding of a text in a form.
function exchange:typed_content(encode)
   local body = self.body
   if body.kind == "raw" then return body.content_type, body.content end
   if body.kind == "json" then return "application/json", cjson.encode(body.value) end
   local pairs_ = {}
   for i, field in ipairs(body.fields) do pairs_[i] = encode(field[1]) .. "=" .. encode(field[2]) end
   return "application/x-www-form-urlencoded", table.concat(pairs_, "&")
end

-- What is wrong with an answer, or nil.
function exchange:fault_in(status, length)
   if self.status and status ~= self.status then
      return ("status %d instead of %d"):format(status, self.status)
   end
   if self.length and length ~= self.length then
      return ("%d bytes instead of %d"):format(length, self.length)
   end
end

function exchange:json_fault_in(document)
   if not self.member then return end
   local name, value = self.member[1], self.member[2]
   if type(document) == "table" and document[name] == value then return end
   return ("the JSON member '%s' is not '%s'"):format(name, value)
end

function exchange:__tostring()
   return self.method .. " " .. self.url
end

return exchange
