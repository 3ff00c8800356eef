-- The script of version 0.1.0, frozen: an older instance in a fleet of newer ones.
local function whole(number, least, most)
return number and number >= least and number <= most and number % 1 == 0
end
local function failure(problem, lock)
local message = type(problem) == 'table' and problem.err or tostring(problem)
message = string.match(message, '^@?user_script:%s*%d+:%s*%-?(.-)%s*$') or message
return {-1, message, redis.pcall('TYPE', lock).ok or 'unknown'}
end
local function tell(publish, channel, payload)
local reached = redis.pcall(publish, channel, payload)
return type(reached) == 'number' and reached or -1
end
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
