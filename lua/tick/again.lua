-- Takes what waits to be run of a job, whichever tick it is now: what has to be run again, what was asked for by hand, the newest
-- queued tick. Asked when the lock is free, when a dead run's lease is over, when the job's channel says so, and at an instance's start.
--
-- @include isWhole failure publishMessage mistyped rowOf historyOf keepHistory addRow writeHandoffs openJob noteTick dropQueued moveMark noteStart closeDead closeStale answerJob answerGrant grantRun grantFirst
-- @key   lock      the job's lock
-- @key   record    the job's record, a hash
-- @key   runs      the newest rows, a list of JSON objects, newest first
-- @arg   publish   PUBLISH, or SPUBLISH where the deployment shards its channels
-- @arg   holder    the holder id, new for each claim
-- @arg   lease     the lease in ms, 1 to 10 years
-- @arg   gap       '' for ticks of a schedule; for an interval anything else: its mark is its last start
-- @arg   app       the application's name
-- @arg   instance  the instance that asks, for the record
-- @arg   onCrash   'skip' or 'retry'
-- @arg   grace     how long a tick that was handed over waits for an instance under 'skip', in ms
-- @arg   jobs      the job's channel or '', as tick/claim.lua has it
-- @arg   period    as tick/claim.lua has it
-- @arg   attempts  as tick/claim.lua has it
-- @arg   history   as tick/claim.lua has it; a run that is granted notes it
-- @reply granted   {1, store's time in ms, token, attempt, tick, rows} and, where the run was asked for by hand, the request's id and the instant until which it may begin
-- @reply nothing   {2, store's time, wait, mark, listen, rows} as tick/claim.lua has it
-- @reply paused    {8, store's time, wait, mark, listen, rows}
-- @reply error     {-1, message with its code in front, type of the key}
-- @repeat safe: a holder that was granted is granted the same again while it has the lock; what was taken waits no more
local lock = KEYS[1]
local record = KEYS[2]
local runs = KEYS[3]
local publish = ARGV[1]
local holder = ARGV[2]
local lease = tonumber(ARGV[3])
local gap = ARGV[4]
local app = ARGV[5]
local instance = ARGV[6]
local onCrash = ARGV[7]
local grace = tonumber(ARGV[8])
local jobs = ARGV[9]
local period = tonumber(ARGV[10])
local attempts = tonumber(ARGV[11])
local history = tonumber(ARGV[12])

local function attempt()
  local problem = mistyped(lock, record, runs)
  if problem then
    return problem
  end
  if onCrash ~= 'skip' and onCrash ~= 'retry' or not isWhole(lease, 1, 315360000000) or not isWhole(grace, 0, 99999999999999)
    or period and not isWhole(period, 1, 315360000000) or attempts and not isWhole(attempts, 1, 2147483647)
    or history and not isWhole(history, 50, 10000) then
    return {-1, 'ERR the policy is unknown, or the lease, the grace, the period, the number of attempts or the history is out of range', 'none'}
  end

  local asker = {holder = holder, lease = lease, app = app, instance = instance, onCrash = onCrash, grace = grace, period = period}
  asker.attempts, asker.history = attempts, history
  asker.publish, asker.jobs = publish, jobs
  local job = openJob(lock, record, runs, asker)
  local first = grantFirst(job)
  if not first then
    if job.run.request or job.abandoned then
      -- The run that was granted for a request died before it was known to have begun, or no attempt is left.
      closeDead(job)
    end
    local request = job.request.id
    local inTime = request and job.at <= (tonumber(job.request['until']) or 0)
    if request and inTime and not job.held then
      -- The request waits on until its run has begun.
      return grantRun(job, job.at, 1, job.request)
    end
    if request and not inTime then
      redis.call('HDEL', record, 'request')
      job.request = {}
    end
    if job.paused or request and inTime then
      return answerJob(job, job.paused and 8 or 2)
    end
    closeStale(job)
    if not job.queued or job.held then
      return answerJob(job, 2)
    end
    first = grantRun(job, job.queued, 1)
    redis.call('HDEL', record, 'queued')
    job.queued = nil
  end
  return gap ~= '' and noteStart(job, first) or first
end

local ran, reply = pcall(attempt)
return ran and reply or failure(reply, lock)
