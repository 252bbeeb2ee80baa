-- What an adapter in Lua needs beside its library: the protocol of docs/protocol.md.
--
--     fetchoff.serve {
--        client = "LuaSocket",
--        version = "3.1.0",
--        engine = "",                        -- may be left out
--        features = { "http/1.1", "method.get", ... },
--        prepare = function(settings, exchanges)
--           local http = ...                 -- a new client object
--           return function(exchange, take)
--              ...
--              return status, content        -- or nil, reason
--           end
--        end,
--     }
--
-- With `take`, content goes to that piece by piece instead of being returned. A library that may declare
-- `concurrency` has its `prepare` return a second function: given a list of functions, it runs them together, as
-- coroutines, until all have ended.

local batch = require "fetchoff.batch"
local cjson = require "cjson"
local documents = require "fetchoff.documents"
local exchange = require "fetchoff.exchange"
local settings = require "fetchoff.settings"
local sink = require "fetchoff.sink"
local system = require "fetchoff.system"

cjson.encode_number_precision(14)

local PROTOCOL = 1
local fetchoff = {}

-- For an adapter's `prepare`: this feature is not to be had together with the others that were asked for.
function fetchoff.unsupported(feature)
   error({ unsupported = feature }, 0)
end

-- The adapter's features and those that the kit adds.
local function all_features(declared)
   local features, has = { "inject.busy" }, {}
   for _, feature in ipairs(declared) do
      features[#features + 1] = feature
      has[feature] = true
   end
   if has["sink.buffer"] then features[#features + 1] = "sink.json" end
   if has["sink.discard"] then features[#features + 1] = "sink.file" end
   return features
end

local function first_missing(required, features)
   local has = {}
   for _, feature in ipairs(features) do has[feature] = true end
   for _, feature in ipairs(required or {}) do
      if not has[feature] then return feature end
   end
end

local operations = {}

function operations.hello(session, request)
   if request.protocol ~= PROTOCOL then error("this adapter speaks protocol " .. PROTOCOL, 0) end
   local adapter = session.adapter
   return {
      protocol = PROTOCOL,
      client = adapter.client,
      version = adapter.version,
      runtime = jit.version,
      engine = adapter.engine or "",
      features = session.features,
   }
end

function operations.prepare(session, request, line)
   session.work = nil
   collectgarbage() -- connections close when the collector finds them
   local missing = first_missing(request.require, session.features)
   if missing then return { unsupported = missing } end
   if type(request.settings) ~= "table" then error("prepare needs 'settings'", 0) end
   if type(request.exchanges) ~= "table" or #request.exchanges == 0 then error("prepare needs 'exchanges'", 0) end

   local work = { settings = settings.of(request.settings), exchanges = {}, sinks = {} }
   for i, message in ipairs(request.exchanges) do work.exchanges[i] = exchange.of(message) end
   local fault = documents.fault_in(request, line)
   if fault then error("cjson cannot write " .. fault, 0) end
   for lane = 1, work.settings.concurrency do work.sinks[lane] = sink.of(work.settings, lane) end
   local made, fetch, together = pcall(session.adapter.prepare, work.settings, work.exchanges)
   if not made then
      if type(fetch) == "table" then return fetch end
      error(fetch, 0)
   end
   work.fetch, work.together = fetch, together
   session.work = work
   return { ready = true }
end

function operations.run(session, request)
   if not session.work then error("run before prepare", 0) end
   local n = request.n
   if type(n) ~= "number" or n < 1 or n % 1 ~= 0 then error("'n' must be a whole number from 1", 0) end
   return batch.run(session.work, request)
end

function operations.finish()
   return { finished = true }
end

local function answer_to(session, line)
   local parsed, request = pcall(cjson.decode, line)
   if not parsed or type(request) ~= "table" then error("not a JSON object on one line", 0) end
   local operation = operations[request.op]
   if not operation then error("unknown op " .. tostring(request.op), 0) end
   return operation(session, request, line)
end

function fetchoff.serve(adapter)
   local answers = system.claim_standard_output()
   local session = { adapter = adapter, features = all_features(adapter.features) }
   for line in io.lines() do
      local answered, answer = pcall(answer_to, session, line)
      if not answered then answer = { error = tostring(answer) } end
      answers(cjson.encode(answer) .. "\n")
      if answer.finished then return end
   end
end

return fetchoff
