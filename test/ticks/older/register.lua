-- The script of version 0.1.0, frozen: an older instance in a fleet of newer ones.
local function failure(problem, lock)
local message = type(problem) == 'table' and problem.err or tostring(problem)
message = string.match(message, '^@?user_script:%s*%d+:%s*%-?(.-)%s*$') or message
return {-1, message, redis.pcall('TYPE', lock).ok or 'unknown'}
end
local record = KEYS[1]
local tick = ARGV[1]
local app = ARGV[2]
local schedule = ARGV[3]
local function attempt()
local kind = redis.call('TYPE', record).ok
if kind ~= 'none' and kind ~= 'hash' then
return {-1, 'WRONGTYPE ' .. record .. ' is not a hash', kind}
end
local time = redis.call('TIME')
local at = time[1] * 1000 + math.floor(time[2] / 1000)
local before = redis.call('HMGET', record, 'app', 'schedule')
if tick ~= '' then
local mark = tick == 'now' and at or tonumber(tick)
if not mark or mark < 0 or mark > 99999999999999 or mark % 1 ~= 0 then
return {-1, 'ERR the instant is out of range', 'none'}
end
redis.call('HSETNX', record, 'v', '1')
redis.call('HSETNX', record, 'mark', string.format('%.0f', mark))
redis.call('HSET', record, 'app', app, 'schedule', schedule)
end
return {1, at, redis.call('HGET', record, 'mark') or '', before[1] or '', before[2] or ''}
end
local ran, reply = pcall(attempt)
return ran and reply or failure(reply, record)
