-- Stores how a run ended and releases the job's lock, with its message like any unlock.
-- Refused when the run has lost its lease, whether or not another one has begun since.
--
-- @include whole failure tell
-- @key   lock     the job's lock
-- @key   record   the job's record, a hash
-- @key   runs     the newest 50 rows, a list of JSON objects, newest first
-- @arg   publish  PUBLISH, or SPUBLISH where the deployment shards its channels
-- @arg   holder   the holder id of the run
-- @arg   token    the token of the run
-- @arg   count    the hold count to leave behind; 0 frees the lock
-- @arg   lease    the lease in ms to restore when a count stays, 1 to 10 years; not looked at otherwise
-- @arg   channel  the lock's channel
-- @arg   outcome  'completed' or 'failed'
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
local outcome = ARGV[7]
local reason = ARGV[8]

local function decode(entry)
  local ran, row = pcall(cjson.decode, entry)
  return ran and type(row) == 'table' and row or {}
end
local function finished()
  for _, entry in ipairs(redis.call('LRANGE', runs, 0, 49)) do
    if string.find(entry, token, 1, true) then
      local row = decode(entry)
      if row.token == token then
        return row.outcome == 'completed' or row.outcome == 'failed'
      end
    end
  end
  return false
end

local function attempt()
  -- A script that fails midway is not rolled back: whatever may be wrong is refused before the first write.
  for key, expected in pairs({[lock] = 'hash', [record] = 'hash', [runs] = 'list'}) do
    local kind = redis.call('TYPE', key).ok
    if kind ~= 'none' and kind ~= expected then
      return {-1, 'WRONGTYPE ' .. key .. ' is not a ' .. expected, kind}
    end
  end
  if not whole(count, 0, 2147483647)
    or count > 0 and not whole(lease, 1, 315360000000)
    or outcome ~= 'completed' and outcome ~= 'failed'
    or #holder == 0 or #token == 0 then
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
  if held and fields[1] == holder and fields[2] == token then
    local row = decode(fields[3])
    row.token, row.outcome, row['end'] = token, outcome, at
    if reason ~= '' then
      row.reason = reason
    end
    local entry = cjson.encode(row)
    -- HDEL comes first: a server that is out of memory refuses LPUSH and HSET as a first write only.
    redis.call('HDEL', record, 'holder', 'run')
    redis.call('LPUSH', runs, entry)
    redis.call('LTRIM', runs, 0, 49)
  elseif not finished() then
    return {0, at}
  end

  if not held then
    return {1, at, 0}
  end
  if count > 0 then
    if held > count then
      redis.call('PEXPIRE', lock, lease)
      redis.call('HSET', lock, holder, count)
    end
    return {2, at}
  end
  redis.call('DEL', lock)
  return {1, at, tell(publish, channel, '0')}
end

local ran, reply = pcall(attempt)
return ran and reply or failure(reply, lock)
