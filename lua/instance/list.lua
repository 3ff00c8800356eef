-- Reads the instances of a namePrefix that are alive, the one that has reported last first. Writes nothing.
--
-- @include isWhole failure
-- @key   instances  the instances of a namePrefix, a sorted set: client uuid -> the store's time of its last report, in ms
-- @derived <beside><client uuid>  one hash per instance: info, jobs
-- @arg   beside     the beginning of the keys of the instances
-- @arg   most       the most instances to read, 1 to 1000
-- @reply list       {1, store's time in ms, of each instance in turn: client uuid, time of its last report, info, jobs}
-- @reply error      {-1, message with its code in front, type of the key}
-- @repeat safe: it only reads
local instances = KEYS[1]
local beside = ARGV[1]
local most = tonumber(ARGV[2])

local function attempt()
  if not isWhole(most, 1, 1000) then
    return {-1, 'ERR the number of instances is out of range', 'none'}
  end
  local time = redis.call('TIME')
  local at = time[1] * 1000 + math.floor(time[2] / 1000)
  local found = {}
  local all = redis.call('ZRANGE', instances, string.format('%d', -most), -1, 'WITHSCORES')
  for index = #all - 1, 1, -2 do
    local said = redis.call('HMGET', beside .. all[index], 'info', 'jobs')
    if said[1] then
      found[#found + 1] = all[index]
      found[#found + 1] = all[index + 1]
      found[#found + 1] = said[1]
      found[#found + 1] = said[2] or '[]'
    end
  end
  return {1, at, found}
end

local ran, reply = pcall(attempt)
return ran and reply or failure(reply, instances)
