-- Claims a tick of a job and takes the job's lock, in one step. One instance of the fleet is granted; every other one gets the reason.
-- The first matching row decides: granted before (a repeated call); what has to be run again (its run died and 'retry', or it was
-- handed over); early or stale; taken; paused; record lost; held; granted.
-- Every verdict but early, stale and taken moves the mark, so that all instances get the same one.
--
-- @include isWhole failure publishMessage mistyped rowOf historyOf keepHistory addRow writeHandoffs openJob noteTick notePaused dropQueued moveMark noteStart closeDead closeStale answerJob answerGrant grantRun grantFirst
-- @key   lock       the job's lock, a hash as in wire format section 2
-- @key   record     the job's record, a hash: v, mark, next, app, schedule, token, holder, run, success; queued, handed, request, served, paused; history; counts by outcome
-- @key   runs       the newest rows, a list of JSON objects, newest first; the run under way is not in it, it is in the record
-- @arg   publish    PUBLISH, or SPUBLISH where the deployment shards its channels
-- @arg   holder     the holder id, new for each claim
-- @arg   lease      the lease in ms, 1 to 10 years
-- @arg   mode       'cron', 'interval', 'instant' (any rising instant; never one that has to be run again), or 'close' (never run it, call it missed)
-- @arg   tick       the nominal instant, epoch ms; ignored for 'interval'
-- @arg   following  the instant after it ('' when there is none); for 'interval' the least time in ms since the last start
-- @arg   previous   the instant before it, '' when unknown: a mark before that is a gap, and named as one
-- @arg   app        the application's name
-- @arg   instance   the instance that asks, for the record
-- @arg   onCrash    'skip' or 'retry'
-- @arg   overlap    'skip' or 'queue'
-- @arg   grace      how long a tick that was handed over waits for an instance under 'skip', in ms
-- @arg   jobs       the job's channel where a tick of their own may be too late to tell the other instances of a run: a grant under 'retry', and a queued tick, are announced there; else ''
-- @arg   period     how long after the tick the next one is due, in ms: for an interval, and where a run starts later than its instant; '' where nothing is known of a next one, and where it is due at `following`
-- @arg   attempts   under 'retry' how many runs of a tick may crash before it is abandoned; '' for any number
-- @arg   base       the mark for which the asker has counted the instants behind it, up to `previous`; '' where it has not
-- @arg   count      how many these are; '' where they are not counted
-- @arg   history    how many rows are kept, 50 to 10000: each verdict but early, stale and taken notes it; '' where the record decides
-- @reply granted    {1, store's time in ms, token, attempt, tick, rows} the tick may be an older one, that has to be run again; then what tick/again.lua adds may follow
-- @reply taken      {2, store's time, wait, mark, listen, rows} wait: ask again after so many ms (0: no reason to; -1: a lock without end); listen: 1 when something is to be run once the lock is free; rows: JSON, those that this call has added
-- @reply overlapped {3, store's time, wait, mark, listen, rows}
-- @reply missed     {4, store's time, wait, mark, listen, rows}
-- @reply early      {5, store's time, wait, mark, listen, rows}
-- @reply stale      {6, store's time, wait, mark, listen, rows}
-- @reply queued     {7, store's time, wait, mark, listen, rows} it runs once the lock is free, unless a newer one comes first
-- @reply paused     {8, store's time, wait, mark, listen, rows}
-- @reply error      {-1, message with its code in front, type of the key}
-- @repeat safe: a holder that was granted is granted the same again while it has the lock; else the mark answers taken
local lock = KEYS[1]
local record = KEYS[2]
local runs = KEYS[3]
local publish = ARGV[1]
local holder = ARGV[2]
local lease = tonumber(ARGV[3])
local mode = ARGV[4]
local tick = tonumber(ARGV[5])
local following = tonumber(ARGV[6])
local previous = tonumber(ARGV[7])
local app = ARGV[8]
local instance = ARGV[9]
local onCrash = ARGV[10]
local overlap = ARGV[11]
local grace = tonumber(ARGV[12])
local jobs = ARGV[13]
local period = tonumber(ARGV[14])
local attempts = tonumber(ARGV[15])
local base = tonumber(ARGV[16])
local count = tonumber(ARGV[17])
local history = tonumber(ARGV[18])

local LAST = 99999999999999 -- cjson writes 14 digits exactly
local function text(number)
  return string.format('%.0f', number)
end

local function attempt()
  local problem = mistyped(lock, record, runs)
  if problem then
    return problem
  end
  if onCrash ~= 'skip' and onCrash ~= 'retry' or overlap ~= 'skip' and overlap ~= 'queue' then
    return {-1, 'ERR unknown policy ' .. onCrash .. '/' .. overlap, 'none'}
  end
  if not isWhole(lease, 1, 315360000000) or not isWhole(grace, 0, LAST)
    or mode ~= 'cron' and mode ~= 'interval' and mode ~= 'instant' and mode ~= 'close'
    or mode ~= 'interval' and not isWhole(tick, 0, LAST)
    or following and not (following >= 0 and following <= LAST) or mode == 'interval' and not following
    or previous and not isWhole(previous, 0, LAST) or period and not isWhole(period, 1, 315360000000)
    or attempts and not isWhole(attempts, 1, 2147483647) or count and not isWhole(count, 1, 2147483647)
    or history and not isWhole(history, 50, 10000) then
    return {-1, 'ERR the mode is unknown, or the lease, an instant, the period, the number of attempts, the count or the history is out of range', 'none'}
  end

  local asker = {holder = holder, lease = lease, app = app, instance = instance, onCrash = onCrash, grace = grace, period = period}
  asker.attempts, asker.history = attempts, history
  asker.publish, asker.jobs = publish, jobs
  local job = openJob(lock, record, runs, asker)
  if mode == 'instant' then
    job.offer = nil
  end
  local first = grantFirst(job)
  if first then
    return mode == 'interval' and noteStart(job, first) or first
  end

  local at, mark = job.at, job.mark
  if mode == 'interval' then
    tick = at
  elseif mode ~= 'instant' then
    if at < tick then
      return answerJob(job, 5)
    end
    if following and at >= following then
      return answerJob(job, 6)
    end
  end
  -- An interval's mark is its last start. One that lies ahead of the store's clock was written before that clock
  -- stepped back, and holds the job up for the length of the step, like any mark.
  if mark and (tick <= mark or (mode == 'interval' and tick - mark < following)) then
    return answerJob(job, 2)
  end

  redis.call('HSETNX', record, 'v', '1')
  moveMark(record, tick, mode ~= 'instant' and (period and tick + period or mode ~= 'interval' and following))
  keepHistory(record, history)
  job.mark = tick
  if job.paused then
    local hasGap = mark and previous and mark < previous
    local isAlone = mode == 'interval' or mode == 'instant' or previous and not hasGap
    notePaused(job, tick, mark, isAlone and 1 or hasGap and base == mark and count and count + 1 or nil, previous)
    return answerJob(job, 8)
  end
  closeDead(job)
  if mode ~= 'instant' then
    closeStale(job)
  end
  if not mark and mode ~= 'instant' and (onCrash == 'skip' or mode == 'close') then
    noteTick(job, tick, 'missed', 'record lost: Redis had no mark of this job')
    return answerJob(job, 4)
  end
  if mark and previous and mark < previous then
    noteTick(job, previous, 'missed', 'no instance claimed it', mark, base == mark and count or nil)
  end
  if mode == 'close' then
    noteTick(job, tick, 'missed', 'too old: no instance claimed it within the grace')
    return answerJob(job, 4)
  end
  if not job.held then
    return grantRun(job, tick, 1)
  end
  if overlap == 'queue' then
    job.queued = tick
    redis.call('HSET', record, 'queued', text(tick))
    if jobs ~= '' then
      publishMessage(publish, jobs, 'look')
    end
    return answerJob(job, 7)
  end
  noteTick(
    job,
    tick,
    'overlapped',
    job.running and 'the last run still has the lock' or 'the lock is held by ' .. redis.call('HRANDFIELD', lock)
  )
  return answerJob(job, 3)
end

local ran, reply = pcall(attempt)
return ran and reply or failure(reply, lock)
