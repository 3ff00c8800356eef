-- Reads a job: its rows, whether the run that they call running still has the lock, and its record. Writes nothing.
--
-- @include isWhole failure mistyped
-- @key   lock    the job's lock
-- @key   record  the job's record, a hash
-- @key   runs    the newest rows, a list of JSON objects, newest first
-- @arg   most    the rows to read beside the run under way, 0 to 10000
-- @reply state   {1, store's time in ms, 1 when the last run still has the lock else 0, the rows: the run under way, then the newest ones, the record's fields and values in turn}
-- @reply error   {-1, message with its code in front, type of the key}
-- @repeat safe: it only reads
local lock = KEYS[1]
local record = KEYS[2]
local runs = KEYS[3]
local most = tonumber(ARGV[1])

local function attempt()
  local problem = mistyped(lock, record, runs)
  if problem then
    return problem
  end
  if not isWhole(most, 0, 10000) then
    return {-1, 'ERR the number of rows is out of range', 'none'}
  end
  local time = redis.call('TIME')
  local at = time[1] * 1000 + math.floor(time[2] / 1000)
  local fields = redis.call('HMGET', record, 'holder', 'run')
  local running = fields[1] and redis.call('HEXISTS', lock, fields[1]) == 1
  local rows = most > 0 and redis.call('LRANGE', runs, 0, most - 1) or {}
  if fields[2] then
    table.insert(rows, 1, fields[2])
  end
  return {1, at, running and 1 or 0, rows, redis.call('HGETALL', record)}
end

local ran, reply = pcall(attempt)
return ran and reply or failure(reply, lock)
