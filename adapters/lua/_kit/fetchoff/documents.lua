-- What cjson cannot write as it was read: to Lua, an empty list and an empty object are the same table, and cjson
-- writes numbers with 14 digits at most.

local cjson = require "cjson"

local documents = {}

local function is_list(value)
   return type(value) == "table" and #value > 0
end

-- `marked` is the same value, read from a text in which empty lists have a member.
local function fault_in(value, marked)
   if type(value) == "number" and tonumber(("%.14g"):format(value)) ~= value then
      return "numbers of more than 14 digits"
   end
   if type(value) ~= "table" then return end
   if next(value) == nil then return is_list(marked) and "empty lists" or nil end
   for key, member in pairs(value) do
      -- A key that has brackets of its own is another one there.
      local fault = fault_in(member, type(marked) == "table" and marked[key])
      if fault then return fault end
   end
end

-- What of the documents in a `prepare` cannot be sent, or nil; `line` is its text.
function documents.fault_in(request, line)
   local marked = cjson.decode((line:gsub("%[%s*%]", "[null]")))
   for i, exchange in ipairs(request.exchanges) do
      local body = exchange.body
      if type(body) == "table" and body.kind == "json" then
         local fault = fault_in(body.value, marked.exchanges[i].body.value)
         if fault then return fault end
      end
   end
end

return documents
