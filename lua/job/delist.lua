-- Removes a job from the list of the jobs of a namePrefix.
--
-- @include failure
-- @key   jobs     the list: a sorted set of entries, in alphabetical order, for all scores are 0
-- @arg   entry    the entry, as job/enlist.lua has it
-- @reply removed  {1, store's time in ms}
-- @reply none     {0, store's time} it was not in the list
-- @reply error    {-1, message with its code in front, type of the key}
-- @repeat safe: what is gone stays gone, but the second run says that it was not there
local jobs = KEYS[1]
local entry = ARGV[1]

local function attempt()
  local time = redis.call('TIME')
  local at = time[1] * 1000 + math.floor(time[2] / 1000)
  return {redis.call('ZREM', jobs, entry), at}
end

local ran, reply = pcall(attempt)
return ran and reply or failure(reply, jobs)
