-- The record of a job: its marks, its runs and its history.

-- The reply row for a job of which one key has another type; nil when all are right. A script that fails midway is not
-- rolled back: whatever may be wrong is refused before the first write.
local function mistyped(lock, record, runs)
  for key, expected in pairs({[lock] = 'hash', [record] = 'hash', [runs] = 'list'}) do
    local kind = redis.call('TYPE', key).ok
    if kind ~= 'none' and kind ~= expected then
      return {-1, 'WRONGTYPE ' .. key .. ' is not a ' .. expected, kind}
    end
  end
  return nil
end

-- A JSON object as a table; empty for what is none.
local function rowOf(text)
  local ran, row = pcall(cjson.decode, text)
  return ran and type(row) == 'table' and row or {}
end

-- Whether a run has begun for a request. Beside the newest one that was served, the record has the last ones before it: a caller that
-- receives no messages looks once a second.
local function wasServed(record, id)
  local served = redis.call('HMGET', record, 'served', 'served_before')
  return served[1] == id or string.find(' ' .. (served[2] or '') .. ' ', ' ' .. id .. ' ', 1, true) ~= nil
end

-- Notes that a run has begun for a request.
local function noteServed(record, id)
  local served = redis.call('HMGET', record, 'served', 'served_before')
  if served[1] and served[1] ~= id then
    -- About twenty of them.
    local before = string.sub(served[1] .. ' ' .. (served[2] or ''), 1, 800)
    redis.call('HSET', record, 'served_before', before)
  end
  redis.call('HSET', record, 'served', id)
end

-- How many rows of a job are kept: 50, unless its record has a larger number. Never fewer: a repeated `finish` finds its run by the row.
local function historyOf(record)
  local history = tonumber(redis.call('HGET', record, 'history'))
  return isWhole(history, 50, 10000) and history or 50
end

-- Notes in the record how many rows of a job are kept, where that is another number than before: what adds a row later, also in a process
-- that does not have the job, keeps as many. Nothing is noted for an asker without a number.
local function keepHistory(record, history)
  if history and history ~= historyOf(record) then
    redis.call('HSET', record, 'history', string.format('%.0f', history))
  end
end

-- Adds a row to the newest ones of a job, of which it keeps as many as the record says, and counts its outcome in the record. Answers the row as JSON; nil for one that is none.
local function addRow(record, runs, row)
  local ran, entry = pcall(cjson.encode, row)
  if not ran then
    return nil
  end
  redis.call('LPUSH', runs, entry)
  redis.call('LTRIM', runs, 0, historyOf(record) - 1)
  if string.find(' completed failed crashed abandoned overlapped missed ', ' ' .. row.outcome .. ' ', 1, true) then
    -- A field of that name that is no number is not ours, and must not stop what has begun.
    redis.pcall('HINCRBY', record, row.outcome, row.outcome == 'missed' and row.count or 1)
  end
  return entry
end

-- Adds the row of a tick that is not run. Overlapped ticks in a row with one reason share a row, so that a long run does not push what was
-- before it out of the newest rows. count: of the ticks that the row is about, nil where that is one, or unknown.
local function noteTick(job, tick, outcome, reason, after, count)
  if outcome == 'overlapped' then
    local last = rowOf(redis.call('LINDEX', job.runs, 0) or '')
    local before = tonumber(last.tick)
    if last.outcome == outcome and last.reason == reason and before and before < tick then
      after = tonumber(last.after) or before - 1
      count = (tonumber(last.count) or 1) + 1
      redis.call('LTRIM', job.runs, 1, -1)
    end
  end
  local row = {tick = tick, outcome = outcome, reason = reason, after = after, count = count, attempt = 0, start = job.at}
  row.app, row.instance = job.asker.app, job.asker.instance
  job.rows[#job.rows + 1] = addRow(job.record, job.runs, row)
end

-- Notes a tick of a paused job in its pause: one row stands for all of them when it ends. before: the mark until now; counted: the ticks behind it up to this one, nil where that is unknown. An older
-- version of the library moves the mark alone, so the count holds where it goes up to the mark. previous: the instant before the tick, nil where that is unknown.
local function notePaused(job, tick, before, counted, previous)
  local pause = rowOf(job.paused)
  if not tonumber(pause.mark) then
    -- What the row of the pause begins with is known only now.
    pause.mark = previous or tick - 1
    before, counted = pause.mark, 1
  end
  if counted and (tonumber(pause.upTo) or tonumber(pause.mark)) == before then
    pause.count = (tonumber(pause.count) or 0) + counted
    pause.upTo = tick
  end
  redis.call('HSET', job.record, 'paused', cjson.encode(pause))
end

-- Moves the mark of a job to a tick, and notes when the next one is due, where that is known: '<mark> <due>', for an older version of the
-- library moves the mark alone.
local function moveMark(record, tick, due)
  if due then
    redis.call('HSET', record, 'mark', string.format('%.0f', tick), 'next', string.format('%.0f %.0f', tick, due))
  else
    redis.call('HSET', record, 'mark', string.format('%.0f', tick))
    redis.call('HDEL', record, 'next')
  end
end

-- Writes down that the queued tick of a job, if there is one, is not run.
local function dropQueued(job)
  if job.queued then
    noteTick(job, job.queued, 'overlapped', 'a newer tick came before the lock was free')
    redis.call('HDEL', job.record, 'queued')
    job.queued = nil
  end
end

-- Notes that a run of an interval starts: its mark is its last start, and what is queued came before. A grant that is given again began before.
-- A run that was asked for by hand is none of the schedule, however often it has to be run again.
local function noteStart(job, answer)
  if answer[1] == 1 and not job.running and not (job.offer and job.offer.by) then
    if job.at > (job.mark or 0) then
      local period = job.asker.period
      moveMark(job.record, job.at, period and job.at + period)
    end
    dropQueued(job)
  end
  return answer
end

-- Writes down the ticks that wait to be run by any instance, {tick, attempt, at} each, the one that has waited longest first.
local function writeHandoffs(record, waiting)
  if #waiting == 0 then
    redis.call('HDEL', record, 'handed')
  else
    redis.call('HSET', record, 'handed', cjson.encode(waiting))
  end
end

-- Writes down that the last run of a job died, if it did. A request that it was granted for, and that it was not known to have begun
-- for, is over with it, unless the asker is granted that same `request`.
local function closeDead(job, request)
  if not job.runner or job.running then
    return
  end
  local asked = job.run.request
  if asked and asked == job.request.id and not (request and request.id == asked) then
    redis.call('HDEL', job.record, 'request')
    job.request = {}
  end
  job.run.request, job.run['until'], job.run.crashes = nil, nil, nil
  if job.run.tick then
    job.run.outcome, job.run.reason = 'crashed', 'the lease ended before the run did'
    if job.abandoned then
      job.run.outcome = 'abandoned'
      job.run.reason = string.format('%d runs of the tick have crashed, and maxAttempts allows no more', job.abandoned)
    end
    job.rows[#job.rows + 1] = addRow(job.record, job.runs, job.run)
  end
  redis.call('HDEL', job.record, 'holder', 'run')
  job.runner = nil
end

-- Writes down what no instance will run any more: a tick that was handed over too long ago, a queued one that a newer one has passed.
local function closeStale(job)
  if #job.handed > 0 and not job.offer then
    for _, handed in ipairs(job.handed) do
      noteTick(job, handed.tick, 'missed', 'it was handed over, and no instance took it within the grace')
    end
    job.handed = {}
    writeHandoffs(job.record, job.handed)
  end
  if job.queued and job.mark and job.queued < job.mark then
    dropQueued(job)
  end
end

-- What Redis has of a job now, for an asker {holder, lease, app, instance, onCrash, attempts, grace, period, history, publish, jobs}. `offer` is what has to be run again
-- before any newer tick: the run that died, under 'retry'; or what was handed over, under 'skip' for no longer than the grace. `by` is the
-- instance that asked for it by hand.
local function openJob(lock, record, runs, asker)
  local time = redis.call('TIME')
  local function field(name)
    return redis.call('HGET', record, name)
  end
  local job = {lock = lock, record = record, runs = runs, asker = asker, rows = {}, time = time}
  job.at = time[1] * 1000 + math.floor(time[2] / 1000)
  job.mark = tonumber(field('mark'))
  job.runner = field('holder')
  job.running = job.runner and redis.call('HEXISTS', lock, job.runner) == 1
  -- The run under way, or the one that died: {} when it cannot be read.
  job.run = rowOf(field('run'))
  job.held = redis.call('EXISTS', lock) == 1
  job.paused = field('paused')
  job.queued = tonumber(field('queued'))
  job.request = rowOf(field('request'))
  job.handed = rowOf(field('handed'))
  local retry, died = asker.onCrash == 'retry', tonumber(job.run.tick)
  -- A run that was asked for, and has not begun as far as anybody knows, is run again only for a request that still waits.
  local asked = job.run.request
  local waits = asked and asked == job.request.id and job.at <= (tonumber(job.request['until']) or 0)
  if retry and job.runner and not job.running and died and (waits or not asked) then
    local attempt = tonumber(job.run.attempt) or 1
    -- Of a run that an older version has begun each earlier attempt counts as crashed.
    local crashes = (tonumber(job.run.crashes) or attempt - 1) + 1
    if not asker.attempts or crashes < asker.attempts then
      job.offer = {tick = died, attempt = attempt + 1, crashes = crashes, request = waits and job.request or nil}
      job.offer.by = job.run.requestedBy
      return job
    end
    job.abandoned = crashes
  end
  for place, handed in ipairs(job.handed) do
    if retry or job.at - handed.at < asker.grace then
      job.offer = {tick = handed.tick, attempt = handed.attempt, crashes = handed.crashes, place = place, by = handed.by}
      return job
    end
  end
  return job
end
