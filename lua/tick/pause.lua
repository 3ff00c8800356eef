-- Pauses a job, or lets it go on. While it is paused its mark moves on and nothing of it is run but what is asked for by hand;
-- one row stands for all the ticks that were passed over. A resumed job notifies the instances, which look for what waits.
--
-- @include isWhole failure mistyped rowOf historyOf addRow publishMessage
-- @key   lock      the job's lock
-- @key   record    the job's record, a hash
-- @key   runs      the newest rows, a list of JSON objects, newest first
-- @arg   publish   PUBLISH, or SPUBLISH where the deployment shards its channels
-- @arg   channel   the job's channel
-- @arg   verb      'pause' or 'resume'
-- @arg   app       the application's name
-- @arg   by        the instance that asks, or the name of an operator, for the record
-- @reply done      {1, store's time in ms}
-- @reply idle      {0, store's time} it was paused before, or was not
-- @reply error     {-1, message with its code in front, type of the key}
-- @repeat safe: a second time changes nothing
local lock = KEYS[1]
local record = KEYS[2]
local runs = KEYS[3]
local publish = ARGV[1]
local channel = ARGV[2]
local verb = ARGV[3]
local app = ARGV[4]
local by = ARGV[5]

local function attempt()
  local problem = mistyped(lock, record, runs)
  if problem then
    return problem
  end
  if verb ~= 'pause' and verb ~= 'resume' then
    return {-1, 'ERR unknown verb ' .. verb, 'none'}
  end
  local time = redis.call('TIME')
  local at = time[1] * 1000 + math.floor(time[2] / 1000)
  local paused = redis.call('HGET', record, 'paused')
  if (paused and true or false) == (verb == 'pause') then
    return {0, at}
  end
  local function note(tick, outcome, reason, after, count)
    local row = {tick = tick, outcome = outcome, reason = reason, after = after, count = count, attempt = 0, start = at}
    row.app, row.instance = app, by
    addRow(record, runs, row)
  end
  local mark = tonumber(redis.call('HGET', record, 'mark'))
  if verb == 'pause' then
    redis.call('HSETNX', record, 'v', '1')
    redis.call('HSET', record, 'paused', cjson.encode({at = at, mark = mark, app = app, instance = by}))
    local queued = tonumber(redis.call('HGET', record, 'queued'))
    if queued then
      note(queued, 'overlapped', 'the job was paused before the lock was free')
      redis.call('HDEL', record, 'queued')
    end
    return {1, at}
  end
  local pause = rowOf(paused)
  local from = tonumber(pause.mark)
  if mark and from and mark > from then
    note(mark, 'paused', 'the job was paused', from, tonumber(pause.upTo) == mark and tonumber(pause.count) or nil)
  end
  redis.call('HDEL', record, 'paused')
  publishMessage(publish, channel, 'look')
  return {1, at}
end

local ran, reply = pcall(attempt)
return ran and reply or failure(reply, lock)
