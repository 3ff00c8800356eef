-- Tells whether a request was served, which it is when its run has begun; one whose time is over is withdrawn, so that no instance serves it later.
--
-- @include failure rowOf wasServed
-- @key   record     the job's record, a hash
-- @arg   id         the request's id
-- @reply served     {1, store's time in ms}
-- @reply gone       {0, store's time} it was withdrawn, or is not there
-- @reply waits      {2, store's time, ms for which it waits on, 1 where a run was granted for it that is not known to have begun, else 0}
-- @reply error      {-1, message with its code in front, type of the key}
-- @repeat safe: what is withdrawn is gone
local record = KEYS[1]
local id = ARGV[1]

local function attempt()
  local kind = redis.call('TYPE', record).ok
  if kind ~= 'none' and kind ~= 'hash' then
    return {-1, 'WRONGTYPE ' .. record .. ' is not a hash', kind}
  end
  local time = redis.call('TIME')
  local at = time[1] * 1000 + math.floor(time[2] / 1000)
  if wasServed(record, id) then
    return {1, at}
  end
  local waiting = rowOf(redis.call('HGET', record, 'request'))
  local run = rowOf(redis.call('HGET', record, 'run'))
  local waits, isGranted = waiting.id == id, run.request == id
  -- A request whose time is over makes way for the next one, also where a run was granted for it.
  local last = waits and tonumber(waiting['until']) or isGranted and tonumber(run['until'])
  local left = (last or 0) - at
  if left <= 0 and isGranted then
    -- It was granted in time, and the word that it has begun may be on its way.
    left = left + 1000
  end
  if left > 0 and (waits or isGranted) then
    return {2, at, math.ceil(left), isGranted and 1 or 0}
  end
  if waits then
    redis.call('HDEL', record, 'request')
  end
  return {0, at}
end

local ran, reply = pcall(attempt)
return ran and reply or failure(reply, record)
