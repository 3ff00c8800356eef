// Generated from lua/ by "npm run build:lua"; change the scripts there.
import type { LuaScript } from '../lua.script.js';

/**
 * Ends the life of a call's record: its reply has come, so the call is not repeated any more.
 * KEYS: call.
 * ARGV: keep.
 * - `done`: {1}
 * - `error`: {-1, message with its code in front, type of the key}
 * Repeating it is safe: what is gone stays gone
 */
export const callForget = {
  name: 'call/forget',
  sha1: '4768d1e0de82dc4b11625d5c1817d6bab224b42c',
  batch: true,
  keysPerOperation: 1,
  sharedArgs: 0,
  argsPerOperation: 1,
  text: `local function whole(number, least, most)
return number and number >= least and number <= most and number % 1 == 0
end
local function failure(problem, lock)
local message = type(problem) == 'table' and problem.err or tostring(problem)
message = string.match(message, '^@?user_script:%s*%d+:%s*%-?(.-)%s*$') or message
return {-1, message, redis.pcall('TYPE', lock).ok or 'unknown'}
end
local function attempt(call, keep)
if not whole(keep, 0, 600000) then
error({err = 'ERR the time to keep a record is out of range'})
end
if keep > 0 then
redis.call('PEXPIRE', call, keep)
else
redis.call('DEL', call)
end
return {1}
end
local replies = {}
for i = 1, #KEYS do
local base = i - 1
local call = KEYS[i]
local keep = tonumber(ARGV[base + 1])
local ran, reply = pcall(attempt, call, keep)
replies[i] = ran and reply or failure(reply, call)
end
return replies` as string,
} as const satisfies LuaScript;

/**
 * Takes a free lock whose turn it is, raises the count of a holder that has it, or keeps a place in the queue. Wire format section 6.
 * Beyond its tables: a waiter that asks near its time gets its whole wait again, and so does everyone behind (D21); one with a
 * time and no place, or the other way round, goes to the end (D5); who became the head because others left is told (D2).
 * KEYS: lock, queue, timeout, waits, alive.
 * ARGV, once: publish, life, margin.
 * ARGV, per operation: holder, lease, count, wait, given, channel.
 * - `granted`: {1, hold count}
 * - `busy`: {0, ms until asking again can help by itself (-1: unknown), who is in the way: a holder, or else the head}
 * - `lost`: {2} the count to reach is above 1 and the holder has nothing
 * - `error`: {-1, message with its code in front, type of the key}
 * Repeating it is safe: a holder that was granted is granted the same again, and one in the queue keeps its place
 */
export const fairAcquire = {
  name: 'fair/acquire',
  sha1: '96ed23e034d5744f7a8cb6c14736186d4c6b64d0',
  batch: true,
  keysPerOperation: 5,
  sharedArgs: 3,
  argsPerOperation: 6,
  text: `local function whole(number, least, most)
return number and number >= least and number <= most and number % 1 == 0
end
local function take(lock, holder, lease, count)
if not whole(lease, 1, 315360000000) or not whole(count, 1, 2147483647) then
error({err = 'ERR the lease or the hold count is out of range'})
end
if redis.call('EXISTS', lock) == 0 then
if count > 1 then
return {2}
end
redis.call('HSET', lock, holder, '1')
redis.call('PEXPIRE', lock, lease)
return 1
end
local held = tonumber(redis.call('HGET', lock, holder))
if held == nil then
return {0, redis.call('PTTL', lock), redis.call('HRANDFIELD', lock)}
end
if held < count then
redis.call('HSET', lock, holder, count)
held = count
end
if redis.call('PTTL', lock) < lease then
redis.call('PEXPIRE', lock, lease)
end
return held == count and 1 or {1, held}
end
local function tell(publish, channel, payload)
local reached = redis.pcall(publish, channel, payload)
return type(reached) == 'number' and reached or -1
end
local function tellHead(fair)
local head = redis.call('LINDEX', fair.queue, 0)
return head and tell(fair.publish, fair.channel .. ':' .. head, '0') or 0
end
local function openQueue(fair)
if not whole(fair.margin, 0, 3600000) then
error({err = 'ERR the margin is out of range'})
end
local kinds = {lock = 'hash', queue = 'list', timeout = 'zset', waits = 'hash', alive = 'zset'}
for part, expected in pairs(kinds) do
local kind = redis.call('TYPE', fair[part]).ok
if kind ~= 'none' and kind ~= expected then
fair.wrong = fair[part]
error({err = 'WRONGTYPE ' .. fair.wrong .. ' is not a ' .. expected})
end
end
local time = redis.call('TIME')
fair.now = time[1] * 1000 + math.floor(time[2] / 1000)
end
local function nearEnd(fair, wait)
return math.min(fair.margin, math.floor(math.abs(wait) / 2))
end
local function moveTimes(fair, holder, own, ms)
local moved = {[holder] = not own}
local reached = false
for _, waiter in ipairs(redis.call('LRANGE', fair.queue, 0, -1)) do
reached = reached or waiter == holder
if reached and not moved[waiter] then
moved[waiter] = true
redis.call('ZADD', fair.timeout, 'XX', 'INCR', ms, waiter)
end
end
end
local function dropWaiter(fair, holder)
redis.call('ZREM', fair.timeout, holder)
redis.call('LREM', fair.queue, 0, holder)
redis.call('HDEL', fair.waits, holder)
end
local function declaredWait(fair, holder)
local text = redis.call('HGET', fair.waits, holder)
if text then
local wait, lease = string.match(text, '^(%-?%d+):?(%d*)$')
return tonumber(wait), tonumber(lease)
end
end
local function declareWait(fair, holder, wait, lease)
local text = string.format('%d', wait)
if lease and lease > 0 then
text = string.format('%d:%d', wait, lease)
end
redis.call('HSET', fair.waits, holder, text)
end
local function leaveQueue(fair, holder)
local place = redis.call('LPOS', fair.queue, holder)
local wait = declaredWait(fair, holder)
if place and place > 0 and not wait then
local own = tonumber(redis.call('ZSCORE', fair.timeout, holder))
local front = tonumber(redis.call('ZSCORE', fair.timeout, redis.call('LINDEX', fair.queue, place - 1)))
wait = own and front and math.max(own - front, 0)
end
redis.call('ZREM', fair.timeout, holder)
if place and wait then
moveTimes(fair, holder, false, -math.abs(wait))
end
dropWaiter(fair, holder)
return place == 0
end
local function pruneQueue(fair)
local news = false
local head = redis.call('LINDEX', fair.queue, 0)
while head do
local time = tonumber(redis.call('ZSCORE', fair.timeout, head))
local wait, lease, question = declaredWait(fair, head)
local alive = wait and tonumber(redis.call('ZSCORE', fair.alive, string.match(head, '^[^:]*'))) or 0
local near = wait and nearEnd(fair, wait) or 0
if not time then
dropWaiter(fair, head)
elseif wait and alive <= fair.now then
leaveQueue(fair, head)
elseif wait and wait > 0 and near > 0 and time - fair.now <= near then
declareWait(fair, head, -wait, lease, question)
moveTimes(fair, head, true, fair.now + near - time)
return true
elseif time <= fair.now then
dropWaiter(fair, head)
else
break
end
tell(fair.publish, fair.channel .. ':' .. head, '0')
news = true
head = redis.call('LINDEX', fair.queue, 0)
end
if not head and redis.call('EXISTS', fair.timeout, fair.waits, fair.alive) > 0 then
for _, waiter in ipairs(redis.call('HKEYS', fair.waits)) do
tell(fair.publish, fair.channel .. ':' .. waiter, '0')
end
redis.call('DEL', fair.timeout, fair.waits, fair.alive)
elseif redis.call('EXISTS', fair.alive) > redis.call('EXISTS', fair.waits) then
redis.call('DEL', fair.alive)
end
return news
end
local function stepForward(fair, holder, wait, lease)
dropWaiter(fair, holder)
local times = redis.call('ZRANGE', fair.timeout, 0, -1, 'WITHSCORES')
for i = 1, #times, 2 do
local waiter = times[i]
times[i] = tonumber(times[i + 1]) - wait
times[i + 1] = waiter
end
for first = 1, #times, 5000 do
redis.call('ZADD', fair.timeout, unpack(times, first, math.min(first + 4999, #times)))
end
return pruneQueue(fair) or lease < 1000
end
local function vouch(fair, id, life)
local last = redis.call('ZRANGE', fair.timeout, -1, -1, 'WITHSCORES')
local ends = math.floor(math.min(tonumber(last[2]) or 0, fair.now + 315360000000))
redis.call('ZADD', fair.alive, fair.now + life, string.match(id, '^[^:]*'))
redis.call('PEXPIREAT', fair.alive, fair.now + life)
redis.call('PEXPIREAT', fair.waits, math.max(ends, fair.now + life))
end
local function failure(problem, lock)
local message = type(problem) == 'table' and problem.err or tostring(problem)
message = string.match(message, '^@?user_script:%s*%d+:%s*%-?(.-)%s*$') or message
return {-1, message, redis.pcall('TYPE', lock).ok or 'unknown'}
end
local function show(fair, holder, declared, given)
local near = nearEnd(fair, declared)
local time = tonumber(redis.call('ZSCORE', fair.timeout, holder))
if time and near > 0 and time - fair.now <= near then
moveTimes(fair, holder, true, fair.now + declared - time)
end
declareWait(fair, holder, declared, given)
end
local function stand(fair, holder, wait, declared, life, given)
local time = tonumber(redis.call('ZSCORE', fair.timeout, holder))
local place = redis.call('LPOS', fair.queue, holder)
if place and not time then
redis.call('LREM', fair.queue, 0, holder)
end
local isPlaced = place and time
if not isPlaced then
local last = redis.call('LINDEX', fair.queue, -1)
local lastTime = last and tonumber(redis.call('ZSCORE', fair.timeout, last))
time = fair.now + math.max(lastTime and lastTime - fair.now or redis.call('PTTL', fair.lock), 0) + wait
redis.call('ZADD', fair.timeout, time, holder)
redis.call('RPUSH', fair.queue, holder)
end
if not (isPlaced and declared) then
declared = wait
declareWait(fair, holder, declared, given)
vouch(fair, holder, life)
end
local near = nearEnd(fair, declared)
local left = math.max(math.min(time - fair.now - near, 315360000000), 1)
return redis.call('LINDEX', fair.queue, 0) == holder and math.min(redis.call('PTTL', fair.lock), left) or left
end
local function attempt(fair, holder, lease, count, wait, life, given)
if not whole(lease, 1, 315360000000) or not whole(count, 1, 2147483647) then
error({err = 'ERR the lease or the hold count is out of range'})
end
if not whole(wait, 0, 3600000) or not whole(life, 1, 60000) then
error({err = 'ERR a waiting time is out of range'})
end
if not whole(given, 0, 60000) then
error({err = 'ERR the lease of a grant by release is out of range'})
end
openQueue(fair)
local declared = declaredWait(fair, holder)
if declared then
declared = math.abs(declared)
show(fair, holder, declared, given)
end
if redis.call('EXISTS', fair.waits) == 1 then
vouch(fair, holder, life)
end
local news = pruneQueue(fair)
local head = redis.call('LINDEX', fair.queue, 0)
local inTheWay = redis.call('HRANDFIELD', fair.lock) or head
local reply
if count > 1 or redis.call('HEXISTS', fair.lock, holder) == 1 then
reply = take(fair.lock, holder, lease, count)
elseif redis.call('EXISTS', fair.lock) == 0 and (not head or head == holder) then
if head then
news = stepForward(fair, holder, declared or wait, lease)
end
reply = take(fair.lock, holder, lease, count)
elseif wait > 0 then
reply = {0, stand(fair, holder, wait, declared, life, given), inTheWay}
else
local ttl = redis.call('PTTL', fair.lock)
reply = {0, ttl == -2 and 0 or ttl, inTheWay}
end
if news and redis.call('LINDEX', fair.queue, 0) ~= holder then
tellHead(fair)
end
return reply == 1 and {1, count} or reply
end
local replies = {}
local publish = ARGV[1]
local life = tonumber(ARGV[2])
local margin = tonumber(ARGV[3])
for i = 1, #KEYS / 5 do
local first = (i - 1) * 5
local lock = KEYS[first + 1]
local queue = KEYS[first + 2]
local timeout = KEYS[first + 3]
local waits = KEYS[first + 4]
local alive = KEYS[first + 5]
local base = (i - 1) * 6 + 3
local holder = ARGV[base + 1]
local lease = tonumber(ARGV[base + 2])
local count = tonumber(ARGV[base + 3])
local wait = tonumber(ARGV[base + 4])
local given = tonumber(ARGV[base + 5])
local channel = ARGV[base + 6]
local fair = {lock = lock, queue = queue, timeout = timeout, waits = waits, alive = alive, publish = publish, margin = margin}
fair.channel = channel
local ran, reply = pcall(attempt, fair, holder, lease, count, wait, life, given)
replies[i] = ran and reply or failure(reply, fair.wrong or lock)
end
return replies` as string,
} as const satisfies LuaScript;

/**
 * A sign of life of a process that has waiters in the queue of a fair lock. It takes heads that will not come out of the way,
 * and tells the present head where the lock is free, should nobody else have: the lock ran out, or the message went to a dead one.
 * Waiters of ours that a Java process took out of the queue, which does not tell them, are told to come again (D21).
 * of this process: one that was given the lock may not have heard of it}
 * KEYS: lock, queue, timeout, waits, alive.
 * ARGV, once: publish, life, margin.
 * ARGV, per operation: client, channel.
 * - `done`: {1, ms until a beat may find something to do (-1: nobody waits), length of the queue, and the holder if it is
 * - `error`: {-1, message with its code in front, type of the key}
 * Repeating it is safe: a second run says the same again
 */
export const fairBeat = {
  name: 'fair/beat',
  sha1: 'e13d0982e152af7621111f283d2e3c6ffc78ffe5',
  batch: true,
  keysPerOperation: 5,
  sharedArgs: 3,
  argsPerOperation: 2,
  text: `local function whole(number, least, most)
return number and number >= least and number <= most and number % 1 == 0
end
local function tell(publish, channel, payload)
local reached = redis.pcall(publish, channel, payload)
return type(reached) == 'number' and reached or -1
end
local function tellHead(fair)
local head = redis.call('LINDEX', fair.queue, 0)
return head and tell(fair.publish, fair.channel .. ':' .. head, '0') or 0
end
local function openQueue(fair)
if not whole(fair.margin, 0, 3600000) then
error({err = 'ERR the margin is out of range'})
end
local kinds = {lock = 'hash', queue = 'list', timeout = 'zset', waits = 'hash', alive = 'zset'}
for part, expected in pairs(kinds) do
local kind = redis.call('TYPE', fair[part]).ok
if kind ~= 'none' and kind ~= expected then
fair.wrong = fair[part]
error({err = 'WRONGTYPE ' .. fair.wrong .. ' is not a ' .. expected})
end
end
local time = redis.call('TIME')
fair.now = time[1] * 1000 + math.floor(time[2] / 1000)
end
local function nearEnd(fair, wait)
return math.min(fair.margin, math.floor(math.abs(wait) / 2))
end
local function moveTimes(fair, holder, own, ms)
local moved = {[holder] = not own}
local reached = false
for _, waiter in ipairs(redis.call('LRANGE', fair.queue, 0, -1)) do
reached = reached or waiter == holder
if reached and not moved[waiter] then
moved[waiter] = true
redis.call('ZADD', fair.timeout, 'XX', 'INCR', ms, waiter)
end
end
end
local function dropWaiter(fair, holder)
redis.call('ZREM', fair.timeout, holder)
redis.call('LREM', fair.queue, 0, holder)
redis.call('HDEL', fair.waits, holder)
end
local function declaredWait(fair, holder)
local text = redis.call('HGET', fair.waits, holder)
if text then
local wait, lease = string.match(text, '^(%-?%d+):?(%d*)$')
return tonumber(wait), tonumber(lease)
end
end
local function declareWait(fair, holder, wait, lease)
local text = string.format('%d', wait)
if lease and lease > 0 then
text = string.format('%d:%d', wait, lease)
end
redis.call('HSET', fair.waits, holder, text)
end
local function leaveQueue(fair, holder)
local place = redis.call('LPOS', fair.queue, holder)
local wait = declaredWait(fair, holder)
if place and place > 0 and not wait then
local own = tonumber(redis.call('ZSCORE', fair.timeout, holder))
local front = tonumber(redis.call('ZSCORE', fair.timeout, redis.call('LINDEX', fair.queue, place - 1)))
wait = own and front and math.max(own - front, 0)
end
redis.call('ZREM', fair.timeout, holder)
if place and wait then
moveTimes(fair, holder, false, -math.abs(wait))
end
dropWaiter(fair, holder)
return place == 0
end
local function pruneQueue(fair)
local news = false
local head = redis.call('LINDEX', fair.queue, 0)
while head do
local time = tonumber(redis.call('ZSCORE', fair.timeout, head))
local wait, lease, question = declaredWait(fair, head)
local alive = wait and tonumber(redis.call('ZSCORE', fair.alive, string.match(head, '^[^:]*'))) or 0
local near = wait and nearEnd(fair, wait) or 0
if not time then
dropWaiter(fair, head)
elseif wait and alive <= fair.now then
leaveQueue(fair, head)
elseif wait and wait > 0 and near > 0 and time - fair.now <= near then
declareWait(fair, head, -wait, lease, question)
moveTimes(fair, head, true, fair.now + near - time)
return true
elseif time <= fair.now then
dropWaiter(fair, head)
else
break
end
tell(fair.publish, fair.channel .. ':' .. head, '0')
news = true
head = redis.call('LINDEX', fair.queue, 0)
end
if not head and redis.call('EXISTS', fair.timeout, fair.waits, fair.alive) > 0 then
for _, waiter in ipairs(redis.call('HKEYS', fair.waits)) do
tell(fair.publish, fair.channel .. ':' .. waiter, '0')
end
redis.call('DEL', fair.timeout, fair.waits, fair.alive)
elseif redis.call('EXISTS', fair.alive) > redis.call('EXISTS', fair.waits) then
redis.call('DEL', fair.alive)
end
return news
end
local function vouch(fair, id, life)
local last = redis.call('ZRANGE', fair.timeout, -1, -1, 'WITHSCORES')
local ends = math.floor(math.min(tonumber(last[2]) or 0, fair.now + 315360000000))
redis.call('ZADD', fair.alive, fair.now + life, string.match(id, '^[^:]*'))
redis.call('PEXPIREAT', fair.alive, fair.now + life)
redis.call('PEXPIREAT', fair.waits, math.max(ends, fair.now + life))
end
local function failure(problem, lock)
local message = type(problem) == 'table' and problem.err or tostring(problem)
message = string.match(message, '^@?user_script:%s*%d+:%s*%-?(.-)%s*$') or message
return {-1, message, redis.pcall('TYPE', lock).ok or 'unknown'}
end
local LATER = 10
local function recall(fair)
local stands = {}
for _, waiter in ipairs(redis.call('LRANGE', fair.queue, 0, -1)) do
stands[waiter] = true
end
for _, waiter in ipairs(redis.call('HKEYS', fair.waits)) do
if not stands[waiter] then
dropWaiter(fair, waiter)
tell(fair.publish, fair.channel .. ':' .. waiter, '0')
end
end
end
local function untilNext(fair)
local head = redis.call('LINDEX', fair.queue, 0)
if not head then
return -1
end
local left = tonumber(redis.call('ZSCORE', fair.timeout, head)) - fair.now
local wait = declaredWait(fair, head)
if wait then
local silent = tonumber(redis.call('ZSCORE', fair.alive, string.match(head, '^[^:]*'))) - fair.now
left = math.min(left - (wait > 0 and nearEnd(fair, wait) or 0), silent)
end
local ttl = redis.call('PTTL', fair.lock)
if ttl >= 0 then
left = math.min(left, ttl + LATER)
end
return math.max(math.min(left, 315360000000), 1)
end
local function attempt(fair, client, life)
if not whole(life, 1, 60000) then
error({err = 'ERR a waiting time is out of range'})
end
openQueue(fair)
redis.call('ZREMRANGEBYSCORE', fair.alive, '-inf', fair.now)
recall(fair)
if redis.call('EXISTS', fair.waits) == 1 then
vouch(fair, client, life)
end
local news = pruneQueue(fair)
if news or redis.call('EXISTS', fair.lock) == 0 then
tellHead(fair)
end
local reply = {1, untilNext(fair), redis.call('LLEN', fair.queue)}
local holder = redis.call('HRANDFIELD', fair.lock)
if holder and string.match(holder, '^[^:]*') == client then
reply[4] = holder
end
return reply
end
local replies = {}
local publish = ARGV[1]
local life = tonumber(ARGV[2])
local margin = tonumber(ARGV[3])
for i = 1, #KEYS / 5 do
local first = (i - 1) * 5
local lock = KEYS[first + 1]
local queue = KEYS[first + 2]
local timeout = KEYS[first + 3]
local waits = KEYS[first + 4]
local alive = KEYS[first + 5]
local base = (i - 1) * 2 + 3
local client = ARGV[base + 1]
local channel = ARGV[base + 2]
local fair = {lock = lock, queue = queue, timeout = timeout, waits = waits, alive = alive, publish = publish, margin = margin}
fair.channel = channel
local ran, reply = pcall(attempt, fair, client, life)
replies[i] = ran and reply or failure(reply, fair.wrong or lock)
end
return replies` as string,
} as const satisfies LuaScript;

/**
 * Frees a lock whoever holds it, and tells the head of the queue. Wire format section 6, force unlock: nobody loses a place.
 * KEYS: lock, queue, timeout, waits, alive.
 * ARGV, once: publish, margin.
 * ARGV, per operation: channel.
 * - `released`: {1, clients that PUBLISH reached (0: nobody waits, -1: publishing was refused)}
 * - `free`: {0} there was nothing to free; the head is told all the same
 * - `error`: {-1, message with its code in front, type of the key} also for a key that is no lock, which is left alone
 * Repeating it is unsafe: a second run may free the lock of the next holder
 */
export const fairForceRelease = {
  name: 'fair/force-release',
  sha1: '07346623e7b91fa3624ffe51d20f3688c84e45dd',
  batch: true,
  keysPerOperation: 5,
  sharedArgs: 2,
  argsPerOperation: 1,
  text: `local function whole(number, least, most)
return number and number >= least and number <= most and number % 1 == 0
end
local function tell(publish, channel, payload)
local reached = redis.pcall(publish, channel, payload)
return type(reached) == 'number' and reached or -1
end
local function tellHead(fair)
local head = redis.call('LINDEX', fair.queue, 0)
return head and tell(fair.publish, fair.channel .. ':' .. head, '0') or 0
end
local function openQueue(fair)
if not whole(fair.margin, 0, 3600000) then
error({err = 'ERR the margin is out of range'})
end
local kinds = {lock = 'hash', queue = 'list', timeout = 'zset', waits = 'hash', alive = 'zset'}
for part, expected in pairs(kinds) do
local kind = redis.call('TYPE', fair[part]).ok
if kind ~= 'none' and kind ~= expected then
fair.wrong = fair[part]
error({err = 'WRONGTYPE ' .. fair.wrong .. ' is not a ' .. expected})
end
end
local time = redis.call('TIME')
fair.now = time[1] * 1000 + math.floor(time[2] / 1000)
end
local function nearEnd(fair, wait)
return math.min(fair.margin, math.floor(math.abs(wait) / 2))
end
local function moveTimes(fair, holder, own, ms)
local moved = {[holder] = not own}
local reached = false
for _, waiter in ipairs(redis.call('LRANGE', fair.queue, 0, -1)) do
reached = reached or waiter == holder
if reached and not moved[waiter] then
moved[waiter] = true
redis.call('ZADD', fair.timeout, 'XX', 'INCR', ms, waiter)
end
end
end
local function dropWaiter(fair, holder)
redis.call('ZREM', fair.timeout, holder)
redis.call('LREM', fair.queue, 0, holder)
redis.call('HDEL', fair.waits, holder)
end
local function declaredWait(fair, holder)
local text = redis.call('HGET', fair.waits, holder)
if text then
local wait, lease = string.match(text, '^(%-?%d+):?(%d*)$')
return tonumber(wait), tonumber(lease)
end
end
local function declareWait(fair, holder, wait, lease)
local text = string.format('%d', wait)
if lease and lease > 0 then
text = string.format('%d:%d', wait, lease)
end
redis.call('HSET', fair.waits, holder, text)
end
local function leaveQueue(fair, holder)
local place = redis.call('LPOS', fair.queue, holder)
local wait = declaredWait(fair, holder)
if place and place > 0 and not wait then
local own = tonumber(redis.call('ZSCORE', fair.timeout, holder))
local front = tonumber(redis.call('ZSCORE', fair.timeout, redis.call('LINDEX', fair.queue, place - 1)))
wait = own and front and math.max(own - front, 0)
end
redis.call('ZREM', fair.timeout, holder)
if place and wait then
moveTimes(fair, holder, false, -math.abs(wait))
end
dropWaiter(fair, holder)
return place == 0
end
local function pruneQueue(fair)
local news = false
local head = redis.call('LINDEX', fair.queue, 0)
while head do
local time = tonumber(redis.call('ZSCORE', fair.timeout, head))
local wait, lease, question = declaredWait(fair, head)
local alive = wait and tonumber(redis.call('ZSCORE', fair.alive, string.match(head, '^[^:]*'))) or 0
local near = wait and nearEnd(fair, wait) or 0
if not time then
dropWaiter(fair, head)
elseif wait and alive <= fair.now then
leaveQueue(fair, head)
elseif wait and wait > 0 and near > 0 and time - fair.now <= near then
declareWait(fair, head, -wait, lease, question)
moveTimes(fair, head, true, fair.now + near - time)
return true
elseif time <= fair.now then
dropWaiter(fair, head)
else
break
end
tell(fair.publish, fair.channel .. ':' .. head, '0')
news = true
head = redis.call('LINDEX', fair.queue, 0)
end
if not head and redis.call('EXISTS', fair.timeout, fair.waits, fair.alive) > 0 then
for _, waiter in ipairs(redis.call('HKEYS', fair.waits)) do
tell(fair.publish, fair.channel .. ':' .. waiter, '0')
end
redis.call('DEL', fair.timeout, fair.waits, fair.alive)
elseif redis.call('EXISTS', fair.alive) > redis.call('EXISTS', fair.waits) then
redis.call('DEL', fair.alive)
end
return news
end
local function failure(problem, lock)
local message = type(problem) == 'table' and problem.err or tostring(problem)
message = string.match(message, '^@?user_script:%s*%d+:%s*%-?(.-)%s*$') or message
return {-1, message, redis.pcall('TYPE', lock).ok or 'unknown'}
end
local function attempt(fair)
openQueue(fair)
local freed = redis.call('DEL', fair.lock)
pruneQueue(fair)
local reached = tellHead(fair)
return freed == 1 and {1, reached} or {0}
end
local replies = {}
local publish = ARGV[1]
local margin = tonumber(ARGV[2])
for i = 1, #KEYS / 5 do
local first = (i - 1) * 5
local lock = KEYS[first + 1]
local queue = KEYS[first + 2]
local timeout = KEYS[first + 3]
local waits = KEYS[first + 4]
local alive = KEYS[first + 5]
local base = i + 1
local channel = ARGV[base + 1]
local fair = {lock = lock, queue = queue, timeout = timeout, waits = waits, alive = alive, publish = publish, margin = margin}
fair.channel = channel
local ran, reply = pcall(attempt, fair)
replies[i] = ran and reply or failure(reply, fair.wrong or lock)
end
return replies` as string,
} as const satisfies LuaScript;

/**
 * Lowers a holder's count, or frees the lock and takes the holder out of the queue. Wire format section 6, unlock and leave.
 * Beyond its tables: the head is told wherever it may have become possible for it to take the lock, or it became the head by
 * this call (D2), or sleeps for a lease that became shorter. Holder ids are never used twice, so no unlock latch is needed.
 * KEYS: lock, queue, timeout, waits, alive.
 * ARGV, once: publish, margin, nextLease.
 * ARGV, per operation: holder, count, lease, channel.
 * - `released`: {1, clients that PUBLISH reached (0: nobody waits, -1: publishing was refused)}; the head may be the holder now
 * - `handed`: {1, 0, the head} which is of the same client, and the holder now; nobody was told
 * - `kept`: {2, hold count}
 * - `gone`: {0} the holder did not have the lock; it does not wait any more either, unless a count was to stay
 * - `error`: {-1, message with its code in front, type of the key}
 * Repeating it is safe: it only lowers the holder's own count, and only who frees the lock gives it to the head, once
 */
export const fairRelease = {
  name: 'fair/release',
  sha1: '712ab897ed21db04f55ef89cac9bdba1192f211a',
  batch: true,
  keysPerOperation: 5,
  sharedArgs: 3,
  argsPerOperation: 4,
  text: `local function whole(number, least, most)
return number and number >= least and number <= most and number % 1 == 0
end
local function take(lock, holder, lease, count)
if not whole(lease, 1, 315360000000) or not whole(count, 1, 2147483647) then
error({err = 'ERR the lease or the hold count is out of range'})
end
if redis.call('EXISTS', lock) == 0 then
if count > 1 then
return {2}
end
redis.call('HSET', lock, holder, '1')
redis.call('PEXPIRE', lock, lease)
return 1
end
local held = tonumber(redis.call('HGET', lock, holder))
if held == nil then
return {0, redis.call('PTTL', lock), redis.call('HRANDFIELD', lock)}
end
if held < count then
redis.call('HSET', lock, holder, count)
held = count
end
if redis.call('PTTL', lock) < lease then
redis.call('PEXPIRE', lock, lease)
end
return held == count and 1 or {1, held}
end
local function tell(publish, channel, payload)
local reached = redis.pcall(publish, channel, payload)
return type(reached) == 'number' and reached or -1
end
local function tellHead(fair)
local head = redis.call('LINDEX', fair.queue, 0)
return head and tell(fair.publish, fair.channel .. ':' .. head, '0') or 0
end
local function openQueue(fair)
if not whole(fair.margin, 0, 3600000) then
error({err = 'ERR the margin is out of range'})
end
local kinds = {lock = 'hash', queue = 'list', timeout = 'zset', waits = 'hash', alive = 'zset'}
for part, expected in pairs(kinds) do
local kind = redis.call('TYPE', fair[part]).ok
if kind ~= 'none' and kind ~= expected then
fair.wrong = fair[part]
error({err = 'WRONGTYPE ' .. fair.wrong .. ' is not a ' .. expected})
end
end
local time = redis.call('TIME')
fair.now = time[1] * 1000 + math.floor(time[2] / 1000)
end
local function nearEnd(fair, wait)
return math.min(fair.margin, math.floor(math.abs(wait) / 2))
end
local function moveTimes(fair, holder, own, ms)
local moved = {[holder] = not own}
local reached = false
for _, waiter in ipairs(redis.call('LRANGE', fair.queue, 0, -1)) do
reached = reached or waiter == holder
if reached and not moved[waiter] then
moved[waiter] = true
redis.call('ZADD', fair.timeout, 'XX', 'INCR', ms, waiter)
end
end
end
local function dropWaiter(fair, holder)
redis.call('ZREM', fair.timeout, holder)
redis.call('LREM', fair.queue, 0, holder)
redis.call('HDEL', fair.waits, holder)
end
local function declaredWait(fair, holder)
local text = redis.call('HGET', fair.waits, holder)
if text then
local wait, lease = string.match(text, '^(%-?%d+):?(%d*)$')
return tonumber(wait), tonumber(lease)
end
end
local function declareWait(fair, holder, wait, lease)
local text = string.format('%d', wait)
if lease and lease > 0 then
text = string.format('%d:%d', wait, lease)
end
redis.call('HSET', fair.waits, holder, text)
end
local function leaveQueue(fair, holder)
local place = redis.call('LPOS', fair.queue, holder)
local wait = declaredWait(fair, holder)
if place and place > 0 and not wait then
local own = tonumber(redis.call('ZSCORE', fair.timeout, holder))
local front = tonumber(redis.call('ZSCORE', fair.timeout, redis.call('LINDEX', fair.queue, place - 1)))
wait = own and front and math.max(own - front, 0)
end
redis.call('ZREM', fair.timeout, holder)
if place and wait then
moveTimes(fair, holder, false, -math.abs(wait))
end
dropWaiter(fair, holder)
return place == 0
end
local function pruneQueue(fair)
local news = false
local head = redis.call('LINDEX', fair.queue, 0)
while head do
local time = tonumber(redis.call('ZSCORE', fair.timeout, head))
local wait, lease, question = declaredWait(fair, head)
local alive = wait and tonumber(redis.call('ZSCORE', fair.alive, string.match(head, '^[^:]*'))) or 0
local near = wait and nearEnd(fair, wait) or 0
if not time then
dropWaiter(fair, head)
elseif wait and alive <= fair.now then
leaveQueue(fair, head)
elseif wait and wait > 0 and near > 0 and time - fair.now <= near then
declareWait(fair, head, -wait, lease, question)
moveTimes(fair, head, true, fair.now + near - time)
return true
elseif time <= fair.now then
dropWaiter(fair, head)
else
break
end
tell(fair.publish, fair.channel .. ':' .. head, '0')
news = true
head = redis.call('LINDEX', fair.queue, 0)
end
if not head and redis.call('EXISTS', fair.timeout, fair.waits, fair.alive) > 0 then
for _, waiter in ipairs(redis.call('HKEYS', fair.waits)) do
tell(fair.publish, fair.channel .. ':' .. waiter, '0')
end
redis.call('DEL', fair.timeout, fair.waits, fair.alive)
elseif redis.call('EXISTS', fair.alive) > redis.call('EXISTS', fair.waits) then
redis.call('DEL', fair.alive)
end
return news
end
local function stepForward(fair, holder, wait, lease)
dropWaiter(fair, holder)
local times = redis.call('ZRANGE', fair.timeout, 0, -1, 'WITHSCORES')
for i = 1, #times, 2 do
local waiter = times[i]
times[i] = tonumber(times[i + 1]) - wait
times[i + 1] = waiter
end
for first = 1, #times, 5000 do
redis.call('ZADD', fair.timeout, unpack(times, first, math.min(first + 4999, #times)))
end
return pruneQueue(fair) or lease < 1000
end
local function grantHead(fair, from)
local head = redis.call('LINDEX', fair.queue, 0)
local wait, lease
if head then
wait, lease = declaredWait(fair, head)
end
if not (wait and wait > 0 and whole(lease, 1, 60000)) then
return nil
end
if fair.nextLease > 0 and string.match(head, '^(.*):') == string.match(from, '^(.*):') then
local news = stepForward(fair, head, wait, fair.nextLease)
take(fair.lock, head, fair.nextLease, 1)
if news then
tellHead(fair)
end
return 0, head
end
local channel = fair.channel .. ':' .. head
local listeners = redis.pcall('PUBSUB', fair.publish == 'SPUBLISH' and 'SHARDNUMSUB' or 'NUMSUB', channel)
if listeners.err or listeners[2] < 1 then
return nil
end
local reached = tell(fair.publish, channel, '2')
if reached < 1 then
return nil
end
local news = stepForward(fair, head, wait, lease)
take(fair.lock, head, lease, 1)
if news then
tellHead(fair)
end
return reached
end
local function setLease(lock, lease, spare)
local left = redis.call('PTTL', lock)
if left > lease and left <= lease + spare then
lease = left
end
redis.call('PEXPIRE', lock, lease)
return left > lease or left == -1
end
local function failure(problem, lock)
local message = type(problem) == 'table' and problem.err or tostring(problem)
message = string.match(message, '^@?user_script:%s*%d+:%s*%-?(.-)%s*$') or message
return {-1, message, redis.pcall('TYPE', lock).ok or 'unknown'}
end
local function attempt(fair, holder, count, lease)
local areInRange = whole(fair.nextLease, 0, 315360000000) and (count == 0 or whole(lease, 1, 315360000000))
if not whole(count, 0, 2147483647) or not areInRange then
error({err = 'ERR the hold count or the lease is out of range'})
end
openQueue(fair)
local held = tonumber(redis.call('HGET', fair.lock, holder))
local reply = {held and 1 or 0}
local news = false
if count == 0 then
if held then
redis.call('DEL', fair.lock)
end
news = leaveQueue(fair, holder)
elseif held then
if held > count then
news = setLease(fair.lock, lease, 0)
redis.call('HSET', fair.lock, holder, count)
held = count
end
reply = {2, held}
end
news = pruneQueue(fair) or news
if news or redis.call('EXISTS', fair.lock) == 0 then
local reached, nextHolder
if reply[1] == 1 then
reached, nextHolder = grantHead(fair, holder)
end
reached = reached or tellHead(fair)
if reply[1] == 1 then
reply = {1, reached, nextHolder}
end
end
return reply
end
local replies = {}
local publish = ARGV[1]
local margin = tonumber(ARGV[2])
local nextLease = tonumber(ARGV[3])
for i = 1, #KEYS / 5 do
local first = (i - 1) * 5
local lock = KEYS[first + 1]
local queue = KEYS[first + 2]
local timeout = KEYS[first + 3]
local waits = KEYS[first + 4]
local alive = KEYS[first + 5]
local base = (i - 1) * 4 + 3
local holder = ARGV[base + 1]
local count = tonumber(ARGV[base + 2])
local lease = tonumber(ARGV[base + 3])
local channel = ARGV[base + 4]
local fair = {lock = lock, queue = queue, timeout = timeout, waits = waits, alive = alive, publish = publish, margin = margin}
fair.channel = channel
fair.nextLease = nextLease
local ran, reply = pcall(attempt, fair, holder, count, lease)
replies[i] = ran and reply or failure(reply, fair.wrong or lock)
end
return replies` as string,
} as const satisfies LuaScript;

/**
 * Takes a free lock, or raises the count of a holder that has it already, and gives a new fencing token either way.
 * Wire format section 8, with D10 avoided: busy and granted are rows of their own, whatever the ttl.
 * KEYS: lock, counter.
 * ARGV: holder, lease, count.
 * - `granted`: {1, hold count, token as text}
 * - `busy`: {0, ttl in ms (-1: none), one holder}
 * - `lost`: {2} the count to reach is above 1 and the holder has nothing
 * - `error`: {-1, message with its code in front, type of the key} also for a counter that is none
 * Repeating it is safe: the call names the count to reach; a second run finds it reached, and gives lease and token afresh
 */
export const fencedAcquire = {
  name: 'fenced/acquire',
  sha1: 'daa7e485a2b10fced76c304ccb073b6be92324ae',
  batch: true,
  keysPerOperation: 2,
  sharedArgs: 0,
  argsPerOperation: 3,
  text: `local function whole(number, least, most)
return number and number >= least and number <= most and number % 1 == 0
end
local function take(lock, holder, lease, count)
if not whole(lease, 1, 315360000000) or not whole(count, 1, 2147483647) then
error({err = 'ERR the lease or the hold count is out of range'})
end
if redis.call('EXISTS', lock) == 0 then
if count > 1 then
return {2}
end
redis.call('HSET', lock, holder, '1')
redis.call('PEXPIRE', lock, lease)
return 1
end
local held = tonumber(redis.call('HGET', lock, holder))
if held == nil then
return {0, redis.call('PTTL', lock), redis.call('HRANDFIELD', lock)}
end
if held < count then
redis.call('HSET', lock, holder, count)
held = count
end
if redis.call('PTTL', lock) < lease then
redis.call('PEXPIRE', lock, lease)
end
return held == count and 1 or {1, held}
end
local function tokenRaiser(counter)
local kind = redis.call('TYPE', counter).ok
local stored = kind == 'none' and '0' or kind == 'string' and redis.call('GET', counter) or ''
local last = (stored == '0' or string.match(stored, '^%-?[1-9]%d*$')) and tonumber(stored)
if not last or last > 9e18 then
error({err = 'ERR ' .. counter .. ' is no fencing token: not a whole number that can be raised'})
end
local time = redis.call('TIME')
local clock = time[1] * 1000000 + time[2]
return function()
if last >= clock then
redis.call('INCR', counter)
else
redis.call('SET', counter, string.format('%.0f', clock))
end
return redis.call('GET', counter)
end
end
local function failure(problem, lock)
local message = type(problem) == 'table' and problem.err or tostring(problem)
message = string.match(message, '^@?user_script:%s*%d+:%s*%-?(.-)%s*$') or message
return {-1, message, redis.pcall('TYPE', lock).ok or 'unknown'}
end
local function attempt(lock, counter, holder, lease, count)
local raise = tokenRaiser(counter)
local reply = take(lock, holder, lease, count)
if reply == 1 then
return {1, count, raise()}
end
if reply[1] == 1 then
reply[3] = raise()
end
return reply
end
local replies = {}
for i = 1, #KEYS / 2 do
local base = (i - 1) * 3
local lock = KEYS[i * 2 - 1]
local counter = KEYS[i * 2]
local holder = ARGV[base + 1]
local lease = tonumber(ARGV[base + 2])
local count = tonumber(ARGV[base + 3])
local ran, reply = pcall(attempt, lock, counter, holder, lease, count)
replies[i] = ran and reply or failure(reply, lock)
end
return replies` as string,
} as const satisfies LuaScript;

/**
 * Stores a fencing token and runs commands, in one step; a token that is older than one that has passed here changes nothing.
 * The commands are not undone when one of them fails: the error names it, those before it have run, those behind it have not.
 * KEYS: newest, targets.
 * ARGV: token, words.
 * - `passed`: {1, the replies of the commands}
 * - `stale`: {0, the newest token}
 * Repeating it is safe: an equal token passes, so what it does twice is what the commands do twice
 */
export const fencedGuard = {
  name: 'fenced/guard',
  sha1: '4d987e47eebb0739019d335aa8e8723323d1e183',
  batch: false,
  keysPerOperation: 1,
  sharedArgs: 0,
  argsPerOperation: 1,
  text: `local function fence(key, token)
local function check(text)
if type(text) ~= 'string' or text ~= '0' and not string.match(text, '^[1-9]%d*$') then
error('ERR a fencing token is a whole number as decimal text, and so is what a fence has: ' .. key, 0)
end
end
check(token)
local newest = redis.call('GET', key)
if newest then
check(newest)
if #token < #newest or #token == #newest and token < newest then
return 0
end
end
redis.call('SET', key, token)
return 1
end
local function failure(problem, lock)
local message = type(problem) == 'table' and problem.err or tostring(problem)
message = string.match(message, '^@?user_script:%s*%d+:%s*%-?(.-)%s*$') or message
return {-1, message, redis.pcall('TYPE', lock).ok or 'unknown'}
end
local newest = KEYS[1]
local targets = {unpack(KEYS, 2)}
local token = ARGV[1]
local words = {unpack(ARGV, 2)}
local place = ''
local function attempt()
if fence(newest, token) == 0 then
return {0, redis.call('GET', newest)}
end
local replies = {}
local at = 1
for i, target in ipairs(targets) do
local last = at + 1 + tonumber(words[at + 1])
place = ' (command ' .. i .. ' of ' .. #targets .. ', ' .. words[at] .. ')'
replies[i] = redis.call(words[at], target, unpack(words, at + 2, last))
at = last + 1
end
return {1, replies}
end
local ran, reply = pcall(attempt)
return ran and reply or redis.error_reply(failure(reply, newest)[2] .. place)` as string,
} as const satisfies LuaScript;

/**
 * Reads the last fencing token that a lock gave. Writes nothing.
 * KEYS: counter.
 * - `given`: {1, token as text, or '' where none was given yet}
 * - `error`: {-1, message with its code in front, type of the key}
 * Repeating it is safe: it only reads
 */
export const fencedReadToken = {
  name: 'fenced/read-token',
  sha1: '826e94e25b0d472b91a398955adf58a13c61682e',
  batch: true,
  keysPerOperation: 1,
  sharedArgs: 0,
  argsPerOperation: 0,
  text: `local function failure(problem, lock)
local message = type(problem) == 'table' and problem.err or tostring(problem)
message = string.match(message, '^@?user_script:%s*%d+:%s*%-?(.-)%s*$') or message
return {-1, message, redis.pcall('TYPE', lock).ok or 'unknown'}
end
local function attempt(counter)
return {1, redis.call('GET', counter) or ''}
end
local replies = {}
for i = 1, #KEYS do
local counter = KEYS[i]
local ran, reply = pcall(attempt, counter)
replies[i] = ran and reply or failure(reply, counter)
end
return replies` as string,
} as const satisfies LuaScript;

/**
 * Hands a lock from one holder of this process to its next one in a single step, with a new fencing token, and without a message
 * where the lease becomes no shorter: for other clients the lock was held throughout, by a new holder at the end.
 * KEYS: lock, counter.
 * ARGV, once: publish.
 * ARGV, per operation: from, to, lease, channel.
 * - `transferred`: {1, token as text} also when a repeated call finds it done
 * - `granted`: {2, token as text} the giver had lost the lock, it was free, the taker has it
 * - `busy`: {0, ttl in ms (-1: none), one holder} the giver had lost the lock to somebody else
 * - `error`: {-1, message with its code in front, type of the key} also for a counter that is none
 * Repeating it is safe: holder ids are never used twice, so the taker's field proves that it was done; lease and token are given afresh
 */
export const fencedTransfer = {
  name: 'fenced/transfer',
  sha1: '96d6fa204684d2163f20a4cd91eb447d6b19764e',
  batch: true,
  keysPerOperation: 2,
  sharedArgs: 1,
  argsPerOperation: 4,
  text: `local function whole(number, least, most)
return number and number >= least and number <= most and number % 1 == 0
end
local function tell(publish, channel, payload)
local reached = redis.pcall(publish, channel, payload)
return type(reached) == 'number' and reached or -1
end
local function tellShorter(publish, channel)
tell(publish, channel, '1')
end
local function setLease(lock, lease, spare)
local left = redis.call('PTTL', lock)
if left > lease and left <= lease + spare then
lease = left
end
redis.call('PEXPIRE', lock, lease)
return left > lease or left == -1
end
local function hand(lock, from, to, lease, publish, channel)
if not whole(lease, 1, 315360000000) or from == to then
error({err = 'ERR the lease is out of range, or giver and taker are the same'})
end
if redis.call('HEXISTS', lock, from) == 1 then
local isShorter = setLease(lock, lease, 0)
redis.call('HSET', lock, to, '1')
redis.call('HDEL', lock, from)
if isShorter then
tellShorter(publish, channel)
end
return 1
end
if redis.call('HEXISTS', lock, to) == 1 then
if redis.call('PTTL', lock) < lease then
redis.call('PEXPIRE', lock, lease)
end
return 1
end
if redis.call('EXISTS', lock) == 1 then
return {0, redis.call('PTTL', lock), redis.call('HRANDFIELD', lock)}
end
redis.call('HSET', lock, to, '1')
redis.call('PEXPIRE', lock, lease)
return {2}
end
local function tokenRaiser(counter)
local kind = redis.call('TYPE', counter).ok
local stored = kind == 'none' and '0' or kind == 'string' and redis.call('GET', counter) or ''
local last = (stored == '0' or string.match(stored, '^%-?[1-9]%d*$')) and tonumber(stored)
if not last or last > 9e18 then
error({err = 'ERR ' .. counter .. ' is no fencing token: not a whole number that can be raised'})
end
local time = redis.call('TIME')
local clock = time[1] * 1000000 + time[2]
return function()
if last >= clock then
redis.call('INCR', counter)
else
redis.call('SET', counter, string.format('%.0f', clock))
end
return redis.call('GET', counter)
end
end
local function failure(problem, lock)
local message = type(problem) == 'table' and problem.err or tostring(problem)
message = string.match(message, '^@?user_script:%s*%d+:%s*%-?(.-)%s*$') or message
return {-1, message, redis.pcall('TYPE', lock).ok or 'unknown'}
end
local function attempt(publish, lock, counter, from, to, lease, channel)
local raise = tokenRaiser(counter)
local reply = hand(lock, from, to, lease, publish, channel)
if reply == 1 then
return {1, raise()}
end
if reply[1] ~= 0 then
reply[2] = raise()
end
return reply
end
local replies = {}
local publish = ARGV[1]
for i = 1, #KEYS / 2 do
local base = (i - 1) * 4 + 1
local lock = KEYS[i * 2 - 1]
local counter = KEYS[i * 2]
local from = ARGV[base + 1]
local to = ARGV[base + 2]
local lease = tonumber(ARGV[base + 3])
local channel = ARGV[base + 4]
local ran, reply = pcall(attempt, publish, lock, counter, from, to, lease, channel)
replies[i] = ran and reply or failure(reply, lock)
end
return replies` as string,
} as const satisfies LuaScript;

/**
 * Takes one off the count of a latch, and opens it at 0. Wire format section 10.
 * The latch does not know who counted, so a record of the call makes it safe to repeat; it is deleted once the reply has come.
 * KEYS: latch, call.
 * ARGV, once: publish.
 * ARGV, per operation: keep, channel.
 * - `counted`: {1, the count now}
 * - `open`: {0} the latch was open; nothing was changed
 * - `error`: {-1, message with its code in front, type of the key}
 * Repeating it is safe: the call's record answers the second run, which tells nobody
 */
export const latchCountDown = {
  name: 'latch/count-down',
  sha1: 'b8cf7436e412f0e18263ee611c1360ba2232cd61',
  batch: true,
  keysPerOperation: 2,
  sharedArgs: 1,
  argsPerOperation: 2,
  text: `local function whole(number, least, most)
return number and number >= least and number <= most and number % 1 == 0
end
local function failure(problem, lock)
local message = type(problem) == 'table' and problem.err or tostring(problem)
message = string.match(message, '^@?user_script:%s*%d+:%s*%-?(.-)%s*$') or message
return {-1, message, redis.pcall('TYPE', lock).ok or 'unknown'}
end
local function amount(key)
local value = redis.call('GET', key)
if not value then
return nil
end
if not string.match(value, '^%-?%d+$') or not whole(tonumber(value), -9007199254740991, 9007199254740991) then
error({err = 'ERR the value of the key is not an integer, or out of range'})
end
return tonumber(value)
end
local function tell(publish, channel, payload)
local reached = redis.pcall(publish, channel, payload)
return type(reached) == 'number' and reached or -1
end
local function attempt(publish, latch, call, keep, channel)
if not whole(keep, 1, 600000) then
error({err = 'ERR the life of the record is out of range'})
end
local done = redis.call('GET', call)
if done then
return {1, tonumber(done)}
end
local left = amount(latch)
if left == nil then
return {0}
end
left = left - 1
if left <= 0 then
redis.call('DEL', latch)
else
redis.call('DEL', call)
redis.call('DECR', latch)
end
redis.call('SET', call, string.format('%.0f', math.max(left, 0)), 'PX', keep)
if left == 0 then
tell(publish, channel, '0')
end
return {1, math.max(left, 0)}
end
local replies = {}
local publish = ARGV[1]
for i = 1, #KEYS / 2 do
local base = (i - 1) * 2
local latch = KEYS[base + 1]
local call = KEYS[base + 2]
local keep = tonumber(ARGV[base + 2])
local channel = ARGV[base + 3]
local ran, reply = pcall(attempt, publish, latch, call, keep, channel)
replies[i] = ran and reply or failure(reply, latch)
end
return replies` as string,
} as const satisfies LuaScript;

/**
 * Opens a latch whatever its count, and tells everybody, as at the end of a count. Java tells '1', and its waiters stay (wire format section 10).
 * KEYS: latch.
 * ARGV, once: publish.
 * ARGV, per operation: channel.
 * - `deleted`: {1}
 * - `open`: {0} there was nothing to delete
 * - `error`: {-1, message with its code in front, type of the key} also for a key that is no latch, which is left alone
 * Repeating it is safe: what is gone stays gone, but the second run says that there was nothing
 */
export const latchDelete = {
  name: 'latch/delete',
  sha1: 'c6c1a5272aeb44df7904665a572bfc760972d4e0',
  batch: true,
  keysPerOperation: 1,
  sharedArgs: 1,
  argsPerOperation: 1,
  text: `local function whole(number, least, most)
return number and number >= least and number <= most and number % 1 == 0
end
local function failure(problem, lock)
local message = type(problem) == 'table' and problem.err or tostring(problem)
message = string.match(message, '^@?user_script:%s*%d+:%s*%-?(.-)%s*$') or message
return {-1, message, redis.pcall('TYPE', lock).ok or 'unknown'}
end
local function amount(key)
local value = redis.call('GET', key)
if not value then
return nil
end
if not string.match(value, '^%-?%d+$') or not whole(tonumber(value), -9007199254740991, 9007199254740991) then
error({err = 'ERR the value of the key is not an integer, or out of range'})
end
return tonumber(value)
end
local function tell(publish, channel, payload)
local reached = redis.pcall(publish, channel, payload)
return type(reached) == 'number' and reached or -1
end
local function attempt(publish, latch, channel)
if amount(latch) == nil then
return {0}
end
redis.call('DEL', latch)
tell(publish, channel, '0')
return {1}
end
local replies = {}
local publish = ARGV[1]
for i = 1, #KEYS do
local base = i
local latch = KEYS[i]
local channel = ARGV[base + 1]
local ran, reply = pcall(attempt, publish, latch, channel)
replies[i] = ran and reply or failure(reply, latch)
end
return replies` as string,
} as const satisfies LuaScript;

/**
 * Reads the count of a latch. Writes nothing.
 * KEYS: latch.
 * - `state`: {1, the count, 0 when it is open}
 * - `error`: {-1, message with its code in front, type of the key}
 * Repeating it is safe: it only reads
 */
export const latchInspect = {
  name: 'latch/inspect',
  sha1: '815dce4c3aed54fdb65a672fcead996725d203ea',
  batch: true,
  keysPerOperation: 1,
  sharedArgs: 0,
  argsPerOperation: 0,
  text: `local function whole(number, least, most)
return number and number >= least and number <= most and number % 1 == 0
end
local function failure(problem, lock)
local message = type(problem) == 'table' and problem.err or tostring(problem)
message = string.match(message, '^@?user_script:%s*%d+:%s*%-?(.-)%s*$') or message
return {-1, message, redis.pcall('TYPE', lock).ok or 'unknown'}
end
local function amount(key)
local value = redis.call('GET', key)
if not value then
return nil
end
if not string.match(value, '^%-?%d+$') or not whole(tonumber(value), -9007199254740991, 9007199254740991) then
error({err = 'ERR the value of the key is not an integer, or out of range'})
end
return tonumber(value)
end
local function attempt(latch)
return {1, math.max(amount(latch) or 0, 0)}
end
local replies = {}
for i = 1, #KEYS do
local latch = KEYS[i]
local ran, reply = pcall(attempt, latch)
replies[i] = ran and reply or failure(reply, latch)
end
return replies` as string,
} as const satisfies LuaScript;

/**
 * Closes a latch with a count, unless it is closed. Wire format section 10, try set count.
 * KEYS: latch, call.
 * ARGV, once: publish.
 * ARGV, per operation: wanted, keep, channel.
 * - `made`: {1}
 * - `there`: {0} it has a count; nothing was changed
 * - `error`: {-1, message with its code in front, type of the key}
 * Repeating it is safe: the call's record answers the second run
 */
export const latchSet = {
  name: 'latch/set',
  sha1: 'fd6b3576233cec9099f3c48fe459f088a95d62f7',
  batch: true,
  keysPerOperation: 2,
  sharedArgs: 1,
  argsPerOperation: 3,
  text: `local function whole(number, least, most)
return number and number >= least and number <= most and number % 1 == 0
end
local function failure(problem, lock)
local message = type(problem) == 'table' and problem.err or tostring(problem)
message = string.match(message, '^@?user_script:%s*%d+:%s*%-?(.-)%s*$') or message
return {-1, message, redis.pcall('TYPE', lock).ok or 'unknown'}
end
local function amount(key)
local value = redis.call('GET', key)
if not value then
return nil
end
if not string.match(value, '^%-?%d+$') or not whole(tonumber(value), -9007199254740991, 9007199254740991) then
error({err = 'ERR the value of the key is not an integer, or out of range'})
end
return tonumber(value)
end
local function tell(publish, channel, payload)
local reached = redis.pcall(publish, channel, payload)
return type(reached) == 'number' and reached or -1
end
local function attempt(publish, latch, call, wanted, keep, channel)
if not whole(wanted, 1, 9007199254740991) or not whole(keep, 1, 600000) then
error({err = 'ERR the count or the life of the record is out of range'})
end
if redis.call('GET', call) then
return {1}
end
if amount(latch) ~= nil then
return {0}
end
redis.call('SET', latch, string.format('%.0f', wanted))
redis.call('SET', call, '1', 'PX', keep)
tell(publish, channel, '1')
return {1}
end
local replies = {}
local publish = ARGV[1]
for i = 1, #KEYS / 2 do
local base = (i - 1) * 3 + 1
local latch = KEYS[(i - 1) * 2 + 1]
local call = KEYS[(i - 1) * 2 + 2]
local wanted = tonumber(ARGV[base + 1])
local keep = tonumber(ARGV[base + 2])
local channel = ARGV[base + 3]
local ran, reply = pcall(attempt, publish, latch, call, wanted, keep, channel)
replies[i] = ran and reply or failure(reply, latch)
end
return replies` as string,
} as const satisfies LuaScript;

/**
 * Takes one permit under an id of the caller's, until its lease is over. Wire format section 10.
 * KEYS: lock, timeout.
 * ARGV, once: publish.
 * ARGV, per operation: permit, lease, channel.
 * - `granted`: {1, 1, permits left}
 * - `busy`: {0, ms until the first permit expires (-1: none ever does), its id or ''}
 * - `error`: {-1, message with its code in front, type of the key}
 * Repeating it is safe: the id that is there proves that it was done; its lease is given afresh
 */
export const permitAcquire = {
  name: 'permit/acquire',
  sha1: 'd7196b71f5f57df10ff2ce73fc8132889fd4f1f6',
  batch: true,
  keysPerOperation: 2,
  sharedArgs: 1,
  argsPerOperation: 3,
  text: `local function whole(number, least, most)
return number and number >= least and number <= most and number % 1 == 0
end
local function failure(problem, lock)
local message = type(problem) == 'table' and problem.err or tostring(problem)
message = string.match(message, '^@?user_script:%s*%d+:%s*%-?(.-)%s*$') or message
return {-1, message, redis.pcall('TYPE', lock).ok or 'unknown'}
end
local function amount(key)
local value = redis.call('GET', key)
if not value then
return nil
end
if not string.match(value, '^%-?%d+$') or not whole(tonumber(value), -9007199254740991, 9007199254740991) then
error({err = 'ERR the value of the key is not an integer, or out of range'})
end
return tonumber(value)
end
local function tell(publish, channel, payload)
local reached = redis.pcall(publish, channel, payload)
return type(reached) == 'number' and reached or -1
end
local function tellPermits(publish, channel, permits)
if permits <= 0 then
return 0
end
return tell(publish, channel, string.format('%.0f', math.min(permits, 2147483647)))
end
local function reclaim(publish, lock, timeout, channel)
local time = redis.call('TIME')
local at = time[1] * 1000 + math.floor(time[2] / 1000)
local available = amount(lock)
local count
local reclaimed = 0
repeat
local expired = redis.call('ZRANGEBYSCORE', timeout, '-inf', string.format('%.0f', at), 'LIMIT', 0, 5000)
count = #expired
if count > 0 then
redis.call('ZREM', timeout, unpack(expired))
available = redis.call('INCRBY', lock, count)
reclaimed = reclaimed + count
end
until count < 5000
if reclaimed > 0 then
tellPermits(publish, channel, available)
end
return at, available
end
local function raw(permit)
if #permit ~= 32 or string.find(permit, '[^0-9a-f]') then
error({err = 'ERR a permit id is 32 hex characters in lower case'})
end
return (string.gsub(permit, '..', function(pair)
return string.char(tonumber(pair, 16))
end))
end
local function hex(bytes)
return (string.gsub(bytes, '.', function(byte)
return string.format('%02x', string.byte(byte))
end))
end
local function attempt(publish, lock, timeout, permit, lease, channel)
local id = raw(permit)
if not whole(lease, 1, 315360000000) then
error({err = 'ERR the lease is out of range'})
end
local at, available = reclaim(publish, lock, timeout, channel)
local expiry = string.format('%.0f', at + lease)
local given = redis.call('ZSCORE', timeout, id)
if given then
if tonumber(given) < at + lease then
redis.call('ZADD', timeout, expiry, id)
end
return {1, 1, available or 0}
end
if available == nil or available < 1 then
local first = redis.call('ZRANGE', timeout, 0, 0, 'WITHSCORES')
if first[1] == nil or tonumber(first[2]) >= 922337203685477 then
return {0, -1, first[1] and hex(first[1]) or ''}
end
return {0, tonumber(first[2]) - at, hex(first[1])}
end
available = redis.call('DECRBY', lock, 1)
redis.call('ZADD', timeout, expiry, id)
local ttl = redis.call('PTTL', lock)
if ttl > 0 then
redis.call('PEXPIRE', timeout, ttl)
end
return {1, 1, available}
end
local replies = {}
local publish = ARGV[1]
for i = 1, #KEYS / 2 do
local base = (i - 1) * 3 + 1
local lock = KEYS[(i - 1) * 2 + 1]
local timeout = KEYS[(i - 1) * 2 + 2]
local permit = ARGV[base + 1]
local lease = tonumber(ARGV[base + 2])
local channel = ARGV[base + 3]
local ran, reply = pcall(attempt, publish, lock, timeout, permit, lease, channel)
replies[i] = ran and reply or failure(reply, lock)
end
return replies` as string,
} as const satisfies LuaScript;

/**
 * Reads a semaphore whose permits expire, after taking back those whose leases are over. Wire format section 10.
 * KEYS: lock, timeout.
 * ARGV, once: publish.
 * ARGV, per operation: permit, channel.
 * - `state`: {1, permits available, permits taken, ms left of the given one (-1: no end, -2: unknown), ms left of the first one (-1), its id or ''}
 * - `error`: {-1, message with its code in front, type of the key}
 * Repeating it is safe: it changes nothing that its time had not ended
 */
export const permitInspect = {
  name: 'permit/inspect',
  sha1: '36839ad4e3f5245c781b8475826170c49aaafe04',
  batch: true,
  keysPerOperation: 2,
  sharedArgs: 1,
  argsPerOperation: 2,
  text: `local function whole(number, least, most)
return number and number >= least and number <= most and number % 1 == 0
end
local function failure(problem, lock)
local message = type(problem) == 'table' and problem.err or tostring(problem)
message = string.match(message, '^@?user_script:%s*%d+:%s*%-?(.-)%s*$') or message
return {-1, message, redis.pcall('TYPE', lock).ok or 'unknown'}
end
local function amount(key)
local value = redis.call('GET', key)
if not value then
return nil
end
if not string.match(value, '^%-?%d+$') or not whole(tonumber(value), -9007199254740991, 9007199254740991) then
error({err = 'ERR the value of the key is not an integer, or out of range'})
end
return tonumber(value)
end
local function tell(publish, channel, payload)
local reached = redis.pcall(publish, channel, payload)
return type(reached) == 'number' and reached or -1
end
local function tellPermits(publish, channel, permits)
if permits <= 0 then
return 0
end
return tell(publish, channel, string.format('%.0f', math.min(permits, 2147483647)))
end
local function reclaim(publish, lock, timeout, channel)
local time = redis.call('TIME')
local at = time[1] * 1000 + math.floor(time[2] / 1000)
local available = amount(lock)
local count
local reclaimed = 0
repeat
local expired = redis.call('ZRANGEBYSCORE', timeout, '-inf', string.format('%.0f', at), 'LIMIT', 0, 5000)
count = #expired
if count > 0 then
redis.call('ZREM', timeout, unpack(expired))
available = redis.call('INCRBY', lock, count)
reclaimed = reclaimed + count
end
until count < 5000
if reclaimed > 0 then
tellPermits(publish, channel, available)
end
return at, available
end
local function raw(permit)
if #permit ~= 32 or string.find(permit, '[^0-9a-f]') then
error({err = 'ERR a permit id is 32 hex characters in lower case'})
end
return (string.gsub(permit, '..', function(pair)
return string.char(tonumber(pair, 16))
end))
end
local function hex(bytes)
return (string.gsub(bytes, '.', function(byte)
return string.format('%02x', string.byte(byte))
end))
end
local function attempt(publish, lock, timeout, permit, channel)
local id = permit ~= '' and raw(permit)
local at, available = reclaim(publish, lock, timeout, channel)
local function left(expiry)
return expiry >= 922337203685477 and -1 or expiry - at
end
local given = id and tonumber(redis.call('ZSCORE', timeout, id))
local first = redis.call('ZRANGE', timeout, 0, 0, 'WITHSCORES')
local taken = redis.call('ZCARD', timeout)
if taken == 0 then
return {1, available or 0, 0, -2, -1, ''}
end
return {1, available or 0, taken, given and left(given) or -2, left(tonumber(first[2])), hex(first[1])}
end
local replies = {}
local publish = ARGV[1]
for i = 1, #KEYS / 2 do
local base = (i - 1) * 2
local lock = KEYS[base + 1]
local timeout = KEYS[base + 2]
local permit = ARGV[base + 2]
local channel = ARGV[base + 3]
local ran, reply = pcall(attempt, publish, lock, timeout, permit, channel)
replies[i] = ran and reply or failure(reply, lock)
end
return replies` as string,
} as const satisfies LuaScript;

/**
 * Gives a permit back by its id. Wire format section 10, release id.
 * KEYS: lock, timeout.
 * ARGV, once: publish.
 * ARGV, per operation: permit, channel.
 * - `released`: {1, clients that PUBLISH reached (-1: publishing was refused; 0 as well when no permit is available even now)}
 * - `gone`: {0} the permit is unknown, or its lease was over; what was left of it was given back
 * - `error`: {-1, message with its code in front, type of the key}
 * Repeating it is safe: a permit that is given back is unknown, and ids are never used twice
 */
export const permitRelease = {
  name: 'permit/release',
  sha1: 'c14ea1b9b5f172a0937a585f3da746551336300d',
  batch: true,
  keysPerOperation: 2,
  sharedArgs: 1,
  argsPerOperation: 2,
  text: `local function whole(number, least, most)
return number and number >= least and number <= most and number % 1 == 0
end
local function failure(problem, lock)
local message = type(problem) == 'table' and problem.err or tostring(problem)
message = string.match(message, '^@?user_script:%s*%d+:%s*%-?(.-)%s*$') or message
return {-1, message, redis.pcall('TYPE', lock).ok or 'unknown'}
end
local function amount(key)
local value = redis.call('GET', key)
if not value then
return nil
end
if not string.match(value, '^%-?%d+$') or not whole(tonumber(value), -9007199254740991, 9007199254740991) then
error({err = 'ERR the value of the key is not an integer, or out of range'})
end
return tonumber(value)
end
local function tell(publish, channel, payload)
local reached = redis.pcall(publish, channel, payload)
return type(reached) == 'number' and reached or -1
end
local function tellPermits(publish, channel, permits)
if permits <= 0 then
return 0
end
return tell(publish, channel, string.format('%.0f', math.min(permits, 2147483647)))
end
local function raw(permit)
if #permit ~= 32 or string.find(permit, '[^0-9a-f]') then
error({err = 'ERR a permit id is 32 hex characters in lower case'})
end
return (string.gsub(permit, '..', function(pair)
return string.char(tonumber(pair, 16))
end))
end
local function attempt(publish, lock, timeout, permit, channel)
local id = raw(permit)
amount(lock)
local expiry = redis.call('ZSCORE', timeout, id)
if not expiry then
return {0}
end
local time = redis.call('TIME')
local at = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('ZREM', timeout, id)
local reached = tellPermits(publish, channel, redis.call('INCRBY', lock, 1))
return tonumber(expiry) > at and {1, reached} or {0}
end
local replies = {}
local publish = ARGV[1]
for i = 1, #KEYS / 2 do
local base = (i - 1) * 2
local lock = KEYS[base + 1]
local timeout = KEYS[base + 2]
local permit = ARGV[base + 2]
local channel = ARGV[base + 3]
local ran, reply = pcall(attempt, publish, lock, timeout, permit, channel)
replies[i] = ran and reply or failure(reply, lock)
end
return replies` as string,
} as const satisfies LuaScript;

/**
 * Keeps permits alive, each only while it is there. With a lease of 0 it only looks. Wire format section 10, update lease.
 * A lease that becomes shorter is told: waiters sleep until the first permit expires, as they were told. All of them ask again.
 * KEYS: lock, timeout.
 * ARGV, once: publish.
 * ARGV, per operation: permit, lease, manner, channel.
 * - `alive`: {1, what is left of the lease in ms (-1: it never ends)}
 * - `gone`: {0} the permit is unknown, or its lease was over
 * - `error`: {-1, message with its code in front, type of the key}
 * Repeating it is safe: it names the lease of a permit that is still there, and ids are never used twice
 */
export const permitRenew = {
  name: 'permit/renew',
  sha1: 'e3f6adff0738156eec39d1f790171c5d159bbf5a',
  batch: true,
  keysPerOperation: 2,
  sharedArgs: 1,
  argsPerOperation: 4,
  text: `local function whole(number, least, most)
return number and number >= least and number <= most and number % 1 == 0
end
local function failure(problem, lock)
local message = type(problem) == 'table' and problem.err or tostring(problem)
message = string.match(message, '^@?user_script:%s*%d+:%s*%-?(.-)%s*$') or message
return {-1, message, redis.pcall('TYPE', lock).ok or 'unknown'}
end
local function amount(key)
local value = redis.call('GET', key)
if not value then
return nil
end
if not string.match(value, '^%-?%d+$') or not whole(tonumber(value), -9007199254740991, 9007199254740991) then
error({err = 'ERR the value of the key is not an integer, or out of range'})
end
return tonumber(value)
end
local function tell(publish, channel, payload)
local reached = redis.pcall(publish, channel, payload)
return type(reached) == 'number' and reached or -1
end
local function tellPermits(publish, channel, permits)
if permits <= 0 then
return 0
end
return tell(publish, channel, string.format('%.0f', math.min(permits, 2147483647)))
end
local function reclaim(publish, lock, timeout, channel)
local time = redis.call('TIME')
local at = time[1] * 1000 + math.floor(time[2] / 1000)
local available = amount(lock)
local count
local reclaimed = 0
repeat
local expired = redis.call('ZRANGEBYSCORE', timeout, '-inf', string.format('%.0f', at), 'LIMIT', 0, 5000)
count = #expired
if count > 0 then
redis.call('ZREM', timeout, unpack(expired))
available = redis.call('INCRBY', lock, count)
reclaimed = reclaimed + count
end
until count < 5000
if reclaimed > 0 then
tellPermits(publish, channel, available)
end
return at, available
end
local function raw(permit)
if #permit ~= 32 or string.find(permit, '[^0-9a-f]') then
error({err = 'ERR a permit id is 32 hex characters in lower case'})
end
return (string.gsub(permit, '..', function(pair)
return string.char(tonumber(pair, 16))
end))
end
local function attempt(publish, lock, timeout, permit, lease, manner, channel)
local id = raw(permit)
if not whole(lease, 0, 315360000000) or manner ~= 'raise' and manner ~= 'set' then
error({err = 'ERR the lease is out of range, or the manner is unknown'})
end
local at = reclaim(publish, lock, timeout, channel)
local expiry = tonumber(redis.call('ZSCORE', timeout, id))
if expiry == nil then
return {0}
end
redis.call('ZREM', timeout, '')
if lease > 0 and (manner == 'set' or expiry < at + lease) then
local isShorter = expiry > at + lease
expiry = at + lease
redis.call('ZADD', timeout, string.format('%.0f', expiry), id)
if isShorter then
tellPermits(publish, channel, 2147483647)
end
end
return {1, expiry >= 922337203685477 and -1 or expiry - at}
end
local replies = {}
local publish = ARGV[1]
for i = 1, #KEYS / 2 do
local base = (i - 1) * 4 + 1
local lock = KEYS[(i - 1) * 2 + 1]
local timeout = KEYS[(i - 1) * 2 + 2]
local permit = ARGV[base + 1]
local lease = tonumber(ARGV[base + 2])
local manner = ARGV[base + 3]
local channel = ARGV[base + 4]
local ran, reply = pcall(attempt, publish, lock, timeout, permit, lease, manner, channel)
replies[i] = ran and reply or failure(reply, lock)
end
return replies` as string,
} as const satisfies LuaScript;

/**
 * Sets how many permits a semaphore has in all, taken ones included. Wire format section 10, set permits.
 * KEYS: lock, timeout.
 * ARGV, once: publish.
 * ARGV, per operation: total, channel.
 * - `resized`: {1}
 * - `same`: {0} there are as many; nothing was changed
 * - `error`: {-1, message with its code in front, type of the key}
 * Repeating it is safe: it names the number to have
 */
export const permitResize = {
  name: 'permit/resize',
  sha1: '063338bbd2f0dc7bef515cd474df368d80498e92',
  batch: true,
  keysPerOperation: 2,
  sharedArgs: 1,
  argsPerOperation: 2,
  text: `local function whole(number, least, most)
return number and number >= least and number <= most and number % 1 == 0
end
local function failure(problem, lock)
local message = type(problem) == 'table' and problem.err or tostring(problem)
message = string.match(message, '^@?user_script:%s*%d+:%s*%-?(.-)%s*$') or message
return {-1, message, redis.pcall('TYPE', lock).ok or 'unknown'}
end
local function amount(key)
local value = redis.call('GET', key)
if not value then
return nil
end
if not string.match(value, '^%-?%d+$') or not whole(tonumber(value), -9007199254740991, 9007199254740991) then
error({err = 'ERR the value of the key is not an integer, or out of range'})
end
return tonumber(value)
end
local function tell(publish, channel, payload)
local reached = redis.pcall(publish, channel, payload)
return type(reached) == 'number' and reached or -1
end
local function tellPermits(publish, channel, permits)
if permits <= 0 then
return 0
end
return tell(publish, channel, string.format('%.0f', math.min(permits, 2147483647)))
end
local function attempt(publish, lock, timeout, total, channel)
if not whole(total, 0, 2147483647) then
error({err = 'ERR the number of permits is out of range'})
end
local available = amount(lock)
local taken = redis.call('ZCARD', timeout)
if available == nil then
redis.call('SET', lock, string.format('%.0f', total))
elseif available + taken == total then
return {0}
else
redis.call('INCRBY', lock, string.format('%.0f', total - available - taken))
end
tellPermits(publish, channel, total)
return {1}
end
local replies = {}
local publish = ARGV[1]
for i = 1, #KEYS / 2 do
local base = (i - 1) * 2
local lock = KEYS[base + 1]
local timeout = KEYS[base + 2]
local total = tonumber(ARGV[base + 2])
local channel = ARGV[base + 3]
local ran, reply = pcall(attempt, publish, lock, timeout, total, channel)
replies[i] = ran and reply or failure(reply, lock)
end
return replies` as string,
} as const satisfies LuaScript;

/**
 * Takes the read side of a read/write lock, or raises the count of a holder that reads already.
 * Wire format section 7, read acquire. A waiting writer keeps new readers out (D15); who reads or writes already passes.
 * KEYS: lock, intent.
 * ARGV, once: lease, count.
 * ARGV, per operation: holder.
 * Derived keys: `<lock>:<holder>:rwlock_timeout:<n>` one string per read hold, with its lease; the lock in braces, unless it has one
 * - `granted`: 1, or {1, read holds} when the holder had more; 1 alone, in no array, answers all of a call
 * - `busy`: {0, ttl in ms (-1: none) of the writer's lock or intent, the writer}
 * - `lost`: {2} the count to reach is above 1 and the holder does not read
 * - `error`: {-1, message with its code in front, type of the key} also for a hash that is another kind of lock
 * Repeating it is safe: the call names the count to reach, so a second run finds it reached and gives the lease afresh
 */
export const readAcquire = {
  name: 'read/acquire',
  sha1: '4a0b4b04d3c2f80b39f19ce45f0121c550c51596',
  batch: true,
  keysPerOperation: 2,
  sharedArgs: 2,
  argsPerOperation: 1,
  text: `local function whole(number, least, most)
return number and number >= least and number <= most and number % 1 == 0
end
local function failure(problem, lock)
local message = type(problem) == 'table' and problem.err or tostring(problem)
message = string.match(message, '^@?user_script:%s*%d+:%s*%-?(.-)%s*$') or message
return {-1, message, redis.pcall('TYPE', lock).ok or 'unknown'}
end
local function oneForAll(replies)
for _, reply in ipairs(replies) do
if reply ~= 1 then
return replies
end
end
return 1
end
local function rwMode(lock)
local mode = redis.call('HGET', lock, 'mode')
local writer = false
if mode == 'write' then
for _, field in ipairs(redis.call('HKEYS', lock)) do
if string.sub(field, -6) == ':write' and #field - 6 > #(writer or '') then
writer = string.sub(field, 1, -7)
end
end
elseif mode ~= 'read' and redis.call('EXISTS', lock) == 1 then
error({err = 'WRONGTYPE not a read/write lock'})
end
return mode, writer
end
local function readCount(lock, holder, mode, writer)
if mode == 'read' or writer == holder then
return tonumber(redis.call('HGET', lock, holder)) or 0
end
return 0
end
local function holdKey(lock, holder, n)
local base = string.find(lock, '{', 1, true) and lock or '{' .. lock .. '}'
return base .. ':' .. holder .. ':rwlock_timeout:' .. n
end
local function longestHold(lock, holder, count)
local longest = 0
for n = 1, count do
longest = math.max(longest, redis.call('PTTL', holdKey(lock, holder, n)))
end
return longest
end
local function longestRead(lock)
local longest = 0
local fields = redis.call('HGETALL', lock)
for at = 1, #fields, 2 do
longest = math.max(longest, longestHold(lock, fields[at], tonumber(fields[at + 1]) or 0))
end
return longest
end
local function raiseLease(lock, lease)
local left = redis.call('PTTL', lock)
if left == -1 then
lease = math.max(lease, longestRead(lock))
end
if left < lease then
redis.call('PEXPIRE', lock, lease)
left = lease
end
return left
end
local function rwHolder(lock, writer)
if writer then
return writer
end
for _, field in ipairs(redis.call('HRANDFIELD', lock, 2)) do
if field ~= 'mode' then
return field
end
end
return ''
end
local found = {}
local lease = tonumber(ARGV[1])
local count = tonumber(ARGV[2])
local leaseText = string.format('%d', lease or 0)
local countText = string.format('%d', count or 0)
local function attempt(lock, intent, holder)
if not whole(lease, 1, 315360000000) or not whole(count, 1, 65535) then
error({err = 'ERR the lease or the hold count is out of range'})
end
local known = found[lock]
local mode, writer = 'read', false
if known == nil then
mode, writer = rwMode(lock)
end
if mode == 'write' and writer ~= holder then
return {0, redis.call('PTTL', lock), rwHolder(lock, writer)}
end
local held = readCount(lock, holder, mode, writer)
if held == 0 and count > 1 then
return {2}
end
local isClear = known or false
if held == 0 and not writer and not isClear then
local waiting = redis.pcall('GET', intent)
local left = type(waiting) == 'string' and waiting ~= holder and redis.call('PTTL', intent) or 0
if left > 0 then
return {0, left, waiting}
end
isClear = type(waiting) ~= 'string'
end
for n = 1, count do
local key = holdKey(lock, holder, n)
local left = n <= held and redis.call('PTTL', key) or -1
if left < 0 then
redis.call('SET', key, '1', 'PX', leaseText)
elseif n == count and left < lease then
redis.call('PEXPIRE', key, lease)
end
end
if held < count then
if mode then
redis.call('HSET', lock, holder, countText)
else
redis.call('HSET', lock, 'mode', 'read', holder, countText)
end
held = count
end
if not mode then
redis.call('PEXPIRE', lock, lease)
elseif known == nil then
raiseLease(lock, lease)
end
if not writer then
found[lock] = isClear
end
return held == count and 1 or {1, held}
end
local replies = {}
for i = 1, #KEYS / 2 do
local at = (i - 1) * 2
local base = i + 1
local lock = KEYS[at + 1]
local intent = KEYS[at + 2]
local holder = ARGV[base + 1]
local ran, reply = pcall(attempt, lock, intent, holder)
replies[i] = ran and reply or failure(reply, lock)
end
return oneForAll(replies)` as string,
} as const satisfies LuaScript;

/**
 * Frees a lock that is being read, whoever reads, and wakes who waits; one that is being written is left alone.
 * Wire format section 7, force unlock. The keys of the holds go with it, so that nothing is left to run out.
 * KEYS: lock.
 * ARGV, once: publish.
 * ARGV, per operation: channel.
 * Derived keys: `<lock>:<holder>:rwlock_timeout:<n>` one string per read hold, with its lease; the lock in braces, unless it has one
 * - `released`: {1, clients that PUBLISH reached (-1: publishing was refused)}
 * - `free`: {0} nobody reads; a writer that reads as well keeps both
 * - `error`: {-1, message with its code in front, type of the key} also for a key that is no read/write lock, which is left alone
 * Repeating it is unsafe: a second run may free the lock of the next readers
 */
export const readForceRelease = {
  name: 'read/force-release',
  sha1: 'd0b87e5573b2467676111995f4d426b6aaa4f4e9',
  batch: true,
  keysPerOperation: 1,
  sharedArgs: 1,
  argsPerOperation: 1,
  text: `local function failure(problem, lock)
local message = type(problem) == 'table' and problem.err or tostring(problem)
message = string.match(message, '^@?user_script:%s*%d+:%s*%-?(.-)%s*$') or message
return {-1, message, redis.pcall('TYPE', lock).ok or 'unknown'}
end
local function tell(publish, channel, payload)
local reached = redis.pcall(publish, channel, payload)
return type(reached) == 'number' and reached or -1
end
local function rwMode(lock)
local mode = redis.call('HGET', lock, 'mode')
local writer = false
if mode == 'write' then
for _, field in ipairs(redis.call('HKEYS', lock)) do
if string.sub(field, -6) == ':write' and #field - 6 > #(writer or '') then
writer = string.sub(field, 1, -7)
end
end
elseif mode ~= 'read' and redis.call('EXISTS', lock) == 1 then
error({err = 'WRONGTYPE not a read/write lock'})
end
return mode, writer
end
local function holdKey(lock, holder, n)
local base = string.find(lock, '{', 1, true) and lock or '{' .. lock .. '}'
return base .. ':' .. holder .. ':rwlock_timeout:' .. n
end
local function dropHolds(lock, holder, from, to)
for n = to, from, -1 do
redis.call('DEL', holdKey(lock, holder, n))
end
end
local function freeLock(lock)
local fields = redis.call('HGETALL', lock)
for at = 1, #fields, 2 do
dropHolds(lock, fields[at], 1, tonumber(fields[at + 1]) or 0)
end
redis.call('DEL', lock)
end
local function attempt(publish, lock, channel)
if rwMode(lock) ~= 'read' then
return {0}
end
freeLock(lock)
return {1, tell(publish, channel, '0')}
end
local replies = {}
local publish = ARGV[1]
for i = 1, #KEYS do
local base = i
local lock = KEYS[i]
local channel = ARGV[base + 1]
local ran, reply = pcall(attempt, publish, lock, channel)
replies[i] = ran and reply or failure(reply, lock)
end
return replies` as string,
} as const satisfies LuaScript;

/**
 * Reads the read side of a read/write lock: what is left of its lease, how often a given holder reads, and who reads. Writes nothing.
 * KEYS: lock.
 * ARGV: holder.
 * - `state`: {1, ttl in ms (-1: none, -2: free), the given holder's read holds, one reader or '', 1 while anybody reads or 0}
 * - `error`: {-1, message with its code in front, type of the key} also for a hash that is another kind of lock
 * Repeating it is safe: it only reads
 */
export const readInspect = {
  name: 'read/inspect',
  sha1: 'b9b8cae607dd30e8e4351b4019e846b7cd0714eb',
  batch: true,
  keysPerOperation: 1,
  sharedArgs: 0,
  argsPerOperation: 1,
  text: `local function failure(problem, lock)
local message = type(problem) == 'table' and problem.err or tostring(problem)
message = string.match(message, '^@?user_script:%s*%d+:%s*%-?(.-)%s*$') or message
return {-1, message, redis.pcall('TYPE', lock).ok or 'unknown'}
end
local function rwMode(lock)
local mode = redis.call('HGET', lock, 'mode')
local writer = false
if mode == 'write' then
for _, field in ipairs(redis.call('HKEYS', lock)) do
if string.sub(field, -6) == ':write' and #field - 6 > #(writer or '') then
writer = string.sub(field, 1, -7)
end
end
elseif mode ~= 'read' and redis.call('EXISTS', lock) == 1 then
error({err = 'WRONGTYPE not a read/write lock'})
end
return mode, writer
end
local function readCount(lock, holder, mode, writer)
if mode == 'read' or writer == holder then
return tonumber(redis.call('HGET', lock, holder)) or 0
end
return 0
end
local function rwHolder(lock, writer)
if writer then
return writer
end
for _, field in ipairs(redis.call('HRANDFIELD', lock, 2)) do
if field ~= 'mode' then
return field
end
end
return ''
end
local function attempt(lock, holder)
local mode, writer = rwMode(lock)
local locked = mode == 'read' or (mode == 'write' and redis.call('HLEN', lock) > 2)
local count = readCount(lock, holder, mode, writer)
return {1, redis.call('PTTL', lock), count, locked and rwHolder(lock, writer) or '', locked and 1 or 0}
end
local replies = {}
for i = 1, #KEYS do
local base = i - 1
local lock = KEYS[i]
local holder = ARGV[base + 1]
local ran, reply = pcall(attempt, lock, holder)
replies[i] = ran and reply or failure(reply, lock)
end
return replies` as string,
} as const satisfies LuaScript;

/**
 * Lowers a holder's read holds from the top, or ends them; the last reader frees the lock and wakes who waits.
 * Wire format section 7, read unlock. Only hold keys that live tell who reads: a dead reader does not keep the lock.
 * Where others read on, or the holder writes on, a lease of the lock that becomes shorter is told.
 * KEYS: lock.
 * ARGV, once: publish.
 * ARGV, per operation: holder, count, lease, write, channel.
 * Derived keys: `<lock>:<holder>:rwlock_timeout:<n>` one string per read hold, with its lease; the lock in braces, unless it has one
 * - `released`: {1, clients that PUBLISH reached (-1: publishing was refused)} 0 also where others hold on, and nothing was told
 * - `kept`: {2, read holds}
 * - `gone`: {0} the holder does not read
 * - `error`: {-1, message with its code in front, type of the key} also for a hash that is another kind of lock
 * Repeating it is safe: it only lowers a count and never creates a field
 */
export const readRelease = {
  name: 'read/release',
  sha1: '1b2c0ddc8a368cc912e74eab30707bb5f944029f',
  batch: true,
  keysPerOperation: 1,
  sharedArgs: 1,
  argsPerOperation: 5,
  text: `local function whole(number, least, most)
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
local function tellShorter(publish, channel)
tell(publish, channel, '1')
end
local function setLease(lock, lease, spare)
local left = redis.call('PTTL', lock)
if left > lease and left <= lease + spare then
lease = left
end
redis.call('PEXPIRE', lock, lease)
return left > lease or left == -1
end
local function rwMode(lock)
local mode = redis.call('HGET', lock, 'mode')
local writer = false
if mode == 'write' then
for _, field in ipairs(redis.call('HKEYS', lock)) do
if string.sub(field, -6) == ':write' and #field - 6 > #(writer or '') then
writer = string.sub(field, 1, -7)
end
end
elseif mode ~= 'read' and redis.call('EXISTS', lock) == 1 then
error({err = 'WRONGTYPE not a read/write lock'})
end
return mode, writer
end
local function readCount(lock, holder, mode, writer)
if mode == 'read' or writer == holder then
return tonumber(redis.call('HGET', lock, holder)) or 0
end
return 0
end
local function holdKey(lock, holder, n)
local base = string.find(lock, '{', 1, true) and lock or '{' .. lock .. '}'
return base .. ':' .. holder .. ':rwlock_timeout:' .. n
end
local function longestHold(lock, holder, count)
local longest = 0
for n = 1, count do
longest = math.max(longest, redis.call('PTTL', holdKey(lock, holder, n)))
end
return longest
end
local function longestRead(lock)
local longest = 0
local fields = redis.call('HGETALL', lock)
for at = 1, #fields, 2 do
longest = math.max(longest, longestHold(lock, fields[at], tonumber(fields[at + 1]) or 0))
end
return longest
end
local function lastsAsLong(lock)
local present = redis.call('PTTL', lock)
for _, picks in ipairs({'-2', '-10'}) do
local some = present > 0 and redis.call('HRANDFIELD', lock, picks, 'WITHVALUES') or {}
for at = 1, #some, 2 do
local left = longestHold(lock, some[at], tonumber(some[at + 1]) or 0)
if left > 0 and math.abs(left - present) <= 50 then
return true
end
end
end
return false
end
local function dropHolds(lock, holder, from, to)
for n = to, from, -1 do
redis.call('DEL', holdKey(lock, holder, n))
end
end
local function dropOrphans(lock, holder)
local n = 1
while redis.call('DEL', holdKey(lock, holder, n)) == 1 do
n = n + 1
end
end
local SPARE = 50
local function attempt(publish, lock, holder, count, lease, write, channel)
if not whole(count, 0, 65535) or not (count == 0 or whole(lease, 1, 315360000000)) or not whole(write, 0, 315360000000) then
error({err = 'ERR the hold count or a lease is out of range'})
end
local mode, writer = rwMode(lock)
local held = readCount(lock, holder, mode, writer)
if held == 0 then
if count == 0 then
dropOrphans(lock, holder)
end
if not mode then
tell(publish, channel, '0')
end
return {0}
end
if held <= count then
return {2, held}
end
dropHolds(lock, holder, count + 1, held)
if count == 0 then
redis.call('HDEL', lock, holder)
else
redis.call('HSET', lock, holder, count)
for n = 1, count do
redis.call('SET', holdKey(lock, holder, n), 1, 'PX', lease)
end
end
if count == 0 and mode == 'read' and redis.call('HLEN', lock) > 32 and lastsAsLong(lock) then
return {1, 0}
end
local left = longestRead(lock)
if left == 0 and not writer then
redis.call('DEL', lock)
return {1, tell(publish, channel, '0')}
end
if mode == 'write' and write == 0 then
local present = redis.call('PTTL', lock)
if present >= 0 and present < left then
redis.call('PEXPIRE', lock, left)
end
elseif setLease(lock, mode == 'write' and math.max(left, write) or left, SPARE) then
tellShorter(publish, channel)
end
return count == 0 and {1, 0} or {2, count}
end
local replies = {}
local publish = ARGV[1]
for i = 1, #KEYS do
local base = (i - 1) * 5 + 1
local lock = KEYS[i]
local holder = ARGV[base + 1]
local count = tonumber(ARGV[base + 2])
local lease = tonumber(ARGV[base + 3])
local write = tonumber(ARGV[base + 4])
local channel = ARGV[base + 5]
local ran, reply = pcall(attempt, publish, lock, holder, count, lease, write, channel)
replies[i] = ran and reply or failure(reply, lock)
end
return replies` as string,
} as const satisfies LuaScript;

/**
 * Keeps read holds alive: their keys, and the hash, which must outlive the longest of them (D17, D19). Never shortens.
 * With a lease of 0 it only looks, and raises a hash that a reader in Java has set below a hold of ours.
 * A lock whose last reader it finds dead is free from then on, which is told.
 * KEYS: lock.
 * ARGV, once: publish.
 * ARGV, per operation: holder, lease, channel.
 * Derived keys: `<lock>:<holder>:rwlock_timeout:<n>` one string per read hold, with its lease; the lock in braces, unless it has one
 * - `alive`: {1, what is left of the holder's longest hold in ms}
 * - `gone`: {0} the holder does not read, or the keys of all its holds have run out: then nothing of it stays
 * - `error`: {-1, message with its code in front, type of the key} also for a hash that is another kind of lock
 * Repeating it is safe: it only raises the ttl of holds that still exist
 */
export const readRenew = {
  name: 'read/renew',
  sha1: '4a8da26f855b517ca82b6a67a2550a19f72ef0d4',
  batch: true,
  keysPerOperation: 1,
  sharedArgs: 1,
  argsPerOperation: 3,
  text: `local function whole(number, least, most)
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
local function rwMode(lock)
local mode = redis.call('HGET', lock, 'mode')
local writer = false
if mode == 'write' then
for _, field in ipairs(redis.call('HKEYS', lock)) do
if string.sub(field, -6) == ':write' and #field - 6 > #(writer or '') then
writer = string.sub(field, 1, -7)
end
end
elseif mode ~= 'read' and redis.call('EXISTS', lock) == 1 then
error({err = 'WRONGTYPE not a read/write lock'})
end
return mode, writer
end
local function readCount(lock, holder, mode, writer)
if mode == 'read' or writer == holder then
return tonumber(redis.call('HGET', lock, holder)) or 0
end
return 0
end
local function holdKey(lock, holder, n)
local base = string.find(lock, '{', 1, true) and lock or '{' .. lock .. '}'
return base .. ':' .. holder .. ':rwlock_timeout:' .. n
end
local function longestHold(lock, holder, count)
local longest = 0
for n = 1, count do
longest = math.max(longest, redis.call('PTTL', holdKey(lock, holder, n)))
end
return longest
end
local function longestRead(lock)
local longest = 0
local fields = redis.call('HGETALL', lock)
for at = 1, #fields, 2 do
longest = math.max(longest, longestHold(lock, fields[at], tonumber(fields[at + 1]) or 0))
end
return longest
end
local function raiseLease(lock, lease)
local left = redis.call('PTTL', lock)
if left == -1 then
lease = math.max(lease, longestRead(lock))
end
if left < lease then
redis.call('PEXPIRE', lock, lease)
left = lease
end
return left
end
local function dropOrphans(lock, holder)
local n = 1
while redis.call('DEL', holdKey(lock, holder, n)) == 1 do
n = n + 1
end
end
local function attempt(publish, lock, holder, lease, channel)
if not whole(lease, 0, 315360000000) then
error({err = 'ERR the lease is out of range'})
end
local mode, writer = rwMode(lock)
local held = readCount(lock, holder, mode, writer)
local longest = longestHold(lock, holder, held)
if longest == 0 then
if held > 0 then
redis.call('HDEL', lock, holder)
if not writer and longestRead(lock) == 0 then
redis.call('DEL', lock)
tell(publish, channel, '0')
end
end
dropOrphans(lock, holder)
return {0}
end
for n = 1, held do
local key = holdKey(lock, holder, n)
local left = redis.call('PTTL', key)
if left >= 0 and left < lease then
redis.call('PEXPIRE', key, lease)
end
end
redis.call('HDEL', lock, '')
longest = math.max(longest, lease)
if lease > 0 or redis.call('PTTL', lock) >= 0 then
raiseLease(lock, longest)
end
return {1, longest}
end
local replies = {}
local publish = ARGV[1]
for i = 1, #KEYS do
local base = (i - 1) * 3 + 1
local lock = KEYS[i]
local holder = ARGV[base + 1]
local lease = tonumber(ARGV[base + 2])
local channel = ARGV[base + 3]
local ran, reply = pcall(attempt, publish, lock, holder, lease, channel)
replies[i] = ran and reply or failure(reply, lock)
end
return replies` as string,
} as const satisfies LuaScript;

/**
 * Takes a free lock, or raises the count of a holder that has it already.
 * Wire format section 2, with D28 avoided: a re-entry never shortens the lease.
 * KEYS: lock.
 * ARGV, once: lease, count.
 * ARGV, per operation: holder.
 * - `granted`: 1, or {1, hold count} when the holder had more; 1 alone, in no array, answers all of a call
 * - `busy`: {0, ttl in ms (-1: none), one holder}
 * - `lost`: {2} the count to reach is above 1 and the holder has nothing
 * - `error`: {-1, message with its code in front, type of the key}
 * Repeating it is safe: the call names the count to reach, so a second run finds it reached and gives the lease afresh
 */
export const reentrantAcquire = {
  name: 'reentrant/acquire',
  sha1: '1a5f03ca54c67ccacb24b982274210a1ea168863',
  batch: true,
  keysPerOperation: 1,
  sharedArgs: 2,
  argsPerOperation: 1,
  text: `if #KEYS == 1 then
local lease = ARGV[1]
local count = ARGV[2]
local lock = KEYS[1]
local holder = ARGV[3]
if count == '1' and #lease < 12 and string.find(lease, '^[1-9]%d*$') and redis.pcall('EXISTS', lock) == 0
and redis.pcall('HSET', lock, holder, '1') == 1 then
redis.call('PEXPIRE', lock, lease)
return 1
end
end
local function whole(number, least, most)
return number and number >= least and number <= most and number % 1 == 0
end
local function take(lock, holder, lease, count)
if not whole(lease, 1, 315360000000) or not whole(count, 1, 2147483647) then
error({err = 'ERR the lease or the hold count is out of range'})
end
if redis.call('EXISTS', lock) == 0 then
if count > 1 then
return {2}
end
redis.call('HSET', lock, holder, '1')
redis.call('PEXPIRE', lock, lease)
return 1
end
local held = tonumber(redis.call('HGET', lock, holder))
if held == nil then
return {0, redis.call('PTTL', lock), redis.call('HRANDFIELD', lock)}
end
if held < count then
redis.call('HSET', lock, holder, count)
held = count
end
if redis.call('PTTL', lock) < lease then
redis.call('PEXPIRE', lock, lease)
end
return held == count and 1 or {1, held}
end
local function failure(problem, lock)
local message = type(problem) == 'table' and problem.err or tostring(problem)
message = string.match(message, '^@?user_script:%s*%d+:%s*%-?(.-)%s*$') or message
return {-1, message, redis.pcall('TYPE', lock).ok or 'unknown'}
end
local function oneForAll(replies)
for _, reply in ipairs(replies) do
if reply ~= 1 then
return replies
end
end
return 1
end
local replies = {}
local lease = tonumber(ARGV[1])
local count = tonumber(ARGV[2])
for i = 1, #KEYS do
local base = i + 1
local lock = KEYS[i]
local holder = ARGV[base + 1]
local ran, reply = pcall(take, lock, holder, lease, count)
replies[i] = ran and reply or failure(reply, lock)
end
return oneForAll(replies)` as string,
} as const satisfies LuaScript;

/**
 * Frees a lock whoever holds it, and wakes one waiter of each client. Wire format section 2, force unlock.
 * KEYS: lock.
 * ARGV, once: publish.
 * ARGV, per operation: channel.
 * - `released`: {1, clients that PUBLISH reached (-1: publishing was refused)}
 * - `free`: {0} there was nothing to free
 * - `error`: {-1, message with its code in front, type of the key} also for a key that is no lock, which is left alone
 * Repeating it is unsafe: a second run may free the lock of the next holder
 */
export const reentrantForceRelease = {
  name: 'reentrant/force-release',
  sha1: 'bf81111724eaa1ab6a2f61b2089a1511a2d82c35',
  batch: true,
  keysPerOperation: 1,
  sharedArgs: 1,
  argsPerOperation: 1,
  text: `local function failure(problem, lock)
local message = type(problem) == 'table' and problem.err or tostring(problem)
message = string.match(message, '^@?user_script:%s*%d+:%s*%-?(.-)%s*$') or message
return {-1, message, redis.pcall('TYPE', lock).ok or 'unknown'}
end
local function tell(publish, channel, payload)
local reached = redis.pcall(publish, channel, payload)
return type(reached) == 'number' and reached or -1
end
local function attempt(publish, lock, channel)
local kind = redis.call('TYPE', lock).ok
if kind == 'none' then
return {0}
end
if kind ~= 'hash' then
error({err = 'WRONGTYPE not a lock'})
end
redis.call('DEL', lock)
return {1, tell(publish, channel, '0')}
end
local replies = {}
local publish = ARGV[1]
for i = 1, #KEYS do
local base = i
local lock = KEYS[i]
local channel = ARGV[base + 1]
local ran, reply = pcall(attempt, publish, lock, channel)
replies[i] = ran and reply or failure(reply, lock)
end
return replies` as string,
} as const satisfies LuaScript;

/**
 * Reads a lock: what is left of its lease, how often a given holder has it, and who has it. Writes nothing.
 * KEYS: lock.
 * ARGV: holder.
 * - `state`: {1, ttl in ms (-1: none, -2: free), the given holder's count, one holder or ''}
 * - `error`: {-1, message with its code in front, type of the key}
 * Repeating it is safe: it only reads
 */
export const reentrantInspect = {
  name: 'reentrant/inspect',
  sha1: '9044398cce7f97429064883239e0914d9473ae47',
  batch: true,
  keysPerOperation: 1,
  sharedArgs: 0,
  argsPerOperation: 1,
  text: `local function failure(problem, lock)
local message = type(problem) == 'table' and problem.err or tostring(problem)
message = string.match(message, '^@?user_script:%s*%d+:%s*%-?(.-)%s*$') or message
return {-1, message, redis.pcall('TYPE', lock).ok or 'unknown'}
end
local function attempt(lock, holder)
local count = tonumber(redis.call('HGET', lock, holder)) or 0
return {1, redis.call('PTTL', lock), count, redis.call('HRANDFIELD', lock) or ''}
end
local replies = {}
for i = 1, #KEYS do
local base = i - 1
local lock = KEYS[i]
local holder = ARGV[base + 1]
local ran, reply = pcall(attempt, lock, holder)
replies[i] = ran and reply or failure(reply, lock)
end
return replies` as string,
} as const satisfies LuaScript;

/**
 * Lowers a holder's count, or frees the lock and wakes one waiter of each client.
 * Wire format section 2, unlock. Holder ids are never used twice, so no unlock latch is needed.
 * Where a count stays, a lease that becomes shorter is told.
 * KEYS: lock.
 * ARGV, once: publish, count, lease.
 * ARGV, per operation: holder, channel.
 * - `released`: 1 when nobody heard it, or {1, clients that PUBLISH reached (-1: publishing was refused)}; 1 alone, in no array, answers all of a call
 * - `kept`: {2, hold count}
 * - `gone`: {0} the holder has nothing; nothing was changed
 * - `error`: {-1, message with its code in front, type of the key}
 * Repeating it is safe: it only lowers a count and never creates a field
 */
export const reentrantRelease = {
  name: 'reentrant/release',
  sha1: '945c202558898dcb546d863868cb60c55270bd76',
  batch: true,
  keysPerOperation: 1,
  sharedArgs: 3,
  argsPerOperation: 2,
  text: `if #KEYS == 1 then
local publish = ARGV[1]
local count = ARGV[2]
local lock = KEYS[1]
local holder = ARGV[4]
local channel = ARGV[5]
if count == '0' and redis.pcall('HGET', lock, holder) == '1' and redis.pcall('DEL', lock) == 1 then
local reached = redis.pcall(publish, channel, '0')
if reached == 0 then
return 1
end
return {{1, type(reached) == 'number' and reached or -1}}
end
end
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
local function tellShorter(publish, channel)
tell(publish, channel, '1')
end
local function setLease(lock, lease, spare)
local left = redis.call('PTTL', lock)
if left > lease and left <= lease + spare then
lease = left
end
redis.call('PEXPIRE', lock, lease)
return left > lease or left == -1
end
local function oneForAll(replies)
for _, reply in ipairs(replies) do
if reply ~= 1 then
return replies
end
end
return 1
end
local function attempt(publish, lock, holder, count, lease, channel)
if not whole(count, 0, 2147483647) or not (count == 0 or whole(lease, 1, 315360000000)) then
error({err = 'ERR the hold count or the lease is out of range'})
end
local held = tonumber(redis.call('HGET', lock, holder))
if held == nil then
return {0}
end
if count > 0 then
if held > count then
local isShorter = setLease(lock, lease, 0)
redis.call('HSET', lock, holder, count)
held = count
if isShorter then
tellShorter(publish, channel)
end
end
return {2, held}
end
redis.call('DEL', lock)
local reached = tell(publish, channel, '0')
return reached == 0 and 1 or {1, reached}
end
local replies = {}
local publish = ARGV[1]
local count = tonumber(ARGV[2])
local lease = tonumber(ARGV[3])
for i = 1, #KEYS do
local base = (i - 1) * 2 + 3
local lock = KEYS[i]
local holder = ARGV[base + 1]
local channel = ARGV[base + 2]
local ran, reply = pcall(attempt, publish, lock, holder, count, lease, channel)
replies[i] = ran and reply or failure(reply, lock)
end
return oneForAll(replies)` as string,
} as const satisfies LuaScript;

/**
 * Hands a lock from one holder of this process to its next one in a single step, without a message where the lease becomes no shorter:
 * for other clients the lock was held throughout, by a new holder at the end.
 * KEYS: lock.
 * ARGV, once: publish.
 * ARGV, per operation: from, to, lease, channel.
 * - `transferred`: 1, also when a repeated call finds it done; 1 alone, in no array, answers all of a call
 * - `granted`: {2} the giver had lost the lock, it was free, the taker has it
 * - `busy`: {0, ttl in ms (-1: none), one holder} the giver had lost the lock to somebody else
 * - `error`: {-1, message with its code in front, type of the key}
 * Repeating it is safe: holder ids are never used twice, so the taker's field proves that it was done; its lease is given afresh
 */
export const reentrantTransfer = {
  name: 'reentrant/transfer',
  sha1: 'ceefb69353e3c36723530b501e0162c307a4871d',
  batch: true,
  keysPerOperation: 1,
  sharedArgs: 1,
  argsPerOperation: 4,
  text: `local function whole(number, least, most)
return number and number >= least and number <= most and number % 1 == 0
end
local function tell(publish, channel, payload)
local reached = redis.pcall(publish, channel, payload)
return type(reached) == 'number' and reached or -1
end
local function tellShorter(publish, channel)
tell(publish, channel, '1')
end
local function setLease(lock, lease, spare)
local left = redis.call('PTTL', lock)
if left > lease and left <= lease + spare then
lease = left
end
redis.call('PEXPIRE', lock, lease)
return left > lease or left == -1
end
local function hand(lock, from, to, lease, publish, channel)
if not whole(lease, 1, 315360000000) or from == to then
error({err = 'ERR the lease is out of range, or giver and taker are the same'})
end
if redis.call('HEXISTS', lock, from) == 1 then
local isShorter = setLease(lock, lease, 0)
redis.call('HSET', lock, to, '1')
redis.call('HDEL', lock, from)
if isShorter then
tellShorter(publish, channel)
end
return 1
end
if redis.call('HEXISTS', lock, to) == 1 then
if redis.call('PTTL', lock) < lease then
redis.call('PEXPIRE', lock, lease)
end
return 1
end
if redis.call('EXISTS', lock) == 1 then
return {0, redis.call('PTTL', lock), redis.call('HRANDFIELD', lock)}
end
redis.call('HSET', lock, to, '1')
redis.call('PEXPIRE', lock, lease)
return {2}
end
local function failure(problem, lock)
local message = type(problem) == 'table' and problem.err or tostring(problem)
message = string.match(message, '^@?user_script:%s*%d+:%s*%-?(.-)%s*$') or message
return {-1, message, redis.pcall('TYPE', lock).ok or 'unknown'}
end
local function oneForAll(replies)
for _, reply in ipairs(replies) do
if reply ~= 1 then
return replies
end
end
return 1
end
local replies = {}
local publish = ARGV[1]
for i = 1, #KEYS do
local base = (i - 1) * 4 + 1
local lock = KEYS[i]
local from = ARGV[base + 1]
local to = ARGV[base + 2]
local lease = tonumber(ARGV[base + 3])
local channel = ARGV[base + 4]
local ran, reply = pcall(hand, lock, from, to, lease, publish, channel)
replies[i] = ran and reply or failure(reply, lock)
end
return oneForAll(replies)` as string,
} as const satisfies LuaScript;

/**
 * Keeps leases alive: each only while its holder still has the lock, and never to a shorter time than is left (D17, D19).
 * With a lease of 0 it only looks.
 * KEYS: lock.
 * ARGV, once: lease.
 * ARGV, per operation: holder.
 * - `alive`: 1 when it has just that lease now, {1, ttl in ms (-1: none)} when it has another; 1 alone, in no array, answers all of a call
 * - `gone`: {0} the holder has nothing; nothing was changed
 * - `error`: {-1, message with its code in front, type of the key}
 * Repeating it is safe: it only raises the ttl of a hold that still exists
 */
export const renewalRenew = {
  name: 'renewal/renew',
  sha1: '00299c5f020a1ba32f13154992113a7bd6ff23c7',
  batch: true,
  keysPerOperation: 1,
  sharedArgs: 1,
  argsPerOperation: 1,
  text: `local function whole(number, least, most)
return number and number >= least and number <= most and number % 1 == 0
end
local function failure(problem, lock)
local message = type(problem) == 'table' and problem.err or tostring(problem)
message = string.match(message, '^@?user_script:%s*%d+:%s*%-?(.-)%s*$') or message
return {-1, message, redis.pcall('TYPE', lock).ok or 'unknown'}
end
local function oneForAll(replies)
for _, reply in ipairs(replies) do
if reply ~= 1 then
return replies
end
end
return 1
end
local function attempt(lock, holder, lease)
if not whole(lease, 0, 315360000000) then
error({err = 'ERR the lease is out of range'})
end
if redis.call('HEXISTS', lock, holder) == 0 then
return {0}
end
local left = redis.call('PTTL', lock)
if lease > 0 and left <= lease then
redis.call('PEXPIRE', lock, lease)
return 1
end
redis.call('HDEL', lock, '')
return {1, left}
end
local replies = {}
local lease = tonumber(ARGV[1])
for i = 1, #KEYS do
local base = i
local lock = KEYS[i]
local holder = ARGV[base + 1]
local ran, reply = pcall(attempt, lock, holder, lease)
replies[i] = ran and reply or failure(reply, lock)
end
return oneForAll(replies)` as string,
} as const satisfies LuaScript;

/**
 * Takes permits of a semaphore, all of them or none. Wire format section 10.
 * The semaphore knows no holders, so a record of the call makes it safe to repeat; it is deleted once the reply has come.
 * KEYS: lock, call.
 * ARGV: wanted, keep.
 * - `granted`: {1, permits left}
 * - `busy`: {0, permits available}
 * - `undone`: {2} the call was undone before it came
 * - `error`: {-1, message with its code in front, type of the key}
 * Repeating it is safe: the call's record answers the second run
 */
export const semaphoreAcquire = {
  name: 'semaphore/acquire',
  sha1: '5f0de14082b938c7cff5c824cf716d3fca8b48a8',
  batch: true,
  keysPerOperation: 2,
  sharedArgs: 0,
  argsPerOperation: 2,
  text: `local function whole(number, least, most)
return number and number >= least and number <= most and number % 1 == 0
end
local function failure(problem, lock)
local message = type(problem) == 'table' and problem.err or tostring(problem)
message = string.match(message, '^@?user_script:%s*%d+:%s*%-?(.-)%s*$') or message
return {-1, message, redis.pcall('TYPE', lock).ok or 'unknown'}
end
local function amount(key)
local value = redis.call('GET', key)
if not value then
return nil
end
if not string.match(value, '^%-?%d+$') or not whole(tonumber(value), -9007199254740991, 9007199254740991) then
error({err = 'ERR the value of the key is not an integer, or out of range'})
end
return tonumber(value)
end
local function attempt(lock, call, wanted, keep)
if not whole(wanted, 1, 2147483647) or not whole(keep, 1, 600000) then
error({err = 'ERR the number of permits or the life of the record is out of range'})
end
local done = redis.call('GET', call)
if done then
local left = tonumber(string.match(done, ' (%d+)$'))
return left and {1, left} or {2}
end
local available = amount(lock)
if available == nil or available < wanted then
return {0, available or 0}
end
local left = redis.call('DECRBY', lock, wanted)
redis.call('SET', call, string.format('%.0f %.0f', wanted, left), 'PX', keep)
return {1, left}
end
local replies = {}
for i = 1, #KEYS / 2 do
local base = (i - 1) * 2
local lock = KEYS[base + 1]
local call = KEYS[base + 2]
local wanted = tonumber(ARGV[base + 1])
local keep = tonumber(ARGV[base + 2])
local ran, reply = pcall(attempt, lock, call, wanted, keep)
replies[i] = ran and reply or failure(reply, lock)
end
return replies` as string,
} as const satisfies LuaScript;

/**
 * Gives permits back to a semaphore, or changes how many there are. Keeps the time to live of the key (D27). Wire format section 10.
 * KEYS: lock, call.
 * ARGV, once: publish.
 * ARGV, per operation: change, payload, where, keep, channel.
 * - `added`: {1, permits available, clients that PUBLISH reached (-1: publishing was refused; 0 as well when it was not told)}
 * - `none`: {0} there is no semaphore
 * - `error`: {-1, message with its code in front, type of the key}
 * Repeating it is safe: the call's record answers the second run, which tells nobody
 */
export const semaphoreAdd = {
  name: 'semaphore/add',
  sha1: '0d058088e538747356458c3f7da235647cfa47da',
  batch: true,
  keysPerOperation: 2,
  sharedArgs: 1,
  argsPerOperation: 5,
  text: `local function whole(number, least, most)
return number and number >= least and number <= most and number % 1 == 0
end
local function failure(problem, lock)
local message = type(problem) == 'table' and problem.err or tostring(problem)
message = string.match(message, '^@?user_script:%s*%d+:%s*%-?(.-)%s*$') or message
return {-1, message, redis.pcall('TYPE', lock).ok or 'unknown'}
end
local function amount(key)
local value = redis.call('GET', key)
if not value then
return nil
end
if not string.match(value, '^%-?%d+$') or not whole(tonumber(value), -9007199254740991, 9007199254740991) then
error({err = 'ERR the value of the key is not an integer, or out of range'})
end
return tonumber(value)
end
local function tell(publish, channel, payload)
local reached = redis.pcall(publish, channel, payload)
return type(reached) == 'number' and reached or -1
end
local function tellPermits(publish, channel, permits)
if permits <= 0 then
return 0
end
return tell(publish, channel, string.format('%.0f', math.min(permits, 2147483647)))
end
local function attempt(publish, lock, call, change, payload, where, keep, channel)
if not whole(change, -2147483647, 2147483647) or not whole(keep, 1, 600000)
or payload ~= 'value' and payload ~= 'change' or where ~= 'anywhere' and where ~= 'existing' then
error({err = 'ERR the change, its payload, its place or the life of the record is out of range'})
end
local done = redis.call('GET', call)
if done then
return {1, tonumber(done), 0}
end
local before = amount(lock)
if before == nil and where == 'existing' then
return {0}
end
if not whole((before or 0) + change, -9007199254740991, 9007199254740991) then
error({err = 'ERR the number of permits would be out of range'})
end
redis.call('DEL', call)
local available = redis.call('INCRBY', lock, change)
redis.call('SET', call, string.format('%.0f', available), 'PX', keep)
return {1, available, tellPermits(publish, channel, payload == 'value' and available or change)}
end
local replies = {}
local publish = ARGV[1]
for i = 1, #KEYS / 2 do
local base = (i - 1) * 5 + 1
local lock = KEYS[(i - 1) * 2 + 1]
local call = KEYS[(i - 1) * 2 + 2]
local change = tonumber(ARGV[base + 1])
local payload = ARGV[base + 2]
local where = ARGV[base + 3]
local keep = tonumber(ARGV[base + 4])
local channel = ARGV[base + 5]
local ran, reply = pcall(attempt, publish, lock, call, change, payload, where, keep, channel)
replies[i] = ran and reply or failure(reply, lock)
end
return replies` as string,
} as const satisfies LuaScript;

/**
 * Deletes a semaphore, with what is known of its permits.
 * KEYS: lock, timeout.
 * - `deleted`: {1}
 * - `none`: {0} there was nothing to delete
 * - `error`: {-1, message with its code in front, type of the key}
 * Repeating it is safe: what is gone stays gone, but the second run says that there was nothing
 */
export const semaphoreDelete = {
  name: 'semaphore/delete',
  sha1: 'c6cc731139c2fcf785780099f8cc96c6c7de1598',
  batch: true,
  keysPerOperation: 2,
  sharedArgs: 0,
  argsPerOperation: 0,
  text: `local function whole(number, least, most)
return number and number >= least and number <= most and number % 1 == 0
end
local function failure(problem, lock)
local message = type(problem) == 'table' and problem.err or tostring(problem)
message = string.match(message, '^@?user_script:%s*%d+:%s*%-?(.-)%s*$') or message
return {-1, message, redis.pcall('TYPE', lock).ok or 'unknown'}
end
local function amount(key)
local value = redis.call('GET', key)
if not value then
return nil
end
if not string.match(value, '^%-?%d+$') or not whole(tonumber(value), -9007199254740991, 9007199254740991) then
error({err = 'ERR the value of the key is not an integer, or out of range'})
end
return tonumber(value)
end
local function attempt(lock, timeout)
amount(lock)
redis.call('ZCARD', timeout)
return {redis.call('DEL', lock, timeout) > 0 and 1 or 0}
end
local replies = {}
for i = 1, #KEYS / 2 do
local base = (i - 1) * 2
local lock = KEYS[base + 1]
local timeout = KEYS[base + 2]
local ran, reply = pcall(attempt, lock, timeout)
replies[i] = ran and reply or failure(reply, lock)
end
return replies` as string,
} as const satisfies LuaScript;

/**
 * Takes all permits that are available; a negative number of them becomes 0. Keeps the time to live of the key (D27).
 * Wire format section 10.
 * KEYS: lock, call.
 * ARGV: keep.
 * - `drained`: {1, permits taken}
 * - `undone`: {2} the call was undone before it came
 * - `error`: {-1, message with its code in front, type of the key}
 * Repeating it is safe: the call's record answers the second run
 */
export const semaphoreDrain = {
  name: 'semaphore/drain',
  sha1: '42bdc7a7f3bce0b88543e9dd563a3a1d81497007',
  batch: true,
  keysPerOperation: 2,
  sharedArgs: 0,
  argsPerOperation: 1,
  text: `local function whole(number, least, most)
return number and number >= least and number <= most and number % 1 == 0
end
local function failure(problem, lock)
local message = type(problem) == 'table' and problem.err or tostring(problem)
message = string.match(message, '^@?user_script:%s*%d+:%s*%-?(.-)%s*$') or message
return {-1, message, redis.pcall('TYPE', lock).ok or 'unknown'}
end
local function amount(key)
local value = redis.call('GET', key)
if not value then
return nil
end
if not string.match(value, '^%-?%d+$') or not whole(tonumber(value), -9007199254740991, 9007199254740991) then
error({err = 'ERR the value of the key is not an integer, or out of range'})
end
return tonumber(value)
end
local function attempt(lock, call, keep)
if not whole(keep, 1, 600000) then
error({err = 'ERR the life of the record is out of range'})
end
local done = redis.call('GET', call)
if done then
local taken = tonumber(string.match(done, '^(%-?%d+) '))
return taken and {1, taken} or {2}
end
local available = amount(lock) or 0
if available ~= 0 then
redis.call('DECRBY', lock, string.format('%.0f', available))
redis.call('SET', call, string.format('%.0f 0', available), 'PX', keep)
end
return {1, available}
end
local replies = {}
for i = 1, #KEYS / 2 do
local base = i - 1
local lock = KEYS[base * 2 + 1]
local call = KEYS[base * 2 + 2]
local keep = tonumber(ARGV[base + 1])
local ran, reply = pcall(attempt, lock, call, keep)
replies[i] = ran and reply or failure(reply, lock)
end
return replies` as string,
} as const satisfies LuaScript;

/**
 * Reads a semaphore. Writes nothing.
 * KEYS: lock.
 * - `state`: {1, permits available, ttl in ms (-1: none, -2: there is no semaphore)}
 * - `error`: {-1, message with its code in front, type of the key}
 * Repeating it is safe: it only reads
 */
export const semaphoreInspect = {
  name: 'semaphore/inspect',
  sha1: '06e311ad9e70392ec355584bd22e57b18c0e27fc',
  batch: true,
  keysPerOperation: 1,
  sharedArgs: 0,
  argsPerOperation: 0,
  text: `local function whole(number, least, most)
return number and number >= least and number <= most and number % 1 == 0
end
local function failure(problem, lock)
local message = type(problem) == 'table' and problem.err or tostring(problem)
message = string.match(message, '^@?user_script:%s*%d+:%s*%-?(.-)%s*$') or message
return {-1, message, redis.pcall('TYPE', lock).ok or 'unknown'}
end
local function amount(key)
local value = redis.call('GET', key)
if not value then
return nil
end
if not string.match(value, '^%-?%d+$') or not whole(tonumber(value), -9007199254740991, 9007199254740991) then
error({err = 'ERR the value of the key is not an integer, or out of range'})
end
return tonumber(value)
end
local function attempt(lock)
return {1, amount(lock) or 0, redis.call('PTTL', lock)}
end
local replies = {}
for i = 1, #KEYS do
local lock = KEYS[i]
local ran, reply = pcall(attempt, lock)
replies[i] = ran and reply or failure(reply, lock)
end
return replies` as string,
} as const satisfies LuaScript;

/**
 * Makes a semaphore with a number of permits, unless there is one. Wire format section 10, try set permits.
 * KEYS: lock, call.
 * ARGV, once: publish.
 * ARGV, per operation: wanted, ttl, keep, channel.
 * - `made`: {1}
 * - `there`: {0} there is one; nothing was changed
 * - `error`: {-1, message with its code in front, type of the key}
 * Repeating it is safe: the call's record answers the second run
 */
export const semaphoreSet = {
  name: 'semaphore/set',
  sha1: '53a86a94ff5501906867b59126c696d3473b8760',
  batch: true,
  keysPerOperation: 2,
  sharedArgs: 1,
  argsPerOperation: 4,
  text: `local function whole(number, least, most)
return number and number >= least and number <= most and number % 1 == 0
end
local function failure(problem, lock)
local message = type(problem) == 'table' and problem.err or tostring(problem)
message = string.match(message, '^@?user_script:%s*%d+:%s*%-?(.-)%s*$') or message
return {-1, message, redis.pcall('TYPE', lock).ok or 'unknown'}
end
local function amount(key)
local value = redis.call('GET', key)
if not value then
return nil
end
if not string.match(value, '^%-?%d+$') or not whole(tonumber(value), -9007199254740991, 9007199254740991) then
error({err = 'ERR the value of the key is not an integer, or out of range'})
end
return tonumber(value)
end
local function tell(publish, channel, payload)
local reached = redis.pcall(publish, channel, payload)
return type(reached) == 'number' and reached or -1
end
local function tellPermits(publish, channel, permits)
if permits <= 0 then
return 0
end
return tell(publish, channel, string.format('%.0f', math.min(permits, 2147483647)))
end
local function attempt(publish, lock, call, wanted, ttl, keep, channel)
if not whole(wanted, 0, 2147483647) or not whole(ttl, 0, 315360000000) or not whole(keep, 1, 600000) then
error({err = 'ERR the number of permits or a time to live is out of range'})
end
if redis.call('GET', call) then
return {1}
end
if amount(lock) ~= nil then
return {0}
end
redis.call('SET', lock, string.format('%.0f', wanted))
if ttl > 0 then
redis.call('PEXPIRE', lock, ttl)
end
redis.call('SET', call, '1', 'PX', keep)
tellPermits(publish, channel, wanted)
return {1}
end
local replies = {}
local publish = ARGV[1]
for i = 1, #KEYS / 2 do
local base = (i - 1) * 4 + 1
local lock = KEYS[(i - 1) * 2 + 1]
local call = KEYS[(i - 1) * 2 + 2]
local wanted = tonumber(ARGV[base + 1])
local ttl = tonumber(ARGV[base + 2])
local keep = tonumber(ARGV[base + 3])
local channel = ARGV[base + 4]
local ran, reply = pcall(attempt, publish, lock, call, wanted, ttl, keep, channel)
replies[i] = ran and reply or failure(reply, lock)
end
return replies` as string,
} as const satisfies LuaScript;

/**
 * Gives back what a call took whose reply never came, and leaves a record by which a late run of that call is refused.
 * KEYS: lock, call.
 * ARGV, once: publish.
 * ARGV, per operation: keep, channel.
 * - `returned`: {1, clients that PUBLISH reached (-1: publishing was refused)}
 * - `gone`: {0} there is nothing to give back: the call took nothing, or its semaphore is gone
 * - `error`: {-1, message with its code in front, type of the key}
 * Repeating it is safe: the record says that it is done
 */
export const semaphoreUndo = {
  name: 'semaphore/undo',
  sha1: '87ca7acaea8812eedf50c1b450016438062cdb6c',
  batch: true,
  keysPerOperation: 2,
  sharedArgs: 1,
  argsPerOperation: 2,
  text: `local function whole(number, least, most)
return number and number >= least and number <= most and number % 1 == 0
end
local function failure(problem, lock)
local message = type(problem) == 'table' and problem.err or tostring(problem)
message = string.match(message, '^@?user_script:%s*%d+:%s*%-?(.-)%s*$') or message
return {-1, message, redis.pcall('TYPE', lock).ok or 'unknown'}
end
local function amount(key)
local value = redis.call('GET', key)
if not value then
return nil
end
if not string.match(value, '^%-?%d+$') or not whole(tonumber(value), -9007199254740991, 9007199254740991) then
error({err = 'ERR the value of the key is not an integer, or out of range'})
end
return tonumber(value)
end
local function tell(publish, channel, payload)
local reached = redis.pcall(publish, channel, payload)
return type(reached) == 'number' and reached or -1
end
local function tellPermits(publish, channel, permits)
if permits <= 0 then
return 0
end
return tell(publish, channel, string.format('%.0f', math.min(permits, 2147483647)))
end
local function attempt(publish, lock, call, keep, channel)
if not whole(keep, 1, 600000) then
error({err = 'ERR the life of the record is out of range'})
end
local taken = tonumber(string.match(redis.call('GET', call) or '', '^(%-?%d+) '))
local available = amount(lock)
redis.call('DEL', call)
redis.call('SET', call, 'undone', 'PX', keep)
if taken == nil or available == nil then
return {0}
end
return {1, tellPermits(publish, channel, redis.call('INCRBY', lock, taken))}
end
local replies = {}
local publish = ARGV[1]
for i = 1, #KEYS / 2 do
local base = (i - 1) * 2
local lock = KEYS[base + 1]
local call = KEYS[base + 2]
local keep = tonumber(ARGV[base + 2])
local channel = ARGV[base + 3]
local ran, reply = pcall(attempt, publish, lock, call, keep, channel)
replies[i] = ran and reply or failure(reply, lock)
end
return replies` as string,
} as const satisfies LuaScript;

/**
 * Takes what waits to be run of a job, whichever tick it is now: what has to be run again, what was asked for by hand, the newest
 * queued tick. Asked when the lock is free, when a dead run's lease is over, when the job's channel says so, and at an instance's start.
 * KEYS: lock, record, runs.
 * ARGV: holder, lease, gap, app, instance, onCrash, grace.
 * - `granted`: {1, store's time in ms, token, attempt, tick, rows} and, where the run was asked for by hand, the request's id and the instant until which it may begin
 * - `nothing`: {2, store's time, wait, mark, listen, rows} as tick/claim.lua has it
 * - `paused`: {8, store's time, wait, mark, listen, rows}
 * - `error`: {-1, message with its code in front, type of the key}
 * Repeating it is safe: a holder that was granted is granted the same again while it has the lock; what was taken waits no more
 */
export const tickAgain = {
  name: 'tick/again',
  sha1: '8e1378982478e74c5262c4546279f9e1942386c2',
  batch: false,
  keysPerOperation: 3,
  sharedArgs: 0,
  argsPerOperation: 7,
  text: `local function whole(number, least, most)
return number and number >= least and number <= most and number % 1 == 0
end
local function failure(problem, lock)
local message = type(problem) == 'table' and problem.err or tostring(problem)
message = string.match(message, '^@?user_script:%s*%d+:%s*%-?(.-)%s*$') or message
return {-1, message, redis.pcall('TYPE', lock).ok or 'unknown'}
end
local function mistyped(lock, record, runs)
for key, expected in pairs({[lock] = 'hash', [record] = 'hash', [runs] = 'list'}) do
local kind = redis.call('TYPE', key).ok
if kind ~= 'none' and kind ~= expected then
return {-1, 'WRONGTYPE ' .. key .. ' is not a ' .. expected, kind}
end
end
return nil
end
local function rowOf(text)
local ran, row = pcall(cjson.decode, text)
return ran and type(row) == 'table' and row or {}
end
local function addRow(record, runs, row)
local ran, entry = pcall(cjson.encode, row)
if not ran then
return nil
end
redis.call('LPUSH', runs, entry)
redis.call('LTRIM', runs, 0, 49)
if string.find(' completed failed crashed overlapped missed ', ' ' .. row.outcome .. ' ', 1, true) then
redis.pcall('HINCRBY', record, row.outcome, 1)
end
return entry
end
local function keepHanded(record, waiting)
if #waiting == 0 then
redis.call('HDEL', record, 'handed')
else
redis.call('HSET', record, 'handed', cjson.encode(waiting))
end
end
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
job.run = rowOf(field('run'))
job.held = redis.call('EXISTS', lock) == 1
job.paused = field('paused')
job.queued = tonumber(field('queued'))
job.request = rowOf(field('request'))
job.handed = rowOf(field('handed'))
local retry, died = asker.onCrash == 'retry', tonumber(job.run.tick)
local asked = job.run.request
local waits = asked and asked == job.request.id and job.at <= (tonumber(job.request['until']) or 0)
if retry and job.runner and not job.running and died and (waits or not asked) then
job.offer = {tick = died, attempt = (tonumber(job.run.attempt) or 1) + 1, request = waits and job.request or nil}
return job
end
for place, handed in ipairs(job.handed) do
if retry or job.at - handed.at < asker.grace then
job.offer = {tick = handed.tick, attempt = handed.attempt, place = place}
return job
end
end
return job
end
local function noteTick(job, tick, outcome, reason, after)
local row = {tick = tick, outcome = outcome, reason = reason, after = after, attempt = 0, start = job.at}
row.app, row.instance = job.asker.app, job.asker.instance
job.rows[#job.rows + 1] = addRow(job.record, job.runs, row)
end
local function closeDead(job, request)
if not job.runner or job.running then
return
end
local asked = job.run.request
if asked and asked == job.request.id and not (request and request.id == asked) then
redis.call('HDEL', job.record, 'request')
job.request = {}
end
job.run.request = nil
if job.run.tick then
job.run.outcome, job.run.reason = 'crashed', 'the lease ended before the run did'
job.rows[#job.rows + 1] = addRow(job.record, job.runs, job.run)
end
redis.call('HDEL', job.record, 'holder', 'run')
job.runner = nil
end
local function closeStale(job)
if #job.handed > 0 and not job.offer then
for _, handed in ipairs(job.handed) do
noteTick(job, handed.tick, 'missed', 'it was handed over, and no instance took it within the grace')
end
job.handed = {}
keepHanded(job.record, job.handed)
end
if job.queued and job.mark and job.queued < job.mark then
noteTick(job, job.queued, 'overlapped', 'a newer tick came before the lock was free')
redis.call('HDEL', job.record, 'queued')
job.queued = nil
end
end
local function answerJob(job, code)
local listen = job.request.id or not job.paused and (job.offer or job.queued)
local wait = (listen or job.asker.onCrash == 'retry' and job.runner) and redis.call('PTTL', job.lock) or 0
wait = listen and wait or math.min(wait, job.asker.lease)
return {code, job.at, wait == -2 and 0 or wait, job.mark or 0, listen and 1 or 0, job.rows}
end
local function answerGrant(job, token, attempt, tick, request)
local reply = {1, job.at, token, attempt, tick, job.rows}
if request then
reply[7], reply[8] = request.id, tonumber(request['until']) or 0
end
return reply
end
local function grantRun(job, tick, attempt, request)
local record, asker, time = job.record, job.asker, job.time
redis.call('HSETNX', record, 'v', '1')
local offer = job.offer
if offer and not offer.place and (tick ~= offer.tick or attempt ~= offer.attempt) then
table.insert(job.handed, {tick = offer.tick, attempt = offer.attempt, at = job.at})
keepHanded(record, job.handed)
end
closeDead(job, request)
redis.call('HSET', job.lock, asker.holder, 1)
redis.call('PEXPIRE', job.lock, asker.lease)
local last = tonumber(redis.call('HGET', record, 'token')) or 0
local token = string.format('%.0f', math.max(last + 1, time[1] * 1000000 + time[2]))
local run = {tick = tick, outcome = 'running', attempt = attempt, start = job.at, token = token}
run.app, run.instance = asker.app, asker.instance
if request then
run.requestedBy, run.request = request.by, request.id
end
redis.call('HSET', record, 'token', token, 'holder', asker.holder, 'run', cjson.encode(run))
return answerGrant(job, token, attempt, tick, request)
end
local function grantFirst(job)
local record, asker = job.record, job.asker
if job.running and job.runner == asker.holder then
if redis.call('PTTL', job.lock) < asker.lease then
redis.call('PEXPIRE', job.lock, asker.lease)
end
local attempt, tick = tonumber(job.run.attempt) or 1, tonumber(job.run.tick) or job.mark or 0
local asked = job.run.request
local request = asked and {id = asked, ['until'] = asked == job.request.id and job.request['until'] or 0}
return answerGrant(job, redis.call('HGET', record, 'token'), attempt, tick, request)
end
if not job.offer or job.paused and not job.offer.request then
return nil
end
if job.held then
return answerJob(job, 2)
end
if job.offer.place then
table.remove(job.handed, job.offer.place)
keepHanded(record, job.handed)
end
return grantRun(job, job.offer.tick, job.offer.attempt, job.offer.request)
end
local lock = KEYS[1]
local record = KEYS[2]
local runs = KEYS[3]
local holder = ARGV[1]
local lease = tonumber(ARGV[2])
local gap = ARGV[3]
local app = ARGV[4]
local instance = ARGV[5]
local onCrash = ARGV[6]
local grace = tonumber(ARGV[7])
local function attempt()
local problem = mistyped(lock, record, runs)
if problem then
return problem
end
if onCrash ~= 'skip' and onCrash ~= 'retry' or not whole(lease, 1, 315360000000) or not whole(grace, 0, 99999999999999) then
return {-1, 'ERR the policy is unknown, or the lease or the grace is out of range', 'none'}
end
local asker = {holder = holder, lease = lease, app = app, instance = instance, onCrash = onCrash, grace = grace}
local job = openJob(lock, record, runs, asker)
local first = grantFirst(job)
if not first then
if job.run.request then
closeDead(job)
end
local request = job.request.id
local inTime = request and job.at <= (tonumber(job.request['until']) or 0)
if request and inTime and not job.held then
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
end
if first[1] == 1 and gap ~= '' and not job.running and job.at > (job.mark or 0) then
redis.call('HSET', record, 'mark', string.format('%.0f', job.at))
end
return first
end
local ran, reply = pcall(attempt)
return ran and reply or failure(reply, lock)` as string,
} as const satisfies LuaScript;

/**
 * Notes that a run which was asked for by hand has begun: its request is served, and the job's channel says so.
 * KEYS: record.
 * ARGV: publish, channel, holder, request.
 * - `served`: {1, store's time in ms}
 * - `gone`: {0, store's time} the run is no longer the job's
 * - `error`: {-1, message with its code in front, type of the key}
 * Repeating it is safe: a request that is served stays served
 */
export const tickBegin = {
  name: 'tick/begin',
  sha1: '645eff60b8f066f92f4638cf45630fb67380ba15',
  batch: false,
  keysPerOperation: 1,
  sharedArgs: 0,
  argsPerOperation: 4,
  text: `local function failure(problem, lock)
local message = type(problem) == 'table' and problem.err or tostring(problem)
message = string.match(message, '^@?user_script:%s*%d+:%s*%-?(.-)%s*$') or message
return {-1, message, redis.pcall('TYPE', lock).ok or 'unknown'}
end
local function rowOf(text)
local ran, row = pcall(cjson.decode, text)
return ran and type(row) == 'table' and row or {}
end
local function tell(publish, channel, payload)
local reached = redis.pcall(publish, channel, payload)
return type(reached) == 'number' and reached or -1
end
local record = KEYS[1]
local publish = ARGV[1]
local channel = ARGV[2]
local holder = ARGV[3]
local request = ARGV[4]
local function attempt()
local kind = redis.call('TYPE', record).ok
if kind ~= 'none' and kind ~= 'hash' then
return {-1, 'WRONGTYPE ' .. record .. ' is not a hash', kind}
end
local time = redis.call('TIME')
local at = time[1] * 1000 + math.floor(time[2] / 1000)
local run = rowOf(redis.call('HGET', record, 'run'))
if redis.call('HGET', record, 'holder') ~= holder or run.request ~= request or #request == 0 then
return {redis.call('HGET', record, 'served') == request and 1 or 0, at}
end
if rowOf(redis.call('HGET', record, 'request')).id == request then
redis.call('HDEL', record, 'request')
end
run.request = nil
redis.call('HSET', record, 'served', request, 'run', cjson.encode(run))
tell(publish, channel, 'served:' .. request)
return {1, at}
end
local ran, reply = pcall(attempt)
return ran and reply or failure(reply, record)` as string,
} as const satisfies LuaScript;

/**
 * Claims a tick of a job and takes the job's lock, in one step. One instance of the fleet is granted; every other one is told why not.
 * The first matching row decides: granted before (a repeated call); what has to be run again (its run died and 'retry', or it was
 * handed over); early or stale; taken; paused; record lost; held; granted.
 * Every verdict but early, stale and taken moves the mark, so that all instances get the same one.
 * KEYS: lock, record, runs.
 * ARGV: holder, lease, mode, tick, following, previous, app, instance, onCrash, overlap, grace.
 * - `granted`: {1, store's time in ms, token, attempt, tick, rows} the tick may be an older one, that has to be run again; then what tick/again.lua adds may follow
 * - `taken`: {2, store's time, wait, mark, listen, rows} wait: ask again after so many ms (0: no reason to; -1: a lock without end); listen: 1 when something is to be run once the lock is free; rows: JSON, those that this call has added
 * - `overlapped`: {3, store's time, wait, mark, listen, rows}
 * - `missed`: {4, store's time, wait, mark, listen, rows}
 * - `early`: {5, store's time, wait, mark, listen, rows}
 * - `stale`: {6, store's time, wait, mark, listen, rows}
 * - `queued`: {7, store's time, wait, mark, listen, rows} it runs once the lock is free, unless a newer one comes first
 * - `paused`: {8, store's time, wait, mark, listen, rows}
 * - `error`: {-1, message with its code in front, type of the key}
 * Repeating it is safe: a holder that was granted is granted the same again while it has the lock; else the mark answers taken
 */
export const tickClaim = {
  name: 'tick/claim',
  sha1: '67a341c7f10dc7894a9001c4b9529a35e8517321',
  batch: false,
  keysPerOperation: 3,
  sharedArgs: 0,
  argsPerOperation: 11,
  text: `local function whole(number, least, most)
return number and number >= least and number <= most and number % 1 == 0
end
local function failure(problem, lock)
local message = type(problem) == 'table' and problem.err or tostring(problem)
message = string.match(message, '^@?user_script:%s*%d+:%s*%-?(.-)%s*$') or message
return {-1, message, redis.pcall('TYPE', lock).ok or 'unknown'}
end
local function mistyped(lock, record, runs)
for key, expected in pairs({[lock] = 'hash', [record] = 'hash', [runs] = 'list'}) do
local kind = redis.call('TYPE', key).ok
if kind ~= 'none' and kind ~= expected then
return {-1, 'WRONGTYPE ' .. key .. ' is not a ' .. expected, kind}
end
end
return nil
end
local function rowOf(text)
local ran, row = pcall(cjson.decode, text)
return ran and type(row) == 'table' and row or {}
end
local function addRow(record, runs, row)
local ran, entry = pcall(cjson.encode, row)
if not ran then
return nil
end
redis.call('LPUSH', runs, entry)
redis.call('LTRIM', runs, 0, 49)
if string.find(' completed failed crashed overlapped missed ', ' ' .. row.outcome .. ' ', 1, true) then
redis.pcall('HINCRBY', record, row.outcome, 1)
end
return entry
end
local function keepHanded(record, waiting)
if #waiting == 0 then
redis.call('HDEL', record, 'handed')
else
redis.call('HSET', record, 'handed', cjson.encode(waiting))
end
end
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
job.run = rowOf(field('run'))
job.held = redis.call('EXISTS', lock) == 1
job.paused = field('paused')
job.queued = tonumber(field('queued'))
job.request = rowOf(field('request'))
job.handed = rowOf(field('handed'))
local retry, died = asker.onCrash == 'retry', tonumber(job.run.tick)
local asked = job.run.request
local waits = asked and asked == job.request.id and job.at <= (tonumber(job.request['until']) or 0)
if retry and job.runner and not job.running and died and (waits or not asked) then
job.offer = {tick = died, attempt = (tonumber(job.run.attempt) or 1) + 1, request = waits and job.request or nil}
return job
end
for place, handed in ipairs(job.handed) do
if retry or job.at - handed.at < asker.grace then
job.offer = {tick = handed.tick, attempt = handed.attempt, place = place}
return job
end
end
return job
end
local function noteTick(job, tick, outcome, reason, after)
local row = {tick = tick, outcome = outcome, reason = reason, after = after, attempt = 0, start = job.at}
row.app, row.instance = job.asker.app, job.asker.instance
job.rows[#job.rows + 1] = addRow(job.record, job.runs, row)
end
local function closeDead(job, request)
if not job.runner or job.running then
return
end
local asked = job.run.request
if asked and asked == job.request.id and not (request and request.id == asked) then
redis.call('HDEL', job.record, 'request')
job.request = {}
end
job.run.request = nil
if job.run.tick then
job.run.outcome, job.run.reason = 'crashed', 'the lease ended before the run did'
job.rows[#job.rows + 1] = addRow(job.record, job.runs, job.run)
end
redis.call('HDEL', job.record, 'holder', 'run')
job.runner = nil
end
local function closeStale(job)
if #job.handed > 0 and not job.offer then
for _, handed in ipairs(job.handed) do
noteTick(job, handed.tick, 'missed', 'it was handed over, and no instance took it within the grace')
end
job.handed = {}
keepHanded(job.record, job.handed)
end
if job.queued and job.mark and job.queued < job.mark then
noteTick(job, job.queued, 'overlapped', 'a newer tick came before the lock was free')
redis.call('HDEL', job.record, 'queued')
job.queued = nil
end
end
local function answerJob(job, code)
local listen = job.request.id or not job.paused and (job.offer or job.queued)
local wait = (listen or job.asker.onCrash == 'retry' and job.runner) and redis.call('PTTL', job.lock) or 0
wait = listen and wait or math.min(wait, job.asker.lease)
return {code, job.at, wait == -2 and 0 or wait, job.mark or 0, listen and 1 or 0, job.rows}
end
local function answerGrant(job, token, attempt, tick, request)
local reply = {1, job.at, token, attempt, tick, job.rows}
if request then
reply[7], reply[8] = request.id, tonumber(request['until']) or 0
end
return reply
end
local function grantRun(job, tick, attempt, request)
local record, asker, time = job.record, job.asker, job.time
redis.call('HSETNX', record, 'v', '1')
local offer = job.offer
if offer and not offer.place and (tick ~= offer.tick or attempt ~= offer.attempt) then
table.insert(job.handed, {tick = offer.tick, attempt = offer.attempt, at = job.at})
keepHanded(record, job.handed)
end
closeDead(job, request)
redis.call('HSET', job.lock, asker.holder, 1)
redis.call('PEXPIRE', job.lock, asker.lease)
local last = tonumber(redis.call('HGET', record, 'token')) or 0
local token = string.format('%.0f', math.max(last + 1, time[1] * 1000000 + time[2]))
local run = {tick = tick, outcome = 'running', attempt = attempt, start = job.at, token = token}
run.app, run.instance = asker.app, asker.instance
if request then
run.requestedBy, run.request = request.by, request.id
end
redis.call('HSET', record, 'token', token, 'holder', asker.holder, 'run', cjson.encode(run))
return answerGrant(job, token, attempt, tick, request)
end
local function grantFirst(job)
local record, asker = job.record, job.asker
if job.running and job.runner == asker.holder then
if redis.call('PTTL', job.lock) < asker.lease then
redis.call('PEXPIRE', job.lock, asker.lease)
end
local attempt, tick = tonumber(job.run.attempt) or 1, tonumber(job.run.tick) or job.mark or 0
local asked = job.run.request
local request = asked and {id = asked, ['until'] = asked == job.request.id and job.request['until'] or 0}
return answerGrant(job, redis.call('HGET', record, 'token'), attempt, tick, request)
end
if not job.offer or job.paused and not job.offer.request then
return nil
end
if job.held then
return answerJob(job, 2)
end
if job.offer.place then
table.remove(job.handed, job.offer.place)
keepHanded(record, job.handed)
end
return grantRun(job, job.offer.tick, job.offer.attempt, job.offer.request)
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
local grace = tonumber(ARGV[11])
local LAST = 99999999999999
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
if not whole(lease, 1, 315360000000) or not whole(grace, 0, LAST)
or mode ~= 'cron' and mode ~= 'interval' and mode ~= 'instant' and mode ~= 'close'
or mode ~= 'interval' and not whole(tick, 0, LAST)
or following and not (following >= 0 and following <= LAST) or mode == 'interval' and not following
or previous and not whole(previous, 0, LAST) then
return {-1, 'ERR the mode is unknown, or the lease or an instant is out of range', 'none'}
end
local asker = {holder = holder, lease = lease, app = app, instance = instance, onCrash = onCrash, grace = grace}
local job = openJob(lock, record, runs, asker)
if mode == 'instant' then
job.offer = nil
end
local first = grantFirst(job)
if first then
if first[1] == 1 and mode == 'interval' and not job.running and job.at > (job.mark or 0) then
redis.call('HSET', record, 'mark', text(job.at))
end
return first
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
if mark and (tick <= mark or (mode == 'interval' and tick - mark < following)) then
return answerJob(job, 2)
end
redis.call('HSETNX', record, 'v', '1')
redis.call('HSET', record, 'mark', text(tick))
job.mark = tick
if job.paused then
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
noteTick(job, previous, 'missed', 'no instance claimed it', mark)
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
return ran and reply or failure(reply, lock)` as string,
} as const satisfies LuaScript;

/**
 * Ends a run and releases the job's lock, with its message like any unlock. Stores how it ended, or hands its tick over, so that
 * another instance runs it at once: the job's channel says so.
 * Refused when the run has lost its lease, whether or not another one has begun since. Of a run that the record has forgotten
 * the lock is released, and nothing is stored.
 * KEYS: lock, record, runs.
 * ARGV: publish, holder, token, count, lease, channel, jobs, outcome, reason.
 * - `released`: {1, store's time in ms, clients that PUBLISH reached (-1: publishing was refused; 0 when it was released before)}
 * - `kept`: {2, store's time}
 * - `refused`: {0, store's time}
 * - `error`: {-1, message with its code in front, type of the key}
 * Repeating it is safe: the row of the token shows that it has finished, and the count is only lowered
 */
export const tickFinish = {
  name: 'tick/finish',
  sha1: '8f8e849dafb4e4410d5ea27ae7521e4567d2457d',
  batch: false,
  keysPerOperation: 3,
  sharedArgs: 0,
  argsPerOperation: 9,
  text: `local function whole(number, least, most)
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
local function tellShorter(publish, channel)
tell(publish, channel, '1')
end
local function setLease(lock, lease, spare)
local left = redis.call('PTTL', lock)
if left > lease and left <= lease + spare then
lease = left
end
redis.call('PEXPIRE', lock, lease)
return left > lease or left == -1
end
local function mistyped(lock, record, runs)
for key, expected in pairs({[lock] = 'hash', [record] = 'hash', [runs] = 'list'}) do
local kind = redis.call('TYPE', key).ok
if kind ~= 'none' and kind ~= expected then
return {-1, 'WRONGTYPE ' .. key .. ' is not a ' .. expected, kind}
end
end
return nil
end
local function rowOf(text)
local ran, row = pcall(cjson.decode, text)
return ran and type(row) == 'table' and row or {}
end
local function addRow(record, runs, row)
local ran, entry = pcall(cjson.encode, row)
if not ran then
return nil
end
redis.call('LPUSH', runs, entry)
redis.call('LTRIM', runs, 0, 49)
if string.find(' completed failed crashed overlapped missed ', ' ' .. row.outcome .. ' ', 1, true) then
redis.pcall('HINCRBY', record, row.outcome, 1)
end
return entry
end
local function keepHanded(record, waiting)
if #waiting == 0 then
redis.call('HDEL', record, 'handed')
else
redis.call('HSET', record, 'handed', cjson.encode(waiting))
end
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
local jobs = ARGV[7]
local outcome = ARGV[8]
local reason = ARGV[9]
local ENDS = {completed = true, failed = true, ['handed-over'] = true}
local function finished()
for _, entry in ipairs(redis.call('LRANGE', runs, 0, 49)) do
if token ~= '' and string.find(entry, token, 1, true) then
local row = rowOf(entry)
if row.token == token then
return ENDS[row.outcome]
end
end
end
return false
end
local function attempt()
local problem = mistyped(lock, record, runs)
if problem then
return problem
end
if not whole(count, 0, 2147483647)
or count > 0 and not whole(lease, 1, 315360000000)
or not ENDS[outcome] and outcome ~= 'returned'
or #holder == 0 or #token == 0 and outcome ~= 'returned' then
return {-1, 'ERR the outcome is unknown, or the hold count or the lease is out of range', 'none'}
end
if #reason > 4000 then
reason = string.gsub(string.sub(reason, 1, 4000), '[\\192-\\255][\\128-\\191]*$', '')
end
local time = redis.call('TIME')
local at = time[1] * 1000 + math.floor(time[2] / 1000)
local held = tonumber(redis.call('HGET', lock, holder))
local fields = redis.call('HMGET', record, 'holder', 'token', 'run')
local handsOver = false
if held and fields[1] == holder and (fields[2] == token or token == '') then
local row = rowOf(fields[3])
local tick, number = tonumber(row.tick), tonumber(row.attempt) or 1
local asked = row.request
row.request = nil
redis.call('HDEL', record, 'holder', 'run')
if asked and outcome ~= 'returned' then
if rowOf(redis.call('HGET', record, 'request')).id == asked then
redis.call('HDEL', record, 'request')
end
tell(publish, jobs, 'served:' .. asked)
end
if outcome ~= 'returned' then
row.token, row.outcome, row['end'] = token, outcome, at
if reason ~= '' then
row.reason = reason
end
addRow(record, runs, row)
end
handsOver = tick and (outcome == 'returned' or outcome == 'handed-over')
if handsOver and not asked then
local handed = {tick = tick, attempt = outcome == 'returned' and number or number + 1}
handed.at = outcome == 'returned' and math.min(at, tick) or at
local waiting = rowOf(redis.call('HGET', record, 'handed'))
waiting[#waiting + 1] = handed
keepHanded(record, waiting)
end
elseif (not held or fields[1] == holder) and not finished() then
return {0, at}
end
if not held then
return {1, at, 0}
end
if count > 0 then
if held > count then
local isShorter = setLease(lock, lease, 0)
redis.call('HSET', lock, holder, count)
if isShorter then
tellShorter(publish, channel)
end
end
return {2, at}
end
redis.call('DEL', lock)
local reached = tell(publish, channel, '0')
if handsOver then
tell(publish, jobs, 'look')
end
return {1, at, reached}
end
local ran, reply = pcall(attempt)
return ran and reply or failure(reply, lock)` as string,
} as const satisfies LuaScript;

/**
 * Removes all that Redis has of a job but its lock.
 * KEYS: lock, record, runs.
 * ARGV: force.
 * - `done`: {1, store's time in ms, keys that were there}
 * - `running`: {0, store's time}
 * - `error`: {-1, message with its code in front, type of the key}
 * Repeating it is safe: what is gone stays gone
 */
export const tickForget = {
  name: 'tick/forget',
  sha1: '7046a77a884f6e800c3d4f3c89c81520241fe3ca',
  batch: false,
  keysPerOperation: 3,
  sharedArgs: 0,
  argsPerOperation: 1,
  text: `local function failure(problem, lock)
local message = type(problem) == 'table' and problem.err or tostring(problem)
message = string.match(message, '^@?user_script:%s*%d+:%s*%-?(.-)%s*$') or message
return {-1, message, redis.pcall('TYPE', lock).ok or 'unknown'}
end
local function mistyped(lock, record, runs)
for key, expected in pairs({[lock] = 'hash', [record] = 'hash', [runs] = 'list'}) do
local kind = redis.call('TYPE', key).ok
if kind ~= 'none' and kind ~= expected then
return {-1, 'WRONGTYPE ' .. key .. ' is not a ' .. expected, kind}
end
end
return nil
end
local lock = KEYS[1]
local record = KEYS[2]
local runs = KEYS[3]
local force = ARGV[1]
local function attempt()
local problem = mistyped(lock, record, runs)
if problem then
return problem
end
local time = redis.call('TIME')
local at = time[1] * 1000 + math.floor(time[2] / 1000)
local runner = redis.call('HGET', record, 'holder')
if force ~= 'force' and runner and redis.call('HEXISTS', lock, runner) == 1 then
return {0, at}
end
return {1, at, redis.call('DEL', record, runs)}
end
local ran, reply = pcall(attempt)
return ran and reply or failure(reply, lock)` as string,
} as const satisfies LuaScript;

/**
 * Reads a job: its rows, whether the run that they call running still has the lock, and its record. Writes nothing.
 * KEYS: lock, record, runs.
 * - `state`: {1, store's time in ms, 1 when the last run still has the lock else 0, the rows: the run under way, then the newest 50, the record's fields and values in turn}
 * - `error`: {-1, message with its code in front, type of the key}
 * Repeating it is safe: it only reads
 */
export const tickInspect = {
  name: 'tick/inspect',
  sha1: 'bbecd2b6910942ea0b088c730624a8b5378fb6bb',
  batch: false,
  keysPerOperation: 3,
  sharedArgs: 0,
  argsPerOperation: 0,
  text: `local function failure(problem, lock)
local message = type(problem) == 'table' and problem.err or tostring(problem)
message = string.match(message, '^@?user_script:%s*%d+:%s*%-?(.-)%s*$') or message
return {-1, message, redis.pcall('TYPE', lock).ok or 'unknown'}
end
local function mistyped(lock, record, runs)
for key, expected in pairs({[lock] = 'hash', [record] = 'hash', [runs] = 'list'}) do
local kind = redis.call('TYPE', key).ok
if kind ~= 'none' and kind ~= expected then
return {-1, 'WRONGTYPE ' .. key .. ' is not a ' .. expected, kind}
end
end
return nil
end
local lock = KEYS[1]
local record = KEYS[2]
local runs = KEYS[3]
local function attempt()
local problem = mistyped(lock, record, runs)
if problem then
return problem
end
local time = redis.call('TIME')
local at = time[1] * 1000 + math.floor(time[2] / 1000)
local fields = redis.call('HMGET', record, 'holder', 'run')
local running = fields[1] and redis.call('HEXISTS', lock, fields[1]) == 1
local rows = redis.call('LRANGE', runs, 0, 49)
if fields[2] then
table.insert(rows, 1, fields[2])
end
return {1, at, running and 1 or 0, rows, redis.call('HGETALL', record)}
end
local ran, reply = pcall(attempt)
return ran and reply or failure(reply, lock)` as string,
} as const satisfies LuaScript;

/**
 * Pauses a job, or lets it go on. While it is paused its mark moves on and nothing of it is run but what is asked for by hand;
 * one row stands for all the ticks that were passed over. Going on tells the instances to look for what waits.
 * KEYS: lock, record, runs.
 * ARGV: publish, channel, verb, app, instance.
 * - `done`: {1, store's time in ms}
 * - `idle`: {0, store's time} it was paused before, or was not
 * - `error`: {-1, message with its code in front, type of the key}
 * Repeating it is safe: a second time changes nothing
 */
export const tickPause = {
  name: 'tick/pause',
  sha1: '84362101e07a44c8a3e881d02183f7266ed5b5a4',
  batch: false,
  keysPerOperation: 3,
  sharedArgs: 0,
  argsPerOperation: 5,
  text: `local function failure(problem, lock)
local message = type(problem) == 'table' and problem.err or tostring(problem)
message = string.match(message, '^@?user_script:%s*%d+:%s*%-?(.-)%s*$') or message
return {-1, message, redis.pcall('TYPE', lock).ok or 'unknown'}
end
local function mistyped(lock, record, runs)
for key, expected in pairs({[lock] = 'hash', [record] = 'hash', [runs] = 'list'}) do
local kind = redis.call('TYPE', key).ok
if kind ~= 'none' and kind ~= expected then
return {-1, 'WRONGTYPE ' .. key .. ' is not a ' .. expected, kind}
end
end
return nil
end
local function rowOf(text)
local ran, row = pcall(cjson.decode, text)
return ran and type(row) == 'table' and row or {}
end
local function addRow(record, runs, row)
local ran, entry = pcall(cjson.encode, row)
if not ran then
return nil
end
redis.call('LPUSH', runs, entry)
redis.call('LTRIM', runs, 0, 49)
if string.find(' completed failed crashed overlapped missed ', ' ' .. row.outcome .. ' ', 1, true) then
redis.pcall('HINCRBY', record, row.outcome, 1)
end
return entry
end
local function tell(publish, channel, payload)
local reached = redis.pcall(publish, channel, payload)
return type(reached) == 'number' and reached or -1
end
local lock = KEYS[1]
local record = KEYS[2]
local runs = KEYS[3]
local publish = ARGV[1]
local channel = ARGV[2]
local verb = ARGV[3]
local app = ARGV[4]
local instance = ARGV[5]
local function attempt()
local problem = mistyped(lock, record, runs)
if problem then
return problem
end
if verb ~= 'pause' and verb ~= 'resume' then
return {-1, 'ERR unknown verb ' .. verb, 'none'}
end
local time = redis.call('TIME')
local at = time[1] * 1000 + math.floor(time[2] / 1000)
local paused = redis.call('HGET', record, 'paused')
if (paused and true or false) == (verb == 'pause') then
return {0, at}
end
local function note(tick, outcome, reason, after)
local row = {tick = tick, outcome = outcome, reason = reason, after = after, attempt = 0, start = at}
row.app, row.instance = app, instance
addRow(record, runs, row)
end
local mark = tonumber(redis.call('HGET', record, 'mark'))
if verb == 'pause' then
redis.call('HSETNX', record, 'v', '1')
redis.call('HSET', record, 'paused', cjson.encode({at = at, mark = mark, app = app, instance = instance}))
local queued = tonumber(redis.call('HGET', record, 'queued'))
if queued then
note(queued, 'overlapped', 'the job was paused before the lock was free')
redis.call('HDEL', record, 'queued')
end
return {1, at}
end
local from = tonumber(rowOf(paused).mark)
if mark and from and mark > from then
note(mark, 'paused', 'the job was paused', from)
end
redis.call('HDEL', record, 'paused')
tell(publish, channel, 'look')
return {1, at}
end
local ran, reply = pcall(attempt)
return ran and reply or failure(reply, lock)` as string,
} as const satisfies LuaScript;

/**
 * Makes a job known: sets its mark when it has none, so that ticks before its first registration are never run.
 * With an empty tick it only looks, and tells the store's time from which the tick is to be computed.
 * KEYS: record.
 * ARGV: tick, app, schedule.
 * - `registered`: {1, store's time in ms, mark or '', application before, schedule before}
 * - `error`: {-1, message with its code in front, type of the key}
 * Repeating it is safe: a mark that is there is never moved; a repeated call finds its own application and schedule as those before
 */
export const tickRegister = {
  name: 'tick/register',
  sha1: 'f2f312041bd0d912e78eedcc5298af1c07f91aec',
  batch: false,
  keysPerOperation: 1,
  sharedArgs: 0,
  argsPerOperation: 3,
  text: `local function failure(problem, lock)
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
return ran and reply or failure(reply, record)` as string,
} as const satisfies LuaScript;

/**
 * Asks the fleet to run a job once now, and tells its instances to look. A request that waits already is joined.
 * KEYS: record.
 * ARGV: publish, channel, id, patience, by.
 * - `asked`: {1, store's time in ms, id of the request in force, clients that PUBLISH reached (-1: publishing was refused)}
 * - `error`: {-1, message with its code in front, type of the key}
 * Repeating it is safe: a request that waits is joined; one that was served is not asked for again
 */
export const tickRequest = {
  name: 'tick/request',
  sha1: '3e2a4e62e9d52f28bf58c6d8e1e31e4073798f6c',
  batch: false,
  keysPerOperation: 1,
  sharedArgs: 0,
  argsPerOperation: 5,
  text: `local function whole(number, least, most)
return number and number >= least and number <= most and number % 1 == 0
end
local function failure(problem, lock)
local message = type(problem) == 'table' and problem.err or tostring(problem)
message = string.match(message, '^@?user_script:%s*%d+:%s*%-?(.-)%s*$') or message
return {-1, message, redis.pcall('TYPE', lock).ok or 'unknown'}
end
local function rowOf(text)
local ran, row = pcall(cjson.decode, text)
return ran and type(row) == 'table' and row or {}
end
local function tell(publish, channel, payload)
local reached = redis.pcall(publish, channel, payload)
return type(reached) == 'number' and reached or -1
end
local record = KEYS[1]
local publish = ARGV[1]
local channel = ARGV[2]
local id = ARGV[3]
local patience = tonumber(ARGV[4])
local by = ARGV[5]
local function attempt()
local kind = redis.call('TYPE', record).ok
if kind ~= 'none' and kind ~= 'hash' then
return {-1, 'WRONGTYPE ' .. record .. ' is not a hash', kind}
end
if #id == 0 or not whole(patience, 1, 315360000000) then
return {-1, 'ERR there is no id, or the patience is out of range', 'none'}
end
local time = redis.call('TIME')
local at = time[1] * 1000 + math.floor(time[2] / 1000)
if redis.call('HGET', record, 'served') == id then
return {1, at, id, 0}
end
local waiting = rowOf(redis.call('HGET', record, 'request'))
local last = tonumber(waiting['until']) or 0
if type(waiting.id) ~= 'string' or at > last then
waiting = {id = id, by = by}
end
waiting['until'] = math.max(last, at + patience)
redis.call('HSETNX', record, 'v', '1')
redis.call('HSET', record, 'request', cjson.encode(waiting))
return {1, at, waiting.id, tell(publish, channel, 'look')}
end
local ran, reply = pcall(attempt)
return ran and reply or failure(reply, record)` as string,
} as const satisfies LuaScript;

/**
 * Tells whether a request was served, which it is when its run has begun; one whose time is over is withdrawn, so that no instance serves it later.
 * KEYS: record.
 * ARGV: id.
 * - `served`: {1, store's time in ms}
 * - `gone`: {0, store's time} it was withdrawn, or is not there
 * - `waits`: {2, store's time, ms for which it waits on}
 * - `error`: {-1, message with its code in front, type of the key}
 * Repeating it is safe: what is withdrawn is gone
 */
export const tickWithdraw = {
  name: 'tick/withdraw',
  sha1: '8cea48d67f86cc626fa31772614fdb1a838f7205',
  batch: false,
  keysPerOperation: 1,
  sharedArgs: 0,
  argsPerOperation: 1,
  text: `local function failure(problem, lock)
local message = type(problem) == 'table' and problem.err or tostring(problem)
message = string.match(message, '^@?user_script:%s*%d+:%s*%-?(.-)%s*$') or message
return {-1, message, redis.pcall('TYPE', lock).ok or 'unknown'}
end
local function rowOf(text)
local ran, row = pcall(cjson.decode, text)
return ran and type(row) == 'table' and row or {}
end
local record = KEYS[1]
local id = ARGV[1]
local function attempt()
local kind = redis.call('TYPE', record).ok
if kind ~= 'none' and kind ~= 'hash' then
return {-1, 'WRONGTYPE ' .. record .. ' is not a hash', kind}
end
local time = redis.call('TIME')
local at = time[1] * 1000 + math.floor(time[2] / 1000)
if redis.call('HGET', record, 'served') == id then
return {1, at}
end
local waiting = rowOf(redis.call('HGET', record, 'request'))
if waiting.id ~= id then
return {0, at}
end
local left = (tonumber(waiting['until']) or 0) - at
if left <= 0 and rowOf(redis.call('HGET', record, 'run')).request == id then
left = left + 1000
end
if left > 0 then
return {2, at, math.ceil(left)}
end
redis.call('HDEL', record, 'request')
return {0, at}
end
local ran, reply = pcall(attempt)
return ran and reply or failure(reply, record)` as string,
} as const satisfies LuaScript;

/**
 * Takes the write side of a free read/write lock, or raises the count of a holder that writes already.
 * Wire format section 7, write acquire. A writer that will wait says so, which keeps new readers out (D15).
 * KEYS: lock, intent.
 * ARGV: holder, lease, count, sleep.
 * Derived keys: `<lock>:<holder>:rwlock_timeout:<n>` one string per read hold, with its lease; the lock in braces, unless it has one
 * - `granted`: {1, write holds}
 * - `busy`: {0, ttl in ms (-1: none), the writer or one reader} also for a reader that asks for the write side
 * - `lost`: {2} the count to reach is above 1 and the holder has nothing
 * - `error`: {-1, message with its code in front, type of the key} also for a hash that is another kind of lock
 * Repeating it is safe: the call names the count to reach, so a second run finds it reached and gives the lease afresh
 */
export const writeAcquire = {
  name: 'write/acquire',
  sha1: 'f2f6ba3472e498b3c228e2ea4cb4008238aca3e2',
  batch: true,
  keysPerOperation: 2,
  sharedArgs: 0,
  argsPerOperation: 4,
  text: `local function whole(number, least, most)
return number and number >= least and number <= most and number % 1 == 0
end
local function failure(problem, lock)
local message = type(problem) == 'table' and problem.err or tostring(problem)
message = string.match(message, '^@?user_script:%s*%d+:%s*%-?(.-)%s*$') or message
return {-1, message, redis.pcall('TYPE', lock).ok or 'unknown'}
end
local function rwMode(lock)
local mode = redis.call('HGET', lock, 'mode')
local writer = false
if mode == 'write' then
for _, field in ipairs(redis.call('HKEYS', lock)) do
if string.sub(field, -6) == ':write' and #field - 6 > #(writer or '') then
writer = string.sub(field, 1, -7)
end
end
elseif mode ~= 'read' and redis.call('EXISTS', lock) == 1 then
error({err = 'WRONGTYPE not a read/write lock'})
end
return mode, writer
end
local function writeCount(lock, holder, writer)
return writer == holder and tonumber(redis.call('HGET', lock, holder .. ':write')) or 0
end
local function readCount(lock, holder, mode, writer)
if mode == 'read' or writer == holder then
return tonumber(redis.call('HGET', lock, holder)) or 0
end
return 0
end
local function holdKey(lock, holder, n)
local base = string.find(lock, '{', 1, true) and lock or '{' .. lock .. '}'
return base .. ':' .. holder .. ':rwlock_timeout:' .. n
end
local function longestHold(lock, holder, count)
local longest = 0
for n = 1, count do
longest = math.max(longest, redis.call('PTTL', holdKey(lock, holder, n)))
end
return longest
end
local function longestRead(lock)
local longest = 0
local fields = redis.call('HGETALL', lock)
for at = 1, #fields, 2 do
longest = math.max(longest, longestHold(lock, fields[at], tonumber(fields[at + 1]) or 0))
end
return longest
end
local function raiseLease(lock, lease)
local left = redis.call('PTTL', lock)
if left == -1 then
lease = math.max(lease, longestRead(lock))
end
if left < lease then
redis.call('PEXPIRE', lock, lease)
left = lease
end
return left
end
local function rwHolder(lock, writer)
if writer then
return writer
end
for _, field in ipairs(redis.call('HRANDFIELD', lock, 2)) do
if field ~= 'mode' then
return field
end
end
return ''
end
local function attempt(lock, intent, holder, lease, count, sleep)
if not whole(lease, 1, 315360000000) or not whole(count, 1, 2147483647) or not whole(sleep, 0, 315360000000) then
error({err = 'ERR the lease, the hold count or the sleep is out of range'})
end
local mode, writer = rwMode(lock)
local held = writeCount(lock, holder, writer)
if held > 0 then
if held < count then
redis.call('HSET', lock, holder .. ':write', count)
held = count
end
raiseLease(lock, lease)
return {1, held}
end
if mode then
if sleep > 0 and readCount(lock, holder, mode, writer) == 0 then
redis.pcall('SET', intent, holder, 'PX', math.max(sleep, redis.call('PTTL', intent)))
end
return {0, redis.call('PTTL', lock), rwHolder(lock, writer)}
end
if count > 1 then
return {2}
end
redis.call('HSET', lock, 'mode', 'write', holder .. ':write', 1)
redis.call('PEXPIRE', lock, lease)
redis.pcall('DEL', intent)
return {1, 1}
end
local replies = {}
for i = 1, #KEYS / 2 do
local at = (i - 1) * 2
local base = (i - 1) * 4
local lock = KEYS[at + 1]
local intent = KEYS[at + 2]
local holder = ARGV[base + 1]
local lease = tonumber(ARGV[base + 2])
local count = tonumber(ARGV[base + 3])
local sleep = tonumber(ARGV[base + 4])
local ran, reply = pcall(attempt, lock, intent, holder, lease, count, sleep)
replies[i] = ran and reply or failure(reply, lock)
end
return replies` as string,
} as const satisfies LuaScript;

/**
 * Frees a lock that is being written, whoever writes, and wakes who waits; one that is only read is left alone.
 * Wire format section 7, force unlock. The writer's read holds and their keys go with it.
 * KEYS: lock.
 * ARGV, once: publish.
 * ARGV, per operation: channel.
 * Derived keys: `<lock>:<holder>:rwlock_timeout:<n>` one string per read hold, with its lease; the lock in braces, unless it has one
 * - `released`: {1, clients that PUBLISH reached (-1: publishing was refused)}
 * - `free`: {0} nobody writes
 * - `error`: {-1, message with its code in front, type of the key} also for a key that is no read/write lock, which is left alone
 * Repeating it is unsafe: a second run may free the lock of the next writer
 */
export const writeForceRelease = {
  name: 'write/force-release',
  sha1: 'b8beb5b112159a77278d42f66037f2ad1e8d47a9',
  batch: true,
  keysPerOperation: 1,
  sharedArgs: 1,
  argsPerOperation: 1,
  text: `local function failure(problem, lock)
local message = type(problem) == 'table' and problem.err or tostring(problem)
message = string.match(message, '^@?user_script:%s*%d+:%s*%-?(.-)%s*$') or message
return {-1, message, redis.pcall('TYPE', lock).ok or 'unknown'}
end
local function tell(publish, channel, payload)
local reached = redis.pcall(publish, channel, payload)
return type(reached) == 'number' and reached or -1
end
local function rwMode(lock)
local mode = redis.call('HGET', lock, 'mode')
local writer = false
if mode == 'write' then
for _, field in ipairs(redis.call('HKEYS', lock)) do
if string.sub(field, -6) == ':write' and #field - 6 > #(writer or '') then
writer = string.sub(field, 1, -7)
end
end
elseif mode ~= 'read' and redis.call('EXISTS', lock) == 1 then
error({err = 'WRONGTYPE not a read/write lock'})
end
return mode, writer
end
local function holdKey(lock, holder, n)
local base = string.find(lock, '{', 1, true) and lock or '{' .. lock .. '}'
return base .. ':' .. holder .. ':rwlock_timeout:' .. n
end
local function dropHolds(lock, holder, from, to)
for n = to, from, -1 do
redis.call('DEL', holdKey(lock, holder, n))
end
end
local function freeLock(lock)
local fields = redis.call('HGETALL', lock)
for at = 1, #fields, 2 do
dropHolds(lock, fields[at], 1, tonumber(fields[at + 1]) or 0)
end
redis.call('DEL', lock)
end
local function attempt(publish, lock, channel)
if rwMode(lock) ~= 'write' then
return {0}
end
freeLock(lock)
return {1, tell(publish, channel, '1')}
end
local replies = {}
local publish = ARGV[1]
for i = 1, #KEYS do
local base = i
local lock = KEYS[i]
local channel = ARGV[base + 1]
local ran, reply = pcall(attempt, publish, lock, channel)
replies[i] = ran and reply or failure(reply, lock)
end
return replies` as string,
} as const satisfies LuaScript;

/**
 * Reads the write side of a read/write lock: what is left of its lease, how often a given holder writes, and who writes. Writes nothing.
 * KEYS: lock.
 * ARGV: holder.
 * - `state`: {1, ttl in ms (-1: none, -2: free), the given holder's write holds, the writer or '', 1 while somebody writes or 0}
 * - `error`: {-1, message with its code in front, type of the key} also for a hash that is another kind of lock
 * Repeating it is safe: it only reads
 */
export const writeInspect = {
  name: 'write/inspect',
  sha1: 'dfbc9bbf096b79c859245c6a57e3fdd54464a403',
  batch: true,
  keysPerOperation: 1,
  sharedArgs: 0,
  argsPerOperation: 1,
  text: `local function failure(problem, lock)
local message = type(problem) == 'table' and problem.err or tostring(problem)
message = string.match(message, '^@?user_script:%s*%d+:%s*%-?(.-)%s*$') or message
return {-1, message, redis.pcall('TYPE', lock).ok or 'unknown'}
end
local function rwMode(lock)
local mode = redis.call('HGET', lock, 'mode')
local writer = false
if mode == 'write' then
for _, field in ipairs(redis.call('HKEYS', lock)) do
if string.sub(field, -6) == ':write' and #field - 6 > #(writer or '') then
writer = string.sub(field, 1, -7)
end
end
elseif mode ~= 'read' and redis.call('EXISTS', lock) == 1 then
error({err = 'WRONGTYPE not a read/write lock'})
end
return mode, writer
end
local function writeCount(lock, holder, writer)
return writer == holder and tonumber(redis.call('HGET', lock, holder .. ':write')) or 0
end
local function attempt(lock, holder)
local mode, writer = rwMode(lock)
local count = writeCount(lock, holder, writer)
return {1, redis.call('PTTL', lock), count, writer or '', mode == 'write' and 1 or 0}
end
local replies = {}
for i = 1, #KEYS do
local base = i - 1
local lock = KEYS[i]
local holder = ARGV[base + 1]
local ran, reply = pcall(attempt, lock, holder)
replies[i] = ran and reply or failure(reply, lock)
end
return replies` as string,
} as const satisfies LuaScript;

/**
 * Lowers a writer's count, frees the lock, or leaves it to the writer's own read holds, and wakes all who wait.
 * Wire format section 7, write unlock; who reads on is no news in Java (D7). A writer that gives up waiting lets the readers in.
 * Where write holds stay, a lease that becomes shorter is told.
 * KEYS: lock, intent.
 * ARGV, once: publish.
 * ARGV, per operation: holder, count, lease, channel.
 * Derived keys: `<lock>:<holder>:rwlock_timeout:<n>` one string per read hold, with its lease; the lock in braces, unless it has one
 * - `released`: {1, clients that PUBLISH reached (-1: publishing was refused)}
 * - `kept`: {2, write holds}
 * - `gone`: {0} the holder does not write; its intent, if any, is taken back
 * - `error`: {-1, message with its code in front, type of the key} also for a hash that is another kind of lock
 * Repeating it is safe: it only lowers a count and never creates a field
 */
export const writeRelease = {
  name: 'write/release',
  sha1: '74c03fc8b26aa1db7b740df06cab7586512b6866',
  batch: true,
  keysPerOperation: 2,
  sharedArgs: 1,
  argsPerOperation: 4,
  text: `local function whole(number, least, most)
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
local function tellShorter(publish, channel)
tell(publish, channel, '1')
end
local function setLease(lock, lease, spare)
local left = redis.call('PTTL', lock)
if left > lease and left <= lease + spare then
lease = left
end
redis.call('PEXPIRE', lock, lease)
return left > lease or left == -1
end
local function rwMode(lock)
local mode = redis.call('HGET', lock, 'mode')
local writer = false
if mode == 'write' then
for _, field in ipairs(redis.call('HKEYS', lock)) do
if string.sub(field, -6) == ':write' and #field - 6 > #(writer or '') then
writer = string.sub(field, 1, -7)
end
end
elseif mode ~= 'read' and redis.call('EXISTS', lock) == 1 then
error({err = 'WRONGTYPE not a read/write lock'})
end
return mode, writer
end
local function writeCount(lock, holder, writer)
return writer == holder and tonumber(redis.call('HGET', lock, holder .. ':write')) or 0
end
local function holdKey(lock, holder, n)
local base = string.find(lock, '{', 1, true) and lock or '{' .. lock .. '}'
return base .. ':' .. holder .. ':rwlock_timeout:' .. n
end
local function longestHold(lock, holder, count)
local longest = 0
for n = 1, count do
longest = math.max(longest, redis.call('PTTL', holdKey(lock, holder, n)))
end
return longest
end
local function longestRead(lock)
local longest = 0
local fields = redis.call('HGETALL', lock)
for at = 1, #fields, 2 do
longest = math.max(longest, longestHold(lock, fields[at], tonumber(fields[at + 1]) or 0))
end
return longest
end
local SPARE = 50
local function attempt(publish, lock, intent, holder, count, lease, channel)
if not whole(count, 0, 2147483647) or not (count == 0 or whole(lease, 1, 315360000000)) then
error({err = 'ERR the hold count or the lease is out of range'})
end
local mode, writer = rwMode(lock)
local held = writeCount(lock, holder, writer)
if held == 0 then
local waited = count == 0 and redis.pcall('GET', intent) == holder
if waited then
redis.call('DEL', intent)
end
if not mode or (waited and mode == 'read') then
tell(publish, channel, '1')
end
return {0}
end
if count > 0 then
if held > count then
local isShorter = setLease(lock, math.max(lease, longestRead(lock)), SPARE)
redis.call('HSET', lock, holder .. ':write', count)
held = count
if isShorter then
tellShorter(publish, channel)
end
end
return {2, held}
end
redis.call('HDEL', lock, holder .. ':write')
local left = longestRead(lock)
if left == 0 then
redis.call('DEL', lock)
else
redis.call('HSET', lock, 'mode', 'read')
redis.call('PEXPIRE', lock, left)
end
redis.pcall('DEL', intent)
return {1, tell(publish, channel, '1')}
end
local replies = {}
local publish = ARGV[1]
for i = 1, #KEYS / 2 do
local at = (i - 1) * 2
local base = (i - 1) * 4 + 1
local lock = KEYS[at + 1]
local intent = KEYS[at + 2]
local holder = ARGV[base + 1]
local count = tonumber(ARGV[base + 2])
local lease = tonumber(ARGV[base + 3])
local channel = ARGV[base + 4]
local ran, reply = pcall(attempt, publish, lock, intent, holder, count, lease, channel)
replies[i] = ran and reply or failure(reply, lock)
end
return replies` as string,
} as const satisfies LuaScript;

/**
 * Keeps write leases alive: each only while its holder still writes, and never to a shorter time than is left (D17, D19).
 * With a lease of 0 it only looks.
 * KEYS: lock.
 * ARGV: holder, lease.
 * Derived keys: `<lock>:<holder>:rwlock_timeout:<n>` one string per read hold, with its lease; the lock in braces, unless it has one
 * - `alive`: {1, ttl in ms (-1: none)}
 * - `gone`: {0} the holder does not write; nothing was changed
 * - `error`: {-1, message with its code in front, type of the key} also for a hash that is another kind of lock
 * Repeating it is safe: it only raises the ttl of a hold that still exists
 */
export const writeRenew = {
  name: 'write/renew',
  sha1: '84c7fff9c29c0ae40df7fe62b05e8f439125e0eb',
  batch: true,
  keysPerOperation: 1,
  sharedArgs: 0,
  argsPerOperation: 2,
  text: `local function whole(number, least, most)
return number and number >= least and number <= most and number % 1 == 0
end
local function failure(problem, lock)
local message = type(problem) == 'table' and problem.err or tostring(problem)
message = string.match(message, '^@?user_script:%s*%d+:%s*%-?(.-)%s*$') or message
return {-1, message, redis.pcall('TYPE', lock).ok or 'unknown'}
end
local function rwMode(lock)
local mode = redis.call('HGET', lock, 'mode')
local writer = false
if mode == 'write' then
for _, field in ipairs(redis.call('HKEYS', lock)) do
if string.sub(field, -6) == ':write' and #field - 6 > #(writer or '') then
writer = string.sub(field, 1, -7)
end
end
elseif mode ~= 'read' and redis.call('EXISTS', lock) == 1 then
error({err = 'WRONGTYPE not a read/write lock'})
end
return mode, writer
end
local function writeCount(lock, holder, writer)
return writer == holder and tonumber(redis.call('HGET', lock, holder .. ':write')) or 0
end
local function holdKey(lock, holder, n)
local base = string.find(lock, '{', 1, true) and lock or '{' .. lock .. '}'
return base .. ':' .. holder .. ':rwlock_timeout:' .. n
end
local function longestHold(lock, holder, count)
local longest = 0
for n = 1, count do
longest = math.max(longest, redis.call('PTTL', holdKey(lock, holder, n)))
end
return longest
end
local function longestRead(lock)
local longest = 0
local fields = redis.call('HGETALL', lock)
for at = 1, #fields, 2 do
longest = math.max(longest, longestHold(lock, fields[at], tonumber(fields[at + 1]) or 0))
end
return longest
end
local function raiseLease(lock, lease)
local left = redis.call('PTTL', lock)
if left == -1 then
lease = math.max(lease, longestRead(lock))
end
if left < lease then
redis.call('PEXPIRE', lock, lease)
left = lease
end
return left
end
local function attempt(lock, holder, lease)
if not whole(lease, 0, 315360000000) then
error({err = 'ERR the lease is out of range'})
end
local _, writer = rwMode(lock)
if writeCount(lock, holder, writer) == 0 then
return {0}
end
redis.call('HDEL', lock, '')
return {1, lease > 0 and raiseLease(lock, lease) or redis.call('PTTL', lock)}
end
local replies = {}
for i = 1, #KEYS do
local base = (i - 1) * 2
local lock = KEYS[i]
local holder = ARGV[base + 1]
local lease = tonumber(ARGV[base + 2])
local ran, reply = pcall(attempt, lock, holder, lease)
replies[i] = ran and reply or failure(reply, lock)
end
return replies` as string,
} as const satisfies LuaScript;

/**
 * Lets a writer pass whose fencing token is not older than the newest one that passed at this key, and stores the token there.
 * Answers 1, or 0 when a newer one has passed. Tokens are compared as decimal text: numbers are exact up to 2^53 only.
 */
export const fencePart = `local function fence(key, token)
local function check(text)
if type(text) ~= 'string' or text ~= '0' and not string.match(text, '^[1-9]%d*$') then
error('ERR a fencing token is a whole number as decimal text, and so is what a fence has: ' .. key, 0)
end
end
check(token)
local newest = redis.call('GET', key)
if newest then
check(newest)
if #token < #newest or #token == #newest and token < newest then
return 0
end
end
redis.call('SET', key, token)
return 1
end` as string;
