-- Asks the fleet to run a job once now, and notifies its instances. A request that waits already is joined.
--
-- @include isWhole failure rowOf publishMessage wasServed
-- @key   record    the job's record, a hash
-- @arg   publish   PUBLISH, or SPUBLISH where the deployment shards its channels
-- @arg   channel   the job's channel
-- @arg   id        the request's id
-- @arg   patience  how long it waits for an instance, in ms
-- @arg   by        the instance that asks, or the name of an operator, for the record
-- @reply asked     {1, store's time in ms, id of the request in force, clients that PUBLISH reached (-1: publishing was refused)}
-- @reply error     {-1, message with its code in front, type of the key}
-- @repeat safe: a request that waits is joined; one that was served is not asked for again
local record = KEYS[1]
local publish = ARGV[1]
local channel = ARGV[2]
local id = ARGV[3]
local patience = tonumber(ARGV[4])
local by = ARGV[5]

local function attempt()
  local kind = redis.call('TYPE', record).ok
  if kind ~= 'none' and kind ~= 'hash' then
    return {-1, 'WRONGTYPE ' .. record .. ' is not a hash', kind}
  end
  if #id == 0 or not isWhole(patience, 1, 315360000000) then
    return {-1, 'ERR there is no id, or the patience is out of range', 'none'}
  end
  local time = redis.call('TIME')
  local at = time[1] * 1000 + math.floor(time[2] / 1000)
  if wasServed(record, id) then
    return {1, at, id, 0}
  end
  local waiting = rowOf(redis.call('HGET', record, 'request'))
  local last = tonumber(waiting['until']) or 0
  if type(waiting.id) ~= 'string' or at > last then
    waiting = {id = id, by = by}
  end
  waiting['until'] = math.max(last, at + patience)
  redis.call('HSETNX', record, 'v', '1')
  redis.call('HSET', record, 'request', cjson.encode(waiting))
  return {1, at, waiting.id, publishMessage(publish, channel, 'look')}
end

local ran, reply = pcall(attempt)
return ran and reply or failure(reply, record)
