// Generated from lua/ by "npm run build:lua"; change the scripts there.
import type { LuaScript } from '../lua.script.js';

/**
 * Takes a free lock, or raises the count of a holder that has it already.
 * Wire format section 2, with D28 avoided: a re-entry never shortens the lease.
 * KEYS: lock.
 * ARGV: holder, lease, count.
 * - `granted`: {1, hold count}
 * - `busy`: {0, ttl in ms (-1: none), one holder}
 * - `lost`: {2} the count to reach is above 1 and the holder has nothing
 * - `error`: {-1, message with its code in front, type of the key}
 * Repeating it is safe: the call names the count to reach, so a second run finds it reached and gives the lease afresh
 */
export const reentrantAcquire = {
  name: 'reentrant/acquire',
  sha1: '90c69ba3faea17098127c8e5d6ffec0bd45c9739',
  batch: true,
  keysPerOperation: 1,
  sharedArgs: 0,
  argsPerOperation: 3,
  text: `local function whole(number, least, most)
return number and number >= least and number <= most and number % 1 == 0
end
local function attempt(lock, holder, lease, count)
if not whole(lease, 1, 315360000000) or not whole(count, 1, 2147483647) then
error({err = 'ERR the lease or the hold count is out of range'})
end
local held = tonumber(redis.call('HGET', lock, holder))
if held == nil then
if redis.call('EXISTS', lock) == 1 then
return {0, redis.call('PTTL', lock), redis.call('HRANDFIELD', lock)}
end
if count > 1 then
return {2}
end
redis.call('HSET', lock, holder, 1)
redis.call('PEXPIRE', lock, lease)
return {1, 1}
end
if held < count then
redis.call('HSET', lock, holder, count)
held = count
end
if redis.call('PTTL', lock) < lease then
redis.call('PEXPIRE', lock, lease)
end
return {1, held}
end
local function failure(problem, lock)
local message = type(problem) == 'table' and problem.err or tostring(problem)
message = string.match(message, '^@?user_script:%s*%d+:%s*%-?(.-)%s*$') or message
return {-1, message, redis.pcall('TYPE', lock).ok or 'unknown'}
end
local replies = {}
for i = 1, #KEYS do
local base = (i - 1) * 3
local lock = KEYS[i]
local holder = ARGV[base + 1]
local lease = tonumber(ARGV[base + 2])
local count = tonumber(ARGV[base + 3])
local ran, reply = pcall(attempt, lock, holder, lease, count)
replies[i] = ran and reply or failure(reply, lock)
end
return replies` as string,
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
  sha1: 'daeb99241660f1d89e490f3b54a74087dcf72d4c',
  batch: true,
  keysPerOperation: 1,
  sharedArgs: 1,
  argsPerOperation: 1,
  text: `local function attempt(publish, lock, channel)
local kind = redis.call('TYPE', lock).ok
if kind == 'none' then
return {0}
end
if kind ~= 'hash' then
error({err = 'WRONGTYPE not a lock'})
end
redis.call('DEL', lock)
local reached = redis.pcall(publish, channel, '0')
return {1, type(reached) == 'number' and reached or -1}
end
local function failure(problem, lock)
local message = type(problem) == 'table' and problem.err or tostring(problem)
message = string.match(message, '^@?user_script:%s*%d+:%s*%-?(.-)%s*$') or message
return {-1, message, redis.pcall('TYPE', lock).ok or 'unknown'}
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
  sha1: '9bd263510eee7886da7fbfb0a273d8d9762b20b2',
  batch: true,
  keysPerOperation: 1,
  sharedArgs: 0,
  argsPerOperation: 1,
  text: `local function attempt(lock, holder)
local count = tonumber(redis.call('HGET', lock, holder)) or 0
return {1, redis.call('PTTL', lock), count, redis.call('HRANDFIELD', lock) or ''}
end
local function failure(problem, lock)
local message = type(problem) == 'table' and problem.err or tostring(problem)
message = string.match(message, '^@?user_script:%s*%d+:%s*%-?(.-)%s*$') or message
return {-1, message, redis.pcall('TYPE', lock).ok or 'unknown'}
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
 * KEYS: lock.
 * ARGV, once: publish.
 * ARGV, per operation: holder, count, lease, channel.
 * - `released`: {1, clients that PUBLISH reached (-1: publishing was refused)}
 * - `kept`: {2, hold count}
 * - `gone`: {0} the holder has nothing; nothing was changed
 * - `error`: {-1, message with its code in front, type of the key}
 * Repeating it is safe: it only lowers a count and never creates a field
 */
export const reentrantRelease = {
  name: 'reentrant/release',
  sha1: '2ec61847b62f3b7619e7905b5305b963c3313e05',
  batch: true,
  keysPerOperation: 1,
  sharedArgs: 1,
  argsPerOperation: 4,
  text: `local function whole(number, least, most)
return number and number >= least and number <= most and number % 1 == 0
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
redis.call('PEXPIRE', lock, lease)
redis.call('HSET', lock, holder, count)
held = count
end
return {2, held}
end
redis.call('DEL', lock)
local reached = redis.pcall(publish, channel, '0')
return {1, type(reached) == 'number' and reached or -1}
end
local function failure(problem, lock)
local message = type(problem) == 'table' and problem.err or tostring(problem)
message = string.match(message, '^@?user_script:%s*%d+:%s*%-?(.-)%s*$') or message
return {-1, message, redis.pcall('TYPE', lock).ok or 'unknown'}
end
local replies = {}
local publish = ARGV[1]
for i = 1, #KEYS do
local base = (i - 1) * 4 + 1
local lock = KEYS[i]
local holder = ARGV[base + 1]
local count = tonumber(ARGV[base + 2])
local lease = tonumber(ARGV[base + 3])
local channel = ARGV[base + 4]
local ran, reply = pcall(attempt, publish, lock, holder, count, lease, channel)
replies[i] = ran and reply or failure(reply, lock)
end
return replies` as string,
} as const satisfies LuaScript;

/**
 * Hands a lock from one holder of this process to its next one in a single step, without a message:
 * for other clients the lock was held throughout, by a new holder at the end.
 * KEYS: lock.
 * ARGV: from, to, lease.
 * - `transferred`: {1} also when a repeated call finds it done
 * - `granted`: {2} the giver had lost the lock, it was free, the taker has it
 * - `busy`: {0, ttl in ms (-1: none), one holder} the giver had lost the lock to somebody else
 * - `error`: {-1, message with its code in front, type of the key}
 * Repeating it is safe: holder ids are never used twice, so the taker's field proves that it was done; its lease is given afresh
 */
export const reentrantTransfer = {
  name: 'reentrant/transfer',
  sha1: 'a3a5a9cd5095cc61a124d630ba6655bfeacb70be',
  batch: true,
  keysPerOperation: 1,
  sharedArgs: 0,
  argsPerOperation: 3,
  text: `local function whole(number, least, most)
return number and number >= least and number <= most and number % 1 == 0
end
local function attempt(lock, from, to, lease)
if not whole(lease, 1, 315360000000) or from == to then
error({err = 'ERR the lease is out of range, or giver and taker are the same'})
end
if redis.call('HEXISTS', lock, from) == 1 then
redis.call('PEXPIRE', lock, lease)
redis.call('HSET', lock, to, 1)
redis.call('HDEL', lock, from)
return {1}
end
if redis.call('HEXISTS', lock, to) == 1 then
if redis.call('PTTL', lock) < lease then
redis.call('PEXPIRE', lock, lease)
end
return {1}
end
if redis.call('EXISTS', lock) == 1 then
return {0, redis.call('PTTL', lock), redis.call('HRANDFIELD', lock)}
end
redis.call('HSET', lock, to, 1)
redis.call('PEXPIRE', lock, lease)
return {2}
end
local function failure(problem, lock)
local message = type(problem) == 'table' and problem.err or tostring(problem)
message = string.match(message, '^@?user_script:%s*%d+:%s*%-?(.-)%s*$') or message
return {-1, message, redis.pcall('TYPE', lock).ok or 'unknown'}
end
local replies = {}
for i = 1, #KEYS do
local base = (i - 1) * 3
local lock = KEYS[i]
local from = ARGV[base + 1]
local to = ARGV[base + 2]
local lease = tonumber(ARGV[base + 3])
local ran, reply = pcall(attempt, lock, from, to, lease)
replies[i] = ran and reply or failure(reply, lock)
end
return replies` as string,
} as const satisfies LuaScript;

/**
 * Keeps leases alive: each only while its holder still has the lock, and never to a shorter time than is left (D17, D19).
 * With a lease of 0 it only looks.
 * KEYS: lock.
 * ARGV: holder, lease.
 * - `alive`: {1, ttl in ms (-1: none)}
 * - `gone`: {0} the holder has nothing; nothing was changed
 * - `error`: {-1, message with its code in front, type of the key}
 * Repeating it is safe: it only raises the ttl of a hold that still exists
 */
export const renewalRenew = {
  name: 'renewal/renew',
  sha1: 'ea65bf198edd99ea3b35a05968f4d7114d42aba2',
  batch: true,
  keysPerOperation: 1,
  sharedArgs: 0,
  argsPerOperation: 2,
  text: `local function whole(number, least, most)
return number and number >= least and number <= most and number % 1 == 0
end
local function attempt(lock, holder, lease)
if not whole(lease, 0, 315360000000) then
error({err = 'ERR the lease is out of range'})
end
if redis.call('HEXISTS', lock, holder) == 0 then
return {0}
end
local left = redis.call('PTTL', lock)
if lease > 0 and left < lease then
redis.call('PEXPIRE', lock, lease)
left = lease
end
return {1, left}
end
local function failure(problem, lock)
local message = type(problem) == 'table' and problem.err or tostring(problem)
message = string.match(message, '^@?user_script:%s*%d+:%s*%-?(.-)%s*$') or message
return {-1, message, redis.pcall('TYPE', lock).ok or 'unknown'}
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
 * Claims a tick of a job and takes the job's lock, in one step. One instance of the fleet is granted; every other one is told why not.
 * The first matching row decides: granted before (a repeated call), early or stale, taken, record lost, held, granted.
 * Every verdict but early, stale and taken moves the mark, so that all instances get the same one.
 * KEYS: lock, record, runs.
 * ARGV: holder, lease, mode, tick, following, previous, app, instance, onCrash, overlap.
 * - `granted`: {1, store's time in ms, token, attempt, tick}
 * - `taken`: {2, store's time, what is left of the run's lease in ms or 0, mark} a mark ahead of the store's time: its clock stepped back
 * - `overlapped`: {3, store's time, ttl of the lock in ms}
 * - `missed`: {4, store's time}
 * - `early`: {5, store's time}
 * - `stale`: {6, store's time}
 * - `error`: {-1, message with its code in front, type of the key}
 * Repeating it is safe: a holder that was granted is granted the same again while it has the lock; else the mark answers taken
 */
export const tickClaim = {
  name: 'tick/claim',
  sha1: 'eec9b15929616edacbf3f640cfece1f93dc4a46a',
  batch: false,
  keysPerOperation: 3,
  sharedArgs: 0,
  argsPerOperation: 10,
  text: `local lock = KEYS[1]
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
local function whole(number, least, most)
return number and number >= least and number <= most and number % 1 == 0
end
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
local function failure(problem)
local message = type(problem) == 'table' and problem.err or tostring(problem)
message = string.match(message, '^@?user_script:%s*%d+:%s*%-?(.-)%s*$') or message
return {-1, message, 'unknown'}
end
local ran, reply = pcall(attempt)
return ran and reply or failure(reply)` as string,
} as const satisfies LuaScript;

/**
 * Stores how a run ended and releases the job's lock, with its message like any unlock.
 * Refused when the run has lost its lease, whether or not another one has begun since.
 * KEYS: lock, record, runs.
 * ARGV: publish, holder, token, count, lease, channel, outcome, reason.
 * - `released`: {1, store's time in ms, clients that PUBLISH reached (-1: publishing was refused; 0 when it was released before)}
 * - `kept`: {2, store's time}
 * - `refused`: {0, store's time}
 * - `error`: {-1, message with its code in front, type of the key}
 * Repeating it is safe: the row of the token shows that it has finished, and the count is only lowered
 */
export const tickFinish = {
  name: 'tick/finish',
  sha1: '55e99f0a526b3bf3db42ce31c5851cc881bc8ee4',
  batch: false,
  keysPerOperation: 3,
  sharedArgs: 0,
  argsPerOperation: 8,
  text: `local lock = KEYS[1]
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
local function whole(number, least, most)
return number and number >= least and number <= most and number % 1 == 0
end
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
reason = string.gsub(string.sub(reason, 1, 4000), '[\\192-\\255][\\128-\\191]*$', '')
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
local reached = redis.pcall(publish, channel, '0')
return {1, at, type(reached) == 'number' and reached or -1}
end
local function failure(problem)
local message = type(problem) == 'table' and problem.err or tostring(problem)
message = string.match(message, '^@?user_script:%s*%d+:%s*%-?(.-)%s*$') or message
return {-1, message, 'unknown'}
end
local ran, reply = pcall(attempt)
return ran and reply or failure(reply)` as string,
} as const satisfies LuaScript;

/**
 * Reads a job's record: its rows, and whether the run that they call running still has the lock. Writes nothing.
 * KEYS: lock, record, runs.
 * - `state`: {1, store's time in ms, 1 when the last run still has the lock else 0, the rows: the run under way, then the newest 50}
 * - `error`: {-1, message with its code in front, type of the key}
 * Repeating it is safe: it only reads
 */
export const tickInspect = {
  name: 'tick/inspect',
  sha1: '90bde3f9b4670040670ebf8fceeb577b3898c098',
  batch: false,
  keysPerOperation: 3,
  sharedArgs: 0,
  argsPerOperation: 0,
  text: `local lock = KEYS[1]
local record = KEYS[2]
local runs = KEYS[3]
local function attempt()
for key, expected in pairs({[lock] = 'hash', [record] = 'hash', [runs] = 'list'}) do
local kind = redis.call('TYPE', key).ok
if kind ~= 'none' and kind ~= expected then
return {-1, 'WRONGTYPE ' .. key .. ' is not a ' .. expected, kind}
end
end
local time = redis.call('TIME')
local at = time[1] * 1000 + math.floor(time[2] / 1000)
local fields = redis.call('HMGET', record, 'holder', 'run')
local running = fields[1] and redis.call('HEXISTS', lock, fields[1]) == 1
local rows = redis.call('LRANGE', runs, 0, 49)
if fields[2] then
table.insert(rows, 1, fields[2])
end
return {1, at, running and 1 or 0, rows}
end
local function failure(problem)
local message = type(problem) == 'table' and problem.err or tostring(problem)
message = string.match(message, '^@?user_script:%s*%d+:%s*%-?(.-)%s*$') or message
return {-1, message, 'unknown'}
end
local ran, reply = pcall(attempt)
return ran and reply or failure(reply)` as string,
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
  sha1: '1277f1cc00b0e95ed12a2a0eb2aebca8649d04ab',
  batch: false,
  keysPerOperation: 1,
  sharedArgs: 0,
  argsPerOperation: 3,
  text: `local record = KEYS[1]
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
local function failure(problem)
local message = type(problem) == 'table' and problem.err or tostring(problem)
message = string.match(message, '^@?user_script:%s*%d+:%s*%-?(.-)%s*$') or message
return {-1, message, 'unknown'}
end
local ran, reply = pcall(attempt)
return ran and reply or failure(reply)` as string,
} as const satisfies LuaScript;
