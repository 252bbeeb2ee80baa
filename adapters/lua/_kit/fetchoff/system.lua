-- What Lua itself does not have: a monotonic clock, and file descriptors.

local ffi = require "ffi"

ffi.cdef [[
struct fetchoff_time { long seconds; long nanoseconds; };
int clock_gettime(int clock, struct fetchoff_time *time);
int dup(int descriptor);
int dup2(int from, int to);
long write(int descriptor, const char *bytes, size_t count);
int getpid(void);
]]

local CLOCK_MONOTONIC = 1
local STDOUT, STDERR = 1, 2

local system = { pid = ffi.C.getpid() }

local time = ffi.new "struct fetchoff_time"

function system.now_ns()
   ffi.C.clock_gettime(CLOCK_MONOTONIC, time)
   return tonumber(time.seconds) * 1e9 + tonumber(time.nanoseconds)
end

-- Whatever a library prints goes to standard error; the function that is returned writes to what standard output was.
function system.claim_standard_output()
   io.stdout:flush()
   local answers = ffi.C.dup(STDOUT)
   ffi.C.dup2(STDERR, STDOUT)
   return function(text)
      while #text > 0 do
         local written = tonumber(ffi.C.write(answers, text, #text))
         if written < 0 then os.exit(1) end
         text = text:sub(written + 1)
      end
   end
end

return system
