-- Removes all that Redis has of a job but its lock.
--
-- @include failure mistyped
-- @key   lock     the job's lock
-- @key   record   the job's record, a hash
-- @key   runs     the newest rows, a list of JSON objects, newest first
-- @arg   force    'force' to forget it also while it runs: the end of that run is then stored nowhere
-- @reply done     {1, store's time in ms, keys that were there}
-- @reply running  {0, store's time}
-- @reply error    {-1, message with its code in front, type of the key}
-- @repeat safe: what is gone stays gone
local lock = KEYS[1]
local record = KEYS[2]
local runs = KEYS[3]
local force = ARGV[1]

local function attempt()
  local problem = mistyped(lock, record, runs)
  if problem then
    return problem
  end
  local time = redis.call('TIME')
  local at = time[1] * 1000 + math.floor(time[2] / 1000)
  local runner = redis.call('HGET', record, 'holder')
  if force ~= 'force' and runner and redis.call('HEXISTS', lock, runner) == 1 then
    return {0, at}
  end
  return {1, at, redis.call('DEL', record, runs)}
end

local ran, reply = pcall(attempt)
return ran and reply or failure(reply, lock)
