-- Ends a run and releases the job's lock, with its message like any unlock. Stores how it ended, or hands its tick over, so that
-- another instance runs it at once: the job's channel says so.
-- Refused when the run has lost its lease, whether or not another one has begun since. Of a run that the record has forgotten
-- the lock is released, and nothing is stored.
--
-- @include isWhole failure publishMessage publishShorterLease setLease mistyped rowOf historyOf addRow writeHandoffs
-- @key   lock     the job's lock
-- @key   record   the job's record, a hash
-- @key   runs     the newest rows, a list of JSON objects, newest first
-- @arg   publish  PUBLISH, or SPUBLISH where the deployment shards its channels
-- @arg   holder   the holder id of the run
-- @arg   token    the token of the run; '' for 'returned' where the claim's reply never came
-- @arg   count    the hold count to leave behind; 0 frees the lock
-- @arg   lease    the lease in ms to restore when a count stays, 1 to 10 years; not looked at otherwise
-- @arg   channel  the lock's channel
-- @arg   jobs     the job's channel, on which its instances are notified
-- @arg   outcome  'completed', 'failed', 'handed-over' (stopped midway, the next one is another attempt), or 'returned' (it never began: no row; a request for it waits on)
-- @arg   reason   the error's message, or ''; its first 4,000 bytes are kept
-- @reply released {1, store's time in ms, clients that PUBLISH reached (-1: publishing was refused; 0 when it was released before)}
-- @reply kept     {2, store's time}
-- @reply refused  {0, store's time}
-- @reply error    {-1, message with its code in front, type of the key}
-- @repeat safe: the row of the token shows that it has finished, and the count is only lowered
local lock = KEYS[1]
local record = KEYS[2]
local runs = KEYS[3]
local publish = ARGV[1]
local holder = ARGV[2]
local token = ARGV[3]
local count = tonumber(ARGV[4])
local lease = tonumber(ARGV[5])
local channel = ARGV[6]
local jobs = ARGV[7]
local outcome = ARGV[8]
local reason = ARGV[9]

local ENDS = {completed = true, failed = true, ['handed-over'] = true}
local function finished()
  for _, entry in ipairs(redis.call('LRANGE', runs, 0, 49)) do
    if token ~= '' and string.find(entry, token, 1, true) then
      local row = rowOf(entry)
      if row.token == token then
        return ENDS[row.outcome]
      end
    end
  end
  return false
end

local function attempt()
  local problem = mistyped(lock, record, runs)
  if problem then
    return problem
  end
  if not isWhole(count, 0, 2147483647)
    or count > 0 and not isWhole(lease, 1, 315360000000)
    or not ENDS[outcome] and outcome ~= 'returned'
    or #holder == 0 or #token == 0 and outcome ~= 'returned' then
    return {-1, 'ERR the outcome is unknown, or the hold count or the lease is out of range', 'none'}
  end
  if #reason > 4000 then
    -- Never half a character: the last one goes whole, be it cut or not.
    reason = string.gsub(string.sub(reason, 1, 4000), '[\192-\255][\128-\191]*$', '')
  end

  local time = redis.call('TIME')
  local at = time[1] * 1000 + math.floor(time[2] / 1000)

  local held = tonumber(redis.call('HGET', lock, holder))
  local fields = redis.call('HMGET', record, 'holder', 'token', 'run')
  local handsOver = false
  if held and fields[1] == holder and (fields[2] == token or token == '') then
    local row = rowOf(fields[3])
    local tick, number = tonumber(row.tick), tonumber(row.attempt) or 1
    local asked = row.request
    row.request, row['until'] = nil, nil
    local crashes = row.crashes
    row.crashes = nil
    -- HDEL comes first: a server that is out of memory refuses LPUSH and HSET as a first write only.
    redis.call('HDEL', record, 'holder', 'run')
    if asked and outcome ~= 'returned' then
      -- It has ended without having begun.
      if rowOf(redis.call('HGET', record, 'request')).id == asked then
        redis.call('HDEL', record, 'request')
      end
      publishMessage(publish, jobs, 'served:' .. asked)
    end
    if outcome ~= 'returned' then
      row.token, row.outcome, row['end'] = token, outcome, at
      if reason ~= '' then
        row.reason = reason
      end
      addRow(record, runs, row)
    end
    if outcome == 'completed' then
      redis.call('HSET', record, 'success', string.format('%.0f', at))
    end
    handsOver = tick and (outcome == 'returned' or outcome == 'handed-over')
    if handsOver and not asked then
      local handed = {tick = tick, attempt = outcome == 'returned' and number or number + 1, crashes = crashes, by = row.requestedBy}
      -- What never began is as old as its instant: a claim that Redis found when it came back may be long past.
      handed.at = outcome == 'returned' and math.min(at, tick) or at
      local waiting = rowOf(redis.call('HGET', record, 'handed'))
      waiting[#waiting + 1] = handed
      writeHandoffs(record, waiting)
    end
  elseif (not held or fields[1] == holder) and not finished() then
    return {0, at}
  end

  if not held then
    return {1, at, 0}
  end
  if count > 0 then
    if held > count then
      local isShorter = setLease(lock, lease, 0)
      redis.call('HSET', lock, holder, count)
      if isShorter then
        publishShorterLease(publish, channel)
      end
    end
    return {2, at}
  end
  redis.call('DEL', lock)
  local reached = publishMessage(publish, channel, '0')
  if handsOver then
    publishMessage(publish, jobs, 'look')
  end
  return {1, at, reached}
end

local ran, reply = pcall(attempt)
return ran and reply or failure(reply, lock)
