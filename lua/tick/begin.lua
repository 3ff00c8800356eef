-- Notes that a run which was asked for by hand has begun: its request is served, and the job's channel says so.
--
-- @include failure rowOf publishMessage wasServed noteServed
-- @key   record   the job's record, a hash
-- @arg   publish  PUBLISH, or SPUBLISH where the deployment shards its channels
-- @arg   channel  the job's channel
-- @arg   holder   the holder id of the run
-- @arg   request  the request's id
-- @reply served   {1, store's time in ms}
-- @reply gone     {0, store's time} the run is no longer the job's
-- @reply error    {-1, message with its code in front, type of the key}
-- @repeat safe: a request that is served stays served
local record = KEYS[1]
local publish = ARGV[1]
local channel = ARGV[2]
local holder = ARGV[3]
local request = ARGV[4]

local function attempt()
  local kind = redis.call('TYPE', record).ok
  if kind ~= 'none' and kind ~= 'hash' then
    return {-1, 'WRONGTYPE ' .. record .. ' is not a hash', kind}
  end
  local time = redis.call('TIME')
  local at = time[1] * 1000 + math.floor(time[2] / 1000)
  local run = rowOf(redis.call('HGET', record, 'run'))
  if redis.call('HGET', record, 'holder') ~= holder or run.request ~= request or #request == 0 then
    return {wasServed(record, request) and 1 or 0, at}
  end
  -- HDEL comes first: a server that is out of memory refuses HSET as a first write only.
  if rowOf(redis.call('HGET', record, 'request')).id == request then
    redis.call('HDEL', record, 'request')
  end
  run.request, run['until'] = nil, nil
  redis.call('HSET', record, 'run', cjson.encode(run))
  noteServed(record, request)
  publishMessage(publish, channel, 'served:' .. request)
  return {1, at}
end

local ran, reply = pcall(attempt)
return ran and reply or failure(reply, record)
