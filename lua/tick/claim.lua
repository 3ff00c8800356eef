-- Claims a tick of a job and takes the job's lock, in one step. One instance of the fleet is granted; every other one is told why not.
-- The first matching row decides: granted before (a repeated call), early or stale, taken, record lost, held, granted.
-- Every verdict but early, stale and taken moves the mark, so that all instances get the same one.
--
-- @include whole failure
-- @key   lock       the job's lock, a hash as in wire format section 2
-- @key   record     the job's record, a hash: v, mark, app, schedule, token, holder, run
-- @key   runs       the newest 50 rows, a list of JSON objects, newest first; the run under way is not in it, it is in the record
-- @arg   holder     the holder id, new for each claim
-- @arg   lease      the lease in ms, 1 to 10 years
-- @arg   mode       'cron', 'interval', 'instant' (any rising instant), or 'close' (never run it, call it missed)
-- @arg   tick       the nominal instant, epoch ms; ignored for 'interval'
-- @arg   following  the instant after it ('' when there is none); for 'interval' the least time in ms since the last start
-- @arg   previous   the instant before it, '' when unknown: a mark before that is a gap, and named as one
-- @arg   app        the application's name
-- @arg   instance   who asks, for the record
-- @arg   onCrash    'skip'; room for 'retry'
-- @arg   overlap    'skip'; room for 'queue'
-- @reply granted    {1, store's time in ms, token, attempt, tick}
-- @reply taken      {2, store's time, what is left of the run's lease in ms or 0, mark} a mark ahead of the store's time: its clock stepped back
-- @reply overlapped {3, store's time, ttl of the lock in ms}
-- @reply missed     {4, store's time}
-- @reply early      {5, store's time}
-- @reply stale      {6, store's time}
-- @reply error      {-1, message with its code in front, type of the key}
-- @repeat safe: a holder that was granted is granted the same again while it has the lock; else the mark answers taken
local lock = KEYS[1]
local record = KEYS[2]
local runs = KEYS[3]
local holder = ARGV[1]
local lease = tonumber(ARGV[2])
local mode = ARGV[3]
local tick = tonumber(ARGV[4])
local following = tonumber(ARGV[5])
local previous = tonumber(ARGV[6])
local app = ARGV[7]
local instance = ARGV[8]
local onCrash = ARGV[9]
local overlap = ARGV[10]

local LAST = 99999999999999 -- cjson writes 14 digits exactly
local function text(number)
  return string.format('%.0f', number)
end

local function attempt()
  -- A script that fails midway is not rolled back: whatever may be wrong is refused before the first write.
  for key, expected in pairs({[lock] = 'hash', [record] = 'hash', [runs] = 'list'}) do
    local kind = redis.call('TYPE', key).ok
    if kind ~= 'none' and kind ~= expected then
      return {-1, 'WRONGTYPE ' .. key .. ' is not a ' .. expected, kind}
    end
  end
  if onCrash ~= 'skip' or overlap ~= 'skip' then
    return {-1, 'ERR unknown policy ' .. onCrash .. '/' .. overlap, 'none'}
  end
  if not whole(lease, 1, 315360000000)
    or mode ~= 'cron' and mode ~= 'interval' and mode ~= 'instant' and mode ~= 'close'
    or mode ~= 'interval' and not whole(tick, 0, LAST)
    or following and not (following >= 0 and following <= LAST) or mode == 'interval' and not following
    or previous and not whole(previous, 0, LAST) then
    return {-1, 'ERR the mode is unknown, or the lease or an instant is out of range', 'none'}
  end

  local time = redis.call('TIME')
  local at = time[1] * 1000 + math.floor(time[2] / 1000)
  local function push(row)
    local ran, entry = pcall(cjson.encode, row)
    if ran then
      redis.call('LPUSH', runs, entry)
      redis.call('LTRIM', runs, 0, 49)
    end
  end
  local function note(row)
    row.attempt, row.start, row.app, row.instance = 0, at, app, instance
    push(row)
  end
  -- The run under way, or the one that died: {} when nobody can read it.
  local function current()
    local ran, row = pcall(cjson.decode, redis.call('HGET', record, 'run'))
    return ran and type(row) == 'table' and row or {}
  end

  local mark = tonumber(redis.call('HGET', record, 'mark'))
  local runner = redis.call('HGET', record, 'holder')
  local running = runner and redis.call('HEXISTS', lock, runner) == 1
  if running and runner == holder then
    -- The caller counts its lease from this call, not from the one whose reply it never had.
    if redis.call('PTTL', lock) < lease then
      redis.call('PEXPIRE', lock, lease)
    end
    local row = current()
    return {1, at, redis.call('HGET', record, 'token'), tonumber(row.attempt) or 1, tonumber(row.tick) or mark or 0}
  end

  if mode == 'interval' then
    tick = at
  elseif mode ~= 'instant' then
    if at < tick then
      return {5, at}
    end
    if following and at >= following then
      return {6, at}
    end
  end

  -- An interval's mark is its last start. One that lies ahead of the store's clock was written before that clock
  -- stepped back, and holds the job up for the length of the step, like any mark.
  if mark and (tick <= mark or (mode == 'interval' and tick - mark < following)) then
    return {2, at, running and redis.call('PTTL', lock) or 0, mark}
  end

  redis.call('HSETNX', record, 'v', '1')
  redis.call('HSET', record, 'mark', text(tick))
  if runner and not running then
    local row = current()
    if row.tick then
      row.outcome, row.reason = 'crashed', 'the lease ended before the run did'
      push(row)
    end
    redis.call('HDEL', record, 'holder', 'run')
  end
  if not mark and mode ~= 'instant' then
    note({tick = tick, outcome = 'missed', reason = 'record lost: Redis had no mark of this job'})
    return {4, at}
  end
  if mark and previous and mark < previous then
    note({tick = previous, after = mark, outcome = 'missed', reason = 'no instance claimed it'})
  end
  if mode == 'close' then
    note({tick = tick, outcome = 'missed', reason = 'too old: no instance claimed it within the grace'})
    return {4, at}
  end
  if redis.call('EXISTS', lock) == 1 then
    local reason = running and 'the last run still has the lock' or 'the lock is held by ' .. redis.call('HRANDFIELD', lock)
    note({tick = tick, outcome = 'overlapped', reason = reason})
    return {3, at, redis.call('PTTL', lock)}
  end

  redis.call('HSET', lock, holder, 1)
  redis.call('PEXPIRE', lock, lease)
  local token = text(math.max((tonumber(redis.call('HGET', record, 'token')) or 0) + 1, time[1] * 1000000 + time[2]))
  local run = {tick = tick, outcome = 'running', attempt = 1, start = at, token = token, app = app, instance = instance}
  redis.call('HSET', record, 'token', token, 'holder', holder, 'run', cjson.encode(run))
  return {1, at, token, 1, tick}
end

local ran, reply = pcall(attempt)
return ran and reply or failure(reply, lock)
