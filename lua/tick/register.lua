-- Makes a job known: sets its mark when it has none, so that ticks before its first registration are never run.
-- With an empty tick it only reads, and returns the store's time from which the tick is to be computed.
--
-- @include isWhole failure rowOf
-- @key   record     the job's record, a hash: v, mark, next, app, schedule, token, holder, run
-- @arg   tick       the latest nominal instant at or before the store's now, epoch ms; 'now' for the store's now; '' to look
-- @arg   app        the application's name
-- @arg   schedule   the fingerprint of the schedule
-- @arg   due        the first nominal instant after the store's now, epoch ms; '' where none is known, and to look
-- @arg   period     for an interval how long after its mark the next start is due, in ms; else ''
-- @arg   former     the schedule with which the asker has registered the job before, which it has changed since; '' for none
-- @reply registered {1, store's time in ms, mark or '', application before, schedule before (the given one where the job begins with that, and gets the one in the record soon), since when the job has this schedule or '' where it never had another one}
-- @reply error      {-1, message with its code in front, type of the key}
-- @repeat safe: a mark that is there is never moved; a repeated call finds its own application and schedule as those before
local record = KEYS[1]
local tick = ARGV[1]
local app = ARGV[2]
local schedule = ARGV[3]
local due = tonumber(ARGV[4])
local period = tonumber(ARGV[5])
local former = ARGV[6]

-- An application may begin with one schedule and set another one at once, each time it starts: for so long, in ms, the first one does not count.
local BRIEF = 60000

-- Notes since when the job has its schedule: what the new one would have run before was never due. `was` is the one before it.
local function noteSchedule(was, at)
  local known = redis.call('HMGET', record, 'schedule_since', 'schedule_from', 'schedule_before', 'since_before')
  local since = string.format('%.0f', at)
  if was == former then
    if known[3] == schedule and at - (tonumber(known[1]) or 0) < BRIEF then
      since = known[4]
    end
    redis.call('HSET', record, 'schedule_since', since, 'schedule_from', former)
    redis.call('HDEL', record, 'schedule_before', 'since_before')
  elseif known[2] == schedule then
    redis.call('HSET', record, 'schedule_since', since, 'schedule_before', was, 'since_before', known[1] or '')
  else
    redis.call('HSET', record, 'schedule_since', since)
    redis.call('HDEL', record, 'schedule_from', 'schedule_before', 'since_before')
  end
end

local function attempt()
  local kind = redis.call('TYPE', record).ok
  if kind ~= 'none' and kind ~= 'hash' then
    return {-1, 'WRONGTYPE ' .. record .. ' is not a hash', kind}
  end
  local time = redis.call('TIME')
  local at = time[1] * 1000 + math.floor(time[2] / 1000)
  local before = redis.call('HMGET', record, 'app', 'schedule', 'schedule_from')
  if tick ~= '' then
    local mark = tick == 'now' and at or tonumber(tick)
    -- cjson, which writes the instants of the rows, writes 14 digits exactly.
    if not mark or mark < 0 or mark > 99999999999999 or mark % 1 ~= 0 then
      return {-1, 'ERR the instant is out of range', 'none'}
    end
    if due and not isWhole(due, 0, 99999999999999) or period and not isWhole(period, 1, 315360000000) then
      return {-1, 'ERR the next instant or the period is out of range', 'none'}
    end
    redis.call('HSETNX', record, 'v', '1')
    local isNew = redis.call('HSETNX', record, 'mark', string.format('%.0f', mark)) == 1
    local paused = isNew and redis.call('HGET', record, 'paused')
    if paused then
      -- The ticks that the pause passes over come after this one, which is never run.
      local pause = rowOf(paused)
      pause.mark = mark
      redis.call('HSET', record, 'paused', cjson.encode(pause))
    end
    redis.call('HSET', record, 'app', app, 'schedule', schedule)
    if before[2] and before[2] ~= schedule then
      noteSchedule(before[2], at)
    end
    local newest = tonumber(redis.call('HGET', record, 'mark')) or at
    if period then
      -- A mark that is there is the last start.
      due = newest + period
    end
    if not due then
      redis.call('HDEL', record, 'next')
    elseif due > newest then
      redis.call('HSET', record, 'next', string.format('%.0f %.0f', newest, due))
    end
  end
  local was = before[3] == schedule and schedule or before[2] or ''
  return {1, at, redis.call('HGET', record, 'mark') or '', before[1] or '', was, redis.call('HGET', record, 'schedule_since') or ''}
end

local ran, reply = pcall(attempt)
return ran and reply or failure(reply, record)
