-- Forgets an instance of an application that shuts down.
--
-- @include failure
-- @key   instances  the instances of a namePrefix, a sorted set: client uuid -> the store's time of its last report, in ms
-- @key   instance   the instance, a hash: info, jobs
-- @arg   client     its client uuid
-- @reply gone       {1, store's time in ms}
-- @reply error      {-1, message with its code in front, type of the key}
-- @repeat safe: what is gone stays gone
local instances = KEYS[1]
local instance = KEYS[2]
local client = ARGV[1]

local function attempt()
  local time = redis.call('TIME')
  local at = time[1] * 1000 + math.floor(time[2] / 1000)
  redis.call('ZREM', instances, client)
  redis.call('DEL', instance)
  return {1, at}
end

local ran, reply = pcall(attempt)
return ran and reply or failure(reply, instances)
