-- The script of version 0.1.0, frozen: an older instance in a fleet of newer ones.
local function whole(number, least, most)
return number and number >= least and number <= most and number % 1 == 0
end
local function failure(problem, lock)
local message = type(problem) == 'table' and problem.err or tostring(problem)
message = string.match(message, '^@?user_script:%s*%d+:%s*%-?(.-)%s*$') or message
return {-1, message, redis.pcall('TYPE', lock).ok or 'unknown'}
end
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
local LAST = 99999999999999
local function text(number)
return string.format('%.0f', number)
end
local function attempt()
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
local function current()
local ran, row = pcall(cjson.decode, redis.call('HGET', record, 'run'))
return ran and type(row) == 'table' and row or {}
end
local mark = tonumber(redis.call('HGET', record, 'mark'))
local runner = redis.call('HGET', record, 'holder')
local running = runner and redis.call('HEXISTS', lock, runner) == 1
if running and runner == holder then
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
