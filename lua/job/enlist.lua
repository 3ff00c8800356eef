-- Adds jobs to the list of the jobs of a namePrefix. A list that is full takes no more.
--
-- @include isWhole failure
-- @key   jobs     the list: a sorted set of entries, in alphabetical order, for all scores are 0
-- @arg   entries  the entries, a JSON array of 1 to 500: the name of a job; where its key is not the namePrefix and the name, NUL and the key behind it
-- @arg   most     the most entries of a list, 1 to 1000000
-- @reply listed   {1, store's time in ms}
-- @reply full     {0, store's time} some were not added
-- @reply error    {-1, message with its code in front, type of the key}
-- @repeat safe: an entry is added once
local jobs = KEYS[1]
local entries = ARGV[1]
local most = tonumber(ARGV[2])

local function attempt()
  local kind = redis.call('TYPE', jobs).ok
  if kind ~= 'none' and kind ~= 'zset' then
    return {-1, 'WRONGTYPE ' .. jobs .. ' is not a zset', kind}
  end
  local ran, given = pcall(cjson.decode, entries)
  if not ran or type(given) ~= 'table' or #given == 0 or #given > 500 or not isWhole(most, 1, 1000000) then
    return {-1, 'ERR there are no entries, or too many, or the size of the list is out of range', 'none'}
  end
  local time = redis.call('TIME')
  local at = time[1] * 1000 + math.floor(time[2] / 1000)
  local isFull = false
  for _, entry in ipairs(given) do
    if redis.call('ZCARD', jobs) < most then
      redis.call('ZADD', jobs, 0, tostring(entry))
    elseif not redis.call('ZSCORE', jobs, tostring(entry)) then
      isFull = true
    end
  end
  return {isFull and 0 or 1, at}
end

local ran, reply = pcall(attempt)
return ran and reply or failure(reply, jobs)
