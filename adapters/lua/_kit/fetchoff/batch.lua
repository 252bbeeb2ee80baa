-- The measured loop: n iterations, in as many lanes as `concurrency` asks for, each answer checked.

local cjson = require "cjson"
local system = require "fetchoff.system"

local now_ns = system.now_ns
local batch = {}

local function spin(busy_ns)
   local start = now_ns()
   local now = start
   while now < start + busy_ns do now = now_ns() end
   return now - start
end

local function json_fault_of(tally, exchange, content)
   local start = now_ns()
   local parsed, document = pcall(cjson.decode, content)
   tally.parse_ns = tally.parse_ns + now_ns() - start
   if not parsed then return "not JSON: " .. tostring(document) end
   return exchange:json_fault_in(document)
end

-- What is wrong with the answer, or nil.
local function fault_of(tally, exchange, sink, called, status, content)
   if not called or not status then
      sink:finish()
      return tostring(called and content or status)
   end
   local fault = exchange:fault_in(status, sink:finish(content))
   if tally.parse_ns and not fault then fault = json_fault_of(tally, exchange, content or "") end
   return fault
end

local function perform(work, tally, exchange, sink)
   sink:begin(tally.sha256)
   local called, status, content = pcall(work.fetch, exchange, sink.take)
   local fault = fault_of(tally, exchange, sink, called, status, content)
   if fault then
      tally.failed = tally.failed + 1
      tally.error = tally.error or tostring(exchange) .. ": " .. fault
   else
      tally.done = tally.done + 1
   end
   tally.bytes = tally.bytes + sink.length
   if tally.sha256 then tally.sha256[#tally.sha256 + 1] = called and status and sink:digest() or "" end
   if tally.busy_ns then tally.busy_ns = tally.busy_ns + spin(work.busy_ns) end
end

function batch.run(work, request)
   local left = request.n
   local tally = {
      done = 0,
      failed = 0,
      bytes = 0,
      sha256 = request.digest and {} or nil,
      busy_ns = request.busy_ns and 0 or nil,
      parse_ns = work.settings.sink == "json" and 0 or nil,
   }
   work.busy_ns = request.busy_ns

   local lanes = {}
   for i, sink in ipairs(work.sinks) do
      lanes[i] = function()
         while left > 0 do
            left = left - 1
            for _, exchange in ipairs(work.exchanges) do perform(work, tally, exchange, sink) end
         end
      end
   end

   local start = now_ns()
   if work.together then work.together(lanes) else lanes[1]() end
   tally.wall_ns = now_ns() - start
   return tally
end

return batch
