-- Notes that an instance of an application is alive, and what it says of itself. Instances that were silent for their life are forgotten.
--
-- @include isWhole failure
-- @key   instances  the instances of a namePrefix, a sorted set: client uuid -> the store's time of its last report, in ms
-- @key   instance   the instance, a hash: info, jobs
-- @arg   client     its client uuid
-- @arg   life       how long an instance counts as alive after a report, in ms, up to a day
-- @arg   info       what it says of itself, JSON
-- @arg   jobs       its jobs, a JSON array; '' where they are as they were
-- @reply noted      {1, store's time in ms, the instances that are alive, this one among them}
-- @reply unknown    {2, store's time} Redis does not have its jobs, and nothing was noted
-- @reply error      {-1, message with its code in front, type of the key}
-- @repeat safe: the same is noted again
local instances = KEYS[1]
local instance = KEYS[2]
local client = ARGV[1]
local life = tonumber(ARGV[2])
local info = ARGV[3]
local jobs = ARGV[4]

local function attempt()
  for key, expected in pairs({[instances] = 'zset', [instance] = 'hash'}) do
    local kind = redis.call('TYPE', key).ok
    if kind ~= 'none' and kind ~= expected then
      return {-1, 'WRONGTYPE ' .. key .. ' is not a ' .. expected, kind}
    end
  end
  if not isWhole(life, 1, 86400000) or client == '' or info == '' then
    return {-1, 'ERR the life is out of range, or nothing is said', 'none'}
  end
  local time = redis.call('TIME')
  local at = time[1] * 1000 + math.floor(time[2] / 1000)
  if jobs == '' and redis.call('EXISTS', instance) == 0 then
    return {2, at}
  end
  redis.call('HSET', instance, 'info', info)
  if jobs ~= '' then
    redis.call('HSET', instance, 'jobs', jobs)
  end
  redis.call('PEXPIRE', instance, life)
  redis.call('ZADD', instances, at, client)
  redis.call('ZREMRANGEBYSCORE', instances, '-inf', string.format('%.0f', at - life))
  redis.call('PEXPIRE', instances, life)
  -- Last, and not needed: a user may not have the permission.
  local alive = redis.pcall('ZCARD', instances)
  return {1, at, type(alive) == 'number' and alive or 0}
end

local ran, reply = pcall(attempt)
return ran and reply or failure(reply, instance)
