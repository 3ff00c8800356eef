-- Reads a page of the list of the jobs of a namePrefix, in alphabetical order. Writes nothing.
--
-- @include isWhole failure
-- @key   jobs     the list: a sorted set of entries, in alphabetical order, for all scores are 0
-- @arg   after    the last entry of the page before; '' to begin
-- @arg   most     the most entries of a page, 1 to 1000
-- @reply page     {1, store's time in ms, the entries, as job/enlist.lua has them}
-- @reply error    {-1, message with its code in front, type of the key}
-- @repeat safe: it only reads
local jobs = KEYS[1]
local after = ARGV[1]
local most = tonumber(ARGV[2])

local function attempt()
  if not isWhole(most, 1, 1000) then
    return {-1, 'ERR the size of the page is out of range', 'none'}
  end
  local time = redis.call('TIME')
  local at = time[1] * 1000 + math.floor(time[2] / 1000)
  return {1, at, redis.call('ZRANGE', jobs, after == '' and '-' or '(' .. after, '+', 'BYLEX', 'LIMIT', 0, most)}
end

local ran, reply = pcall(attempt)
return ran and reply or failure(reply, jobs)
