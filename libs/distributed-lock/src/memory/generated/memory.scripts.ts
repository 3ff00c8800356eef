// Generated from lua/ by "npm run build:lua"; change the scripts there.
import type { Library } from '../../lua-runtime/lua.library.js';
import * as L from '../../lua-runtime/lua.operations.js';
import type { LuaTable, Value } from '../../lua-runtime/lua.values.js';

/** What the scripts ask the store for. */
export type Command =
  'DECR' | 'DECRBY' | 'DEL' | 'EXISTS' | 'GET' | 'HDEL' | 'HEXISTS' | 'HGET' | 'HGETALL' | 'HINCRBY' | 'HKEYS' | 'HLEN' | 'HMGET' | 'HRANDFIELD' | 'HSET' | 'HSETNX' | 'INCR' | 'INCRBY' | 'LINDEX' | 'LLEN' | 'LPOS' | 'LPUSH' | 'LRANGE' | 'LREM' | 'LTRIM' | 'PEXPIRE' | 'PEXPIREAT' | 'PTTL' | 'PUBLISH' | 'PUBSUB' | 'RPUSH' | 'SET' | 'SPUBLISH' | 'TIME' | 'TYPE' | 'ZADD' | 'ZCARD' | 'ZRANGE' | 'ZRANGEBYSCORE' | 'ZREM' | 'ZREMRANGEBYSCORE' | 'ZSCORE';

/** A script: what it returns for its keys and arguments. */
export type CompiledScript = (KEYS: LuaTable, ARGV: LuaTable) => Value[];

/** The scripts by their SHA-1, on one library. */
export function compileScripts(G: Library): Readonly<Record<string, CompiledScript>> {
const addRow = (record?: Value, runs?: Value, row?: Value): Value[] => {
let [ran, entry]: Value[] = [...G['pcall'](G['cjson.encode'], row)];
if (!L.isTrue(ran)) {
return [undefined];
}
G['redis.call']('LPUSH', runs, entry);
G['redis.call']('LTRIM', runs, 0, 49);
if (L.isTrue(L.first(L.findPlain(' completed failed crashed overlapped missed ', L.concat(' ', L.concat(L.get(row, 'outcome'), ' ')))))) {
G['redis.pcall']('HINCRBY', record, L.get(row, 'outcome'), 1);
}
return [entry];
};
const amount = (key?: Value): Value[] => {
let value: Value = L.first(G['redis.call']('GET', key));
if (!L.isTrue(value)) {
return [undefined];
}
if ((!L.isTrue(L.first(L.match(value, /^[\x2d]?[0-9]+$/))) || !L.isTrue(L.first(L.call(whole, L.first(G['tonumber'](value)), L.negate(9007199254740991), 9007199254740991))))) {
G['error'](L.table([], [['err', 'ERR the value of the key is not an integer, or out of range']]));
}
return G['tonumber'](value);
};
const answerGrant = (job?: Value, token?: Value, attempt?: Value, tick?: Value, request?: Value): Value[] => {
let reply: Value = L.table([1, L.get(job, 'at'), token, attempt, tick, L.get(job, 'rows')]);
if (L.isTrue(request)) {
const $1: Value[] = [L.get(request, 'id'), L.or(L.first(G['tonumber'](L.get(request, 'until'))), () => 0)];
L.set(reply, 7, $1[0]);
L.set(reply, 8, $1[1]);
}
return [reply];
};
const answerJob = (job?: Value, code?: Value): Value[] => {
let listen: Value = L.or(L.get(L.get(job, 'request'), 'id'), () => L.and(!L.isTrue(L.get(job, 'paused')), () => L.or(L.get(job, 'offer'), () => L.get(job, 'queued'))));
let wait: Value = L.or(L.and(L.or(listen, () => L.and(L.equal(L.get(L.get(job, 'asker'), 'onCrash'), 'retry'), () => L.get(job, 'runner'))), () => L.first(G['redis.call']('PTTL', L.get(job, 'lock')))), () => 0);
wait = L.or(L.and(listen, () => wait), () => L.first(G['math.min'](wait, L.get(L.get(job, 'asker'), 'lease'))));
return [L.table([code, L.get(job, 'at'), L.or(L.and(L.equal(wait, L.negate(2)), () => 0), () => wait), L.or(L.get(job, 'mark'), () => 0), L.or(L.and(listen, () => 1), () => 0), L.get(job, 'rows')])];
};
const closeDead = (job?: Value, request?: Value): Value[] => {
if ((!L.isTrue(L.get(job, 'runner')) || L.isTrue(L.get(job, 'running')))) {
return [];
}
let asked: Value = L.get(L.get(job, 'run'), 'request');
if (((L.isTrue(asked) && L.equal(asked, L.get(L.get(job, 'request'), 'id'))) && !(L.isTrue(request) && L.equal(L.get(request, 'id'), asked)))) {
G['redis.call']('HDEL', L.get(job, 'record'), 'request');
L.set(job, 'request', L.table([]));
}
L.set(L.get(job, 'run'), 'request', undefined);
if (L.isTrue(L.get(L.get(job, 'run'), 'tick'))) {
const $1: Value[] = ['crashed', 'the lease ended before the run did'];
L.set(L.get(job, 'run'), 'outcome', $1[0]);
L.set(L.get(job, 'run'), 'reason', $1[1]);
L.set(L.get(job, 'rows'), L.add(L.length(L.get(job, 'rows')), 1), L.first(L.call(addRow, L.get(job, 'record'), L.get(job, 'runs'), L.get(job, 'run'))));
}
G['redis.call']('HDEL', L.get(job, 'record'), 'holder', 'run');
L.set(job, 'runner', undefined);
return [];
};
const closeStale = (job?: Value): Value[] => {
if ((L.greater(L.length(L.get(job, 'handed')), 0) && !L.isTrue(L.get(job, 'offer')))) {
for (let [_, handed] of L.ipairs(L.get(job, 'handed'))) {
L.call(noteTick, job, L.get(handed, 'tick'), 'missed', 'it was handed over, and no instance took it within the grace');
}
L.set(job, 'handed', L.table([]));
L.call(keepHanded, L.get(job, 'record'), L.get(job, 'handed'));
}
if (((L.isTrue(L.get(job, 'queued')) && L.isTrue(L.get(job, 'mark'))) && L.less(L.get(job, 'queued'), L.get(job, 'mark')))) {
L.call(noteTick, job, L.get(job, 'queued'), 'overlapped', 'a newer tick came before the lock was free');
G['redis.call']('HDEL', L.get(job, 'record'), 'queued');
L.set(job, 'queued', undefined);
}
return [];
};
const declareWait = (fair?: Value, holder?: Value, wait?: Value, lease?: Value): Value[] => {
let text: Value = L.first(G['string.format']('%d', wait));
if ((L.isTrue(lease) && L.greater(lease, 0))) {
text = L.first(G['string.format']('%d:%d', wait, lease));
}
G['redis.call']('HSET', L.get(fair, 'waits'), holder, text);
return [];
};
const declaredWait = (fair?: Value, holder?: Value): Value[] => {
let text: Value = L.first(G['redis.call']('HGET', L.get(fair, 'waits'), holder));
if (L.isTrue(text)) {
let [wait, lease]: Value[] = [...L.match(text, /^([\x2d]?[0-9]+):?([0-9]*)$/)];
return [L.first(G['tonumber'](wait)), ...G['tonumber'](lease)];
}
return [];
};
const dropHolds = (lock?: Value, holder?: Value, from?: Value, to?: Value): Value[] => {
for (let $at = L.number(to), $last = L.number(from); $at >= $last; $at += -1) {
let n: Value = $at;
G['redis.call']('DEL', ...L.call(holdKey, lock, holder, n));
}
return [];
};
const dropOrphans = (lock?: Value, holder?: Value): Value[] => {
let n: Value = 1;
while (L.equal(L.first(G['redis.call']('DEL', ...L.call(holdKey, lock, holder, n))), 1)) {
n = L.add(n, 1);
}
return [];
};
const dropWaiter = (fair?: Value, holder?: Value): Value[] => {
G['redis.call']('ZREM', L.get(fair, 'timeout'), holder);
G['redis.call']('LREM', L.get(fair, 'queue'), 0, holder);
G['redis.call']('HDEL', L.get(fair, 'waits'), holder);
return [];
};
const failure = (problem?: Value, lock?: Value): Value[] => {
let message: Value = L.or(L.and(L.equal(L.first(G['type'](problem)), 'table'), () => L.get(problem, 'err')), () => L.first(G['tostring'](problem)));
message = L.or(L.first(L.match(message, /^@?user_script:[\t-\r ]*[0-9]+:[\t-\r ]*[\x2d]?([\s\S]*?)[\t-\r ]*$/)), () => message);
return [L.table([L.negate(1), message, L.or(L.get(L.first(G['redis.pcall']('TYPE', lock)), 'ok'), () => 'unknown')])];
};
const fence = (key?: Value, token?: Value): Value[] => {
const check = (text?: Value): Value[] => {
if ((!L.equal(L.first(G['type'](text)), 'string') || (!L.equal(text, '0') && !L.isTrue(L.first(L.match(text, /^[1-9][0-9]*$/)))))) {
G['error'](L.concat('ERR a fencing token is a whole number as decimal text, and so is what a fence has: ', key), 0);
}
return [];
};
L.call(check, token);
let newest: Value = L.first(G['redis.call']('GET', key));
if (L.isTrue(newest)) {
L.call(check, newest);
if ((L.less(L.length(token), L.length(newest)) || (L.equal(L.length(token), L.length(newest)) && L.less(token, newest)))) {
return [0];
}
}
G['redis.call']('SET', key, token);
return [1];
};
const freeLock = (lock?: Value): Value[] => {
let fields: Value = L.first(G['redis.call']('HGETALL', lock));
for (let $at = L.number(1), $last = L.number(L.length(fields)); $at <= $last; $at += 2) {
let at: Value = $at;
L.call(dropHolds, lock, L.get(fields, at), 1, L.or(L.first(G['tonumber'](L.get(fields, L.add(at, 1)))), () => 0));
}
G['redis.call']('DEL', lock);
return [];
};
const grantFirst = (job?: Value): Value[] => {
let [record, asker]: Value[] = [L.get(job, 'record'), L.get(job, 'asker')];
if ((L.isTrue(L.get(job, 'running')) && L.equal(L.get(job, 'runner'), L.get(asker, 'holder')))) {
if (L.less(L.first(G['redis.call']('PTTL', L.get(job, 'lock'))), L.get(asker, 'lease'))) {
G['redis.call']('PEXPIRE', L.get(job, 'lock'), L.get(asker, 'lease'));
}
let [attempt, tick]: Value[] = [L.or(L.first(G['tonumber'](L.get(L.get(job, 'run'), 'attempt'))), () => 1), L.or(L.or(L.first(G['tonumber'](L.get(L.get(job, 'run'), 'tick'))), () => L.get(job, 'mark')), () => 0)];
let asked: Value = L.get(L.get(job, 'run'), 'request');
let request: Value = L.and(asked, () => L.table([], [['id', asked], ['until', L.or(L.and(L.equal(asked, L.get(L.get(job, 'request'), 'id')), () => L.get(L.get(job, 'request'), 'until')), () => 0)]]));
return L.call(answerGrant, job, L.first(G['redis.call']('HGET', record, 'token')), attempt, tick, request);
}
if ((!L.isTrue(L.get(job, 'offer')) || (L.isTrue(L.get(job, 'paused')) && !L.isTrue(L.get(L.get(job, 'offer'), 'request'))))) {
return [undefined];
}
if (L.isTrue(L.get(job, 'held'))) {
return L.call(answerJob, job, 2);
}
if (L.isTrue(L.get(L.get(job, 'offer'), 'place'))) {
G['table.remove'](L.get(job, 'handed'), L.get(L.get(job, 'offer'), 'place'));
L.call(keepHanded, record, L.get(job, 'handed'));
}
return L.call(grantRun, job, L.get(L.get(job, 'offer'), 'tick'), L.get(L.get(job, 'offer'), 'attempt'), L.get(L.get(job, 'offer'), 'request'));
};
const grantHead = (fair?: Value, from?: Value): Value[] => {
let head: Value = L.first(G['redis.call']('LINDEX', L.get(fair, 'queue'), 0));
let [wait, lease]: Value[] = [];
if (L.isTrue(head)) {
const $1: Value[] = [...L.call(declaredWait, fair, head)];
wait = $1[0];
lease = $1[1];
}
if (!((L.isTrue(wait) && L.greater(wait, 0)) && L.isTrue(L.first(L.call(whole, lease, 1, 60000))))) {
return [undefined];
}
if ((L.greater(L.get(fair, 'nextLease'), 0) && L.equal(L.first(L.match(head, /^([\s\S]*):/)), L.first(L.match(from, /^([\s\S]*):/))))) {
let news: Value = L.first(L.call(stepForward, fair, head, wait, L.get(fair, 'nextLease')));
L.call(take, L.get(fair, 'lock'), head, L.get(fair, 'nextLease'), 1);
if (L.isTrue(news)) {
L.call(tellHead, fair);
}
return [0, head];
}
let channel: Value = L.concat(L.get(fair, 'channel'), L.concat(':', head));
let listeners: Value = L.first(G['redis.pcall']('PUBSUB', L.or(L.and(L.equal(L.get(fair, 'publish'), 'SPUBLISH'), () => 'SHARDNUMSUB'), () => 'NUMSUB'), channel));
if ((L.isTrue(L.get(listeners, 'err')) || L.less(L.get(listeners, 2), 1))) {
return [undefined];
}
let reached: Value = L.first(L.call(tell, L.get(fair, 'publish'), channel, '2'));
if (L.less(reached, 1)) {
return [undefined];
}
let news: Value = L.first(L.call(stepForward, fair, head, wait, lease));
L.call(take, L.get(fair, 'lock'), head, lease, 1);
if (L.isTrue(news)) {
L.call(tellHead, fair);
}
return [reached];
};
const grantRun = (job?: Value, tick?: Value, attempt?: Value, request?: Value): Value[] => {
let [record, asker, time]: Value[] = [L.get(job, 'record'), L.get(job, 'asker'), L.get(job, 'time')];
G['redis.call']('HSETNX', record, 'v', '1');
let offer: Value = L.get(job, 'offer');
if (((L.isTrue(offer) && !L.isTrue(L.get(offer, 'place'))) && (!L.equal(tick, L.get(offer, 'tick')) || !L.equal(attempt, L.get(offer, 'attempt'))))) {
G['table.insert'](L.get(job, 'handed'), L.table([], [['tick', L.get(offer, 'tick')], ['attempt', L.get(offer, 'attempt')], ['at', L.get(job, 'at')]]));
L.call(keepHanded, record, L.get(job, 'handed'));
}
L.call(closeDead, job, request);
G['redis.call']('HSET', L.get(job, 'lock'), L.get(asker, 'holder'), 1);
G['redis.call']('PEXPIRE', L.get(job, 'lock'), L.get(asker, 'lease'));
let last: Value = L.or(L.first(G['tonumber'](...G['redis.call']('HGET', record, 'token'))), () => 0);
let token: Value = L.first(G['string.format']('%.0f', ...G['math.max'](L.add(last, 1), L.add(L.multiply(L.get(time, 1), 1000000), L.get(time, 2)))));
let run: Value = L.table([], [['tick', tick], ['outcome', 'running'], ['attempt', attempt], ['start', L.get(job, 'at')], ['token', token]]);
const $1: Value[] = [L.get(asker, 'app'), L.get(asker, 'instance')];
L.set(run, 'app', $1[0]);
L.set(run, 'instance', $1[1]);
if (L.isTrue(request)) {
const $2: Value[] = [L.get(request, 'by'), L.get(request, 'id')];
L.set(run, 'requestedBy', $2[0]);
L.set(run, 'request', $2[1]);
}
G['redis.call']('HSET', record, 'token', token, 'holder', L.get(asker, 'holder'), 'run', ...G['cjson.encode'](run));
return L.call(answerGrant, job, token, attempt, tick, request);
};
const hand = (lock?: Value, from?: Value, to?: Value, lease?: Value, publish?: Value, channel?: Value): Value[] => {
if ((!L.isTrue(L.first(L.call(whole, lease, 1, 315360000000))) || L.equal(from, to))) {
G['error'](L.table([], [['err', 'ERR the lease is out of range, or giver and taker are the same']]));
}
if (L.equal(L.first(G['redis.call']('HEXISTS', lock, from)), 1)) {
let isShorter: Value = L.first(L.call(setLease, lock, lease, 0));
G['redis.call']('HSET', lock, to, '1');
G['redis.call']('HDEL', lock, from);
if (L.isTrue(isShorter)) {
L.call(tellShorter, publish, channel);
}
return [1];
}
if (L.equal(L.first(G['redis.call']('HEXISTS', lock, to)), 1)) {
if (L.less(L.first(G['redis.call']('PTTL', lock)), lease)) {
G['redis.call']('PEXPIRE', lock, lease);
}
return [1];
}
if (L.equal(L.first(G['redis.call']('EXISTS', lock)), 1)) {
return [L.table([0, L.first(G['redis.call']('PTTL', lock)), ...G['redis.call']('HRANDFIELD', lock)])];
}
G['redis.call']('HSET', lock, to, '1');
G['redis.call']('PEXPIRE', lock, lease);
return [L.table([2])];
};
const hex = (bytes?: Value): Value[] => {
return [L.first(L.gsub(bytes, /[\s\S]/g, (byte?: Value): Value[] => {
return G['string.format']('%02x', ...G['string.byte'](byte));
}))];
};
const holdKey = (lock?: Value, holder?: Value, n?: Value): Value[] => {
let base: Value = L.or(L.and(L.first(L.findPlain(lock, '{')), () => lock), () => L.concat('{', L.concat(lock, '}')));
return [L.concat(base, L.concat(':', L.concat(holder, L.concat(':rwlock_timeout:', n))))];
};
const keepHanded = (record?: Value, waiting?: Value): Value[] => {
if (L.equal(L.length(waiting), 0)) {
G['redis.call']('HDEL', record, 'handed');
} else {
G['redis.call']('HSET', record, 'handed', ...G['cjson.encode'](waiting));
}
return [];
};
const lastsAsLong = (lock?: Value): Value[] => {
let present: Value = L.first(G['redis.call']('PTTL', lock));
for (let [_, picks] of L.ipairs(L.table(['-2', '-10']))) {
let some: Value = L.or(L.and(L.greater(present, 0), () => L.first(G['redis.call']('HRANDFIELD', lock, picks, 'WITHVALUES'))), () => L.table([]));
for (let $at = L.number(1), $last = L.number(L.length(some)); $at <= $last; $at += 2) {
let at: Value = $at;
let left: Value = L.first(L.call(longestHold, lock, L.get(some, at), L.or(L.first(G['tonumber'](L.get(some, L.add(at, 1)))), () => 0)));
if ((L.greater(left, 0) && L.lessOrEqual(L.first(G['math.abs'](L.subtract(left, present))), 50))) {
return [true];
}
}
}
return [false];
};
const leaveQueue = (fair?: Value, holder?: Value): Value[] => {
let place: Value = L.first(G['redis.call']('LPOS', L.get(fair, 'queue'), holder));
let wait: Value = L.first(L.call(declaredWait, fair, holder));
if (((L.isTrue(place) && L.greater(place, 0)) && !L.isTrue(wait))) {
let own: Value = L.first(G['tonumber'](...G['redis.call']('ZSCORE', L.get(fair, 'timeout'), holder)));
let front: Value = L.first(G['tonumber'](...G['redis.call']('ZSCORE', L.get(fair, 'timeout'), ...G['redis.call']('LINDEX', L.get(fair, 'queue'), L.subtract(place, 1)))));
wait = L.and(L.and(own, () => front), () => L.first(G['math.max'](L.subtract(own, front), 0)));
}
G['redis.call']('ZREM', L.get(fair, 'timeout'), holder);
if ((L.isTrue(place) && L.isTrue(wait))) {
L.call(moveTimes, fair, holder, false, L.negate(L.first(G['math.abs'](wait))));
}
L.call(dropWaiter, fair, holder);
return [L.equal(place, 0)];
};
const longestHold = (lock?: Value, holder?: Value, count?: Value): Value[] => {
let longest: Value = 0;
for (let $at = L.number(1), $last = L.number(count); $at <= $last; $at += 1) {
let n: Value = $at;
longest = L.first(G['math.max'](longest, ...G['redis.call']('PTTL', ...L.call(holdKey, lock, holder, n))));
}
return [longest];
};
const longestRead = (lock?: Value): Value[] => {
let longest: Value = 0;
let fields: Value = L.first(G['redis.call']('HGETALL', lock));
for (let $at = L.number(1), $last = L.number(L.length(fields)); $at <= $last; $at += 2) {
let at: Value = $at;
longest = L.first(G['math.max'](longest, ...L.call(longestHold, lock, L.get(fields, at), L.or(L.first(G['tonumber'](L.get(fields, L.add(at, 1)))), () => 0))));
}
return [longest];
};
const mistyped = (lock?: Value, record?: Value, runs?: Value): Value[] => {
for (let [key, expected] of L.pairs(L.table([], [[lock, 'hash'], [record, 'hash'], [runs, 'list']]))) {
let kind: Value = L.get(L.first(G['redis.call']('TYPE', key)), 'ok');
if ((!L.equal(kind, 'none') && !L.equal(kind, expected))) {
return [L.table([L.negate(1), L.concat('WRONGTYPE ', L.concat(key, L.concat(' is not a ', expected))), kind])];
}
}
return [undefined];
};
const moveTimes = (fair?: Value, holder?: Value, own?: Value, ms?: Value): Value[] => {
let moved: Value = L.table([], [[holder, !L.isTrue(own)]]);
let reached: Value = false;
for (let [_, waiter] of L.ipairs(L.first(G['redis.call']('LRANGE', L.get(fair, 'queue'), 0, L.negate(1))))) {
reached = L.or(reached, () => L.equal(waiter, holder));
if ((L.isTrue(reached) && !L.isTrue(L.get(moved, waiter)))) {
L.set(moved, waiter, true);
G['redis.call']('ZADD', L.get(fair, 'timeout'), 'XX', 'INCR', ms, waiter);
}
}
return [];
};
const nearEnd = (fair?: Value, wait?: Value): Value[] => {
return G['math.min'](L.get(fair, 'margin'), ...G['math.floor'](L.divide(L.first(G['math.abs'](wait)), 2)));
};
const noteTick = (job?: Value, tick?: Value, outcome?: Value, reason?: Value, after?: Value): Value[] => {
let row: Value = L.table([], [['tick', tick], ['outcome', outcome], ['reason', reason], ['after', after], ['attempt', 0], ['start', L.get(job, 'at')]]);
const $1: Value[] = [L.get(L.get(job, 'asker'), 'app'), L.get(L.get(job, 'asker'), 'instance')];
L.set(row, 'app', $1[0]);
L.set(row, 'instance', $1[1]);
L.set(L.get(job, 'rows'), L.add(L.length(L.get(job, 'rows')), 1), L.first(L.call(addRow, L.get(job, 'record'), L.get(job, 'runs'), row)));
return [];
};
const oneForAll = (replies?: Value): Value[] => {
for (let [_, reply] of L.ipairs(replies)) {
if (!L.equal(reply, 1)) {
return [replies];
}
}
return [1];
};
const openJob = (lock?: Value, record?: Value, runs?: Value, asker?: Value): Value[] => {
let time: Value = L.first(G['redis.call']('TIME'));
const field = (name?: Value): Value[] => {
return G['redis.call']('HGET', record, name);
};
let job: Value = L.table([], [['lock', lock], ['record', record], ['runs', runs], ['asker', asker], ['rows', L.table([])], ['time', time]]);
L.set(job, 'at', L.add(L.multiply(L.get(time, 1), 1000), L.first(G['math.floor'](L.divide(L.get(time, 2), 1000)))));
L.set(job, 'mark', L.first(G['tonumber'](...L.call(field, 'mark'))));
L.set(job, 'runner', L.first(L.call(field, 'holder')));
L.set(job, 'running', L.and(L.get(job, 'runner'), () => L.equal(L.first(G['redis.call']('HEXISTS', lock, L.get(job, 'runner'))), 1)));
L.set(job, 'run', L.first(L.call(rowOf, ...L.call(field, 'run'))));
L.set(job, 'held', L.equal(L.first(G['redis.call']('EXISTS', lock)), 1));
L.set(job, 'paused', L.first(L.call(field, 'paused')));
L.set(job, 'queued', L.first(G['tonumber'](...L.call(field, 'queued'))));
L.set(job, 'request', L.first(L.call(rowOf, ...L.call(field, 'request'))));
L.set(job, 'handed', L.first(L.call(rowOf, ...L.call(field, 'handed'))));
let [retry, died]: Value[] = [L.equal(L.get(asker, 'onCrash'), 'retry'), ...G['tonumber'](L.get(L.get(job, 'run'), 'tick'))];
let asked: Value = L.get(L.get(job, 'run'), 'request');
let waits: Value = L.and(L.and(asked, () => L.equal(asked, L.get(L.get(job, 'request'), 'id'))), () => L.lessOrEqual(L.get(job, 'at'), L.or(L.first(G['tonumber'](L.get(L.get(job, 'request'), 'until'))), () => 0)));
if (((((L.isTrue(retry) && L.isTrue(L.get(job, 'runner'))) && !L.isTrue(L.get(job, 'running'))) && L.isTrue(died)) && (L.isTrue(waits) || !L.isTrue(asked)))) {
L.set(job, 'offer', L.table([], [['tick', died], ['attempt', L.add(L.or(L.first(G['tonumber'](L.get(L.get(job, 'run'), 'attempt'))), () => 1), 1)], ['request', L.or(L.and(waits, () => L.get(job, 'request')), () => undefined)]]));
return [job];
}
for (let [place, handed] of L.ipairs(L.get(job, 'handed'))) {
if ((L.isTrue(retry) || L.less(L.subtract(L.get(job, 'at'), L.get(handed, 'at')), L.get(asker, 'grace')))) {
L.set(job, 'offer', L.table([], [['tick', L.get(handed, 'tick')], ['attempt', L.get(handed, 'attempt')], ['place', place]]));
return [job];
}
}
return [job];
};
const openQueue = (fair?: Value): Value[] => {
if (!L.isTrue(L.first(L.call(whole, L.get(fair, 'margin'), 0, 3600000)))) {
G['error'](L.table([], [['err', 'ERR the margin is out of range']]));
}
let kinds: Value = L.table([], [['lock', 'hash'], ['queue', 'list'], ['timeout', 'zset'], ['waits', 'hash'], ['alive', 'zset']]);
for (let [part, expected] of L.pairs(kinds)) {
let kind: Value = L.get(L.first(G['redis.call']('TYPE', L.get(fair, part))), 'ok');
if ((!L.equal(kind, 'none') && !L.equal(kind, expected))) {
L.set(fair, 'wrong', L.get(fair, part));
G['error'](L.table([], [['err', L.concat('WRONGTYPE ', L.concat(L.get(fair, 'wrong'), L.concat(' is not a ', expected)))]]));
}
}
let time: Value = L.first(G['redis.call']('TIME'));
L.set(fair, 'now', L.add(L.multiply(L.get(time, 1), 1000), L.first(G['math.floor'](L.divide(L.get(time, 2), 1000)))));
return [];
};
const pruneQueue = (fair?: Value): Value[] => {
let news: Value = false;
let head: Value = L.first(G['redis.call']('LINDEX', L.get(fair, 'queue'), 0));
while (L.isTrue(head)) {
let time: Value = L.first(G['tonumber'](...G['redis.call']('ZSCORE', L.get(fair, 'timeout'), head)));
let [wait, lease, question]: Value[] = [...L.call(declaredWait, fair, head)];
let alive: Value = L.or(L.and(wait, () => L.first(G['tonumber'](...G['redis.call']('ZSCORE', L.get(fair, 'alive'), ...L.match(head, /^[^:]*/))))), () => 0);
let near: Value = L.or(L.and(wait, () => L.first(L.call(nearEnd, fair, wait))), () => 0);
if (!L.isTrue(time)) {
L.call(dropWaiter, fair, head);
} else if ((L.isTrue(wait) && L.lessOrEqual(alive, L.get(fair, 'now')))) {
L.call(leaveQueue, fair, head);
} else if ((((L.isTrue(wait) && L.greater(wait, 0)) && L.greater(near, 0)) && L.lessOrEqual(L.subtract(time, L.get(fair, 'now')), near))) {
L.call(declareWait, fair, head, L.negate(wait), lease, question);
L.call(moveTimes, fair, head, true, L.subtract(L.add(L.get(fair, 'now'), near), time));
return [true];
} else if (L.lessOrEqual(time, L.get(fair, 'now'))) {
L.call(dropWaiter, fair, head);
} else {
break;
}
L.call(tell, L.get(fair, 'publish'), L.concat(L.get(fair, 'channel'), L.concat(':', head)), '0');
news = true;
head = L.first(G['redis.call']('LINDEX', L.get(fair, 'queue'), 0));
}
if ((!L.isTrue(head) && L.greater(L.first(G['redis.call']('EXISTS', L.get(fair, 'timeout'), L.get(fair, 'waits'), L.get(fair, 'alive'))), 0))) {
for (let [_, waiter] of L.ipairs(L.first(G['redis.call']('HKEYS', L.get(fair, 'waits'))))) {
L.call(tell, L.get(fair, 'publish'), L.concat(L.get(fair, 'channel'), L.concat(':', waiter)), '0');
}
G['redis.call']('DEL', L.get(fair, 'timeout'), L.get(fair, 'waits'), L.get(fair, 'alive'));
} else if (L.greater(L.first(G['redis.call']('EXISTS', L.get(fair, 'alive'))), L.first(G['redis.call']('EXISTS', L.get(fair, 'waits'))))) {
G['redis.call']('DEL', L.get(fair, 'alive'));
}
return [news];
};
const raiseLease = (lock?: Value, lease?: Value): Value[] => {
let left: Value = L.first(G['redis.call']('PTTL', lock));
if (L.equal(left, L.negate(1))) {
lease = L.first(G['math.max'](lease, ...L.call(longestRead, lock)));
}
if (L.less(left, lease)) {
G['redis.call']('PEXPIRE', lock, lease);
left = lease;
}
return [left];
};
const raw = (permit?: Value): Value[] => {
if ((!L.equal(L.length(permit), 32) || L.isTrue(L.first(L.find(permit, /[^0-9a-f]/))))) {
G['error'](L.table([], [['err', 'ERR a permit id is 32 hex characters in lower case']]));
}
return [L.first(L.gsub(permit, /[\s\S][\s\S]/g, (pair?: Value): Value[] => {
return G['string.char'](...G['tonumber'](pair, 16));
}))];
};
const readCount = (lock?: Value, holder?: Value, mode?: Value, writer?: Value): Value[] => {
if ((L.equal(mode, 'read') || L.equal(writer, holder))) {
return [L.or(L.first(G['tonumber'](...G['redis.call']('HGET', lock, holder))), () => 0)];
}
return [0];
};
const reclaim = (publish?: Value, lock?: Value, timeout?: Value, channel?: Value): Value[] => {
let time: Value = L.first(G['redis.call']('TIME'));
let at: Value = L.add(L.multiply(L.get(time, 1), 1000), L.first(G['math.floor'](L.divide(L.get(time, 2), 1000))));
let available: Value = L.first(L.call(amount, lock));
let count: Value = undefined;
let reclaimed: Value = 0;
for (;;) {
let expired: Value = L.first(G['redis.call']('ZRANGEBYSCORE', timeout, '-inf', L.first(G['string.format']('%.0f', at)), 'LIMIT', 0, 5000));
count = L.length(expired);
if (L.greater(count, 0)) {
G['redis.call']('ZREM', timeout, ...G['unpack'](expired));
available = L.first(G['redis.call']('INCRBY', lock, count));
reclaimed = L.add(reclaimed, count);
}
if (L.less(count, 5000)) break;
}
if (L.greater(reclaimed, 0)) {
L.call(tellPermits, publish, channel, available);
}
return [at, available];
};
const rowOf = (text?: Value): Value[] => {
let [ran, row]: Value[] = [...G['pcall'](G['cjson.decode'], text)];
return [L.or(L.and(L.and(ran, () => L.equal(L.first(G['type'](row)), 'table')), () => row), () => L.table([]))];
};
const rwHolder = (lock?: Value, writer?: Value): Value[] => {
if (L.isTrue(writer)) {
return [writer];
}
for (let [_, field] of L.ipairs(L.first(G['redis.call']('HRANDFIELD', lock, 2)))) {
if (!L.equal(field, 'mode')) {
return [field];
}
}
return [''];
};
const rwMode = (lock?: Value): Value[] => {
let mode: Value = L.first(G['redis.call']('HGET', lock, 'mode'));
let writer: Value = false;
if (L.equal(mode, 'write')) {
for (let [_, field] of L.ipairs(L.first(G['redis.call']('HKEYS', lock)))) {
if ((L.equal(L.first(G['string.sub'](field, L.negate(6))), ':write') && L.greater(L.subtract(L.length(field), 6), L.length(L.or(writer, () => ''))))) {
writer = L.first(G['string.sub'](field, 1, L.negate(7)));
}
}
} else if ((!L.equal(mode, 'read') && L.equal(L.first(G['redis.call']('EXISTS', lock)), 1))) {
G['error'](L.table([], [['err', 'WRONGTYPE not a read/write lock']]));
}
return [mode, writer];
};
const setLease = (lock?: Value, lease?: Value, spare?: Value): Value[] => {
let left: Value = L.first(G['redis.call']('PTTL', lock));
if ((L.greater(left, lease) && L.lessOrEqual(left, L.add(lease, spare)))) {
lease = left;
}
G['redis.call']('PEXPIRE', lock, lease);
return [L.or(L.greater(left, lease), () => L.equal(left, L.negate(1)))];
};
const stepForward = (fair?: Value, holder?: Value, wait?: Value, lease?: Value): Value[] => {
L.call(dropWaiter, fair, holder);
let times: Value = L.first(G['redis.call']('ZRANGE', L.get(fair, 'timeout'), 0, L.negate(1), 'WITHSCORES'));
for (let $at = L.number(1), $last = L.number(L.length(times)); $at <= $last; $at += 2) {
let i: Value = $at;
let waiter: Value = L.get(times, i);
L.set(times, i, L.subtract(L.first(G['tonumber'](L.get(times, L.add(i, 1)))), wait));
L.set(times, L.add(i, 1), waiter);
}
for (let $at = L.number(1), $last = L.number(L.length(times)); $at <= $last; $at += 5000) {
let first: Value = $at;
G['redis.call']('ZADD', L.get(fair, 'timeout'), ...G['unpack'](times, first, ...G['math.min'](L.add(first, 4999), L.length(times))));
}
return [L.or(L.first(L.call(pruneQueue, fair)), () => L.less(lease, 1000))];
};
const take = (lock?: Value, holder?: Value, lease?: Value, count?: Value): Value[] => {
if ((!L.isTrue(L.first(L.call(whole, lease, 1, 315360000000))) || !L.isTrue(L.first(L.call(whole, count, 1, 2147483647))))) {
G['error'](L.table([], [['err', 'ERR the lease or the hold count is out of range']]));
}
if (L.equal(L.first(G['redis.call']('EXISTS', lock)), 0)) {
if (L.greater(count, 1)) {
return [L.table([2])];
}
G['redis.call']('HSET', lock, holder, '1');
G['redis.call']('PEXPIRE', lock, lease);
return [1];
}
let held: Value = L.first(G['tonumber'](...G['redis.call']('HGET', lock, holder)));
if (L.equal(held, undefined)) {
return [L.table([0, L.first(G['redis.call']('PTTL', lock)), ...G['redis.call']('HRANDFIELD', lock)])];
}
if (L.less(held, count)) {
G['redis.call']('HSET', lock, holder, count);
held = count;
}
if (L.less(L.first(G['redis.call']('PTTL', lock)), lease)) {
G['redis.call']('PEXPIRE', lock, lease);
}
return [L.or(L.and(L.equal(held, count), () => 1), () => L.table([1, held]))];
};
const tellHead = (fair?: Value): Value[] => {
let head: Value = L.first(G['redis.call']('LINDEX', L.get(fair, 'queue'), 0));
return [L.or(L.and(head, () => L.first(L.call(tell, L.get(fair, 'publish'), L.concat(L.get(fair, 'channel'), L.concat(':', head)), '0'))), () => 0)];
};
const tellPermits = (publish?: Value, channel?: Value, permits?: Value): Value[] => {
if (L.lessOrEqual(permits, 0)) {
return [0];
}
return L.call(tell, publish, channel, ...G['string.format']('%.0f', ...G['math.min'](permits, 2147483647)));
};
const tellShorter = (publish?: Value, channel?: Value): Value[] => {
L.call(tell, publish, channel, '1');
return [];
};
const tell = (publish?: Value, channel?: Value, payload?: Value): Value[] => {
let reached: Value = L.first(G['redis.pcall'](publish, channel, payload));
return [L.or(L.and(L.equal(L.first(G['type'](reached)), 'number'), () => reached), () => L.negate(1))];
};
const tokenRaiser = (counter?: Value): Value[] => {
let kind: Value = L.get(L.first(G['redis.call']('TYPE', counter)), 'ok');
let stored: Value = L.or(L.or(L.and(L.equal(kind, 'none'), () => '0'), () => L.and(L.equal(kind, 'string'), () => L.first(G['redis.call']('GET', counter)))), () => '');
let last: Value = L.and(L.or(L.equal(stored, '0'), () => L.first(L.match(stored, /^[\x2d]?[1-9][0-9]*$/))), () => L.first(G['tonumber'](stored)));
if ((!L.isTrue(last) || L.greater(last, 9000000000000000000))) {
G['error'](L.table([], [['err', L.concat('ERR ', L.concat(counter, ' is no fencing token: not a whole number that can be raised'))]]));
}
let time: Value = L.first(G['redis.call']('TIME'));
let clock: Value = L.add(L.multiply(L.get(time, 1), 1000000), L.get(time, 2));
return [(): Value[] => {
if (L.greaterOrEqual(last, clock)) {
G['redis.call']('INCR', counter);
} else {
G['redis.call']('SET', counter, ...G['string.format']('%.0f', clock));
}
return G['redis.call']('GET', counter);
}];
};
const vouch = (fair?: Value, id?: Value, life?: Value): Value[] => {
let last: Value = L.first(G['redis.call']('ZRANGE', L.get(fair, 'timeout'), L.negate(1), L.negate(1), 'WITHSCORES'));
let ends: Value = L.first(G['math.floor'](...G['math.min'](L.or(L.first(G['tonumber'](L.get(last, 2))), () => 0), L.add(L.get(fair, 'now'), 315360000000))));
G['redis.call']('ZADD', L.get(fair, 'alive'), L.add(L.get(fair, 'now'), life), ...L.match(id, /^[^:]*/));
G['redis.call']('PEXPIREAT', L.get(fair, 'alive'), L.add(L.get(fair, 'now'), life));
G['redis.call']('PEXPIREAT', L.get(fair, 'waits'), ...G['math.max'](ends, L.add(L.get(fair, 'now'), life)));
return [];
};
const whole = (number?: Value, least?: Value, most?: Value): Value[] => {
return [L.and(L.and(L.and(number, () => L.greaterOrEqual(number, least)), () => L.lessOrEqual(number, most)), () => L.equal(L.modulo(number, 1), 0))];
};
const writeCount = (lock?: Value, holder?: Value, writer?: Value): Value[] => {
return [L.or(L.and(L.equal(writer, holder), () => L.first(G['tonumber'](...G['redis.call']('HGET', lock, L.concat(holder, ':write'))))), () => 0)];
};
return {
// callForget
'4768d1e0de82dc4b11625d5c1817d6bab224b42c': (KEYS: LuaTable, ARGV: LuaTable): Value[] => {
const attempt = (call?: Value, keep?: Value): Value[] => {
if (!L.isTrue(L.first(L.call(whole, keep, 0, 600000)))) {
G['error'](L.table([], [['err', 'ERR the time to keep a record is out of range']]));
}
if (L.greater(keep, 0)) {
G['redis.call']('PEXPIRE', call, keep);
} else {
G['redis.call']('DEL', call);
}
return [L.table([1])];
};
let replies: Value = L.table([]);
for (let $at = L.number(1), $last = L.number(L.length(KEYS)); $at <= $last; $at += 1) {
let i: Value = $at;
let base: Value = L.subtract(i, 1);
let call: Value = L.get(KEYS, i);
let keep: Value = L.first(G['tonumber'](L.get(ARGV, L.add(base, 1))));
let [ran, reply]: Value[] = [...G['pcall'](attempt, call, keep)];
L.set(replies, i, L.or(L.and(ran, () => reply), () => L.first(L.call(failure, reply, call))));
}
return [replies];
},
// fairAcquire
'96ed23e034d5744f7a8cb6c14736186d4c6b64d0': (KEYS: LuaTable, ARGV: LuaTable): Value[] => {
const show = (fair?: Value, holder?: Value, declared?: Value, given?: Value): Value[] => {
let near: Value = L.first(L.call(nearEnd, fair, declared));
let time: Value = L.first(G['tonumber'](...G['redis.call']('ZSCORE', L.get(fair, 'timeout'), holder)));
if (((L.isTrue(time) && L.greater(near, 0)) && L.lessOrEqual(L.subtract(time, L.get(fair, 'now')), near))) {
L.call(moveTimes, fair, holder, true, L.subtract(L.add(L.get(fair, 'now'), declared), time));
}
L.call(declareWait, fair, holder, declared, given);
return [];
};
const stand = (fair?: Value, holder?: Value, wait?: Value, declared?: Value, life?: Value, given?: Value): Value[] => {
let time: Value = L.first(G['tonumber'](...G['redis.call']('ZSCORE', L.get(fair, 'timeout'), holder)));
let place: Value = L.first(G['redis.call']('LPOS', L.get(fair, 'queue'), holder));
if ((L.isTrue(place) && !L.isTrue(time))) {
G['redis.call']('LREM', L.get(fair, 'queue'), 0, holder);
}
let isPlaced: Value = L.and(place, () => time);
if (!L.isTrue(isPlaced)) {
let last: Value = L.first(G['redis.call']('LINDEX', L.get(fair, 'queue'), L.negate(1)));
let lastTime: Value = L.and(last, () => L.first(G['tonumber'](...G['redis.call']('ZSCORE', L.get(fair, 'timeout'), last))));
time = L.add(L.add(L.get(fair, 'now'), L.first(G['math.max'](L.or(L.and(lastTime, () => L.subtract(lastTime, L.get(fair, 'now'))), () => L.first(G['redis.call']('PTTL', L.get(fair, 'lock')))), 0))), wait);
G['redis.call']('ZADD', L.get(fair, 'timeout'), time, holder);
G['redis.call']('RPUSH', L.get(fair, 'queue'), holder);
}
if (!(L.isTrue(isPlaced) && L.isTrue(declared))) {
declared = wait;
L.call(declareWait, fair, holder, declared, given);
L.call(vouch, fair, holder, life);
}
let near: Value = L.first(L.call(nearEnd, fair, declared));
let left: Value = L.first(G['math.max'](L.first(G['math.min'](L.subtract(L.subtract(time, L.get(fair, 'now')), near), 315360000000)), 1));
return [L.or(L.and(L.equal(L.first(G['redis.call']('LINDEX', L.get(fair, 'queue'), 0)), holder), () => L.first(G['math.min'](L.first(G['redis.call']('PTTL', L.get(fair, 'lock'))), left))), () => left)];
};
const attempt = (fair?: Value, holder?: Value, lease?: Value, count?: Value, wait?: Value, life?: Value, given?: Value): Value[] => {
if ((!L.isTrue(L.first(L.call(whole, lease, 1, 315360000000))) || !L.isTrue(L.first(L.call(whole, count, 1, 2147483647))))) {
G['error'](L.table([], [['err', 'ERR the lease or the hold count is out of range']]));
}
if ((!L.isTrue(L.first(L.call(whole, wait, 0, 3600000))) || !L.isTrue(L.first(L.call(whole, life, 1, 60000))))) {
G['error'](L.table([], [['err', 'ERR a waiting time is out of range']]));
}
if (!L.isTrue(L.first(L.call(whole, given, 0, 60000)))) {
G['error'](L.table([], [['err', 'ERR the lease of a grant by release is out of range']]));
}
L.call(openQueue, fair);
let declared: Value = L.first(L.call(declaredWait, fair, holder));
if (L.isTrue(declared)) {
declared = L.first(G['math.abs'](declared));
L.call(show, fair, holder, declared, given);
}
if (L.equal(L.first(G['redis.call']('EXISTS', L.get(fair, 'waits'))), 1)) {
L.call(vouch, fair, holder, life);
}
let news: Value = L.first(L.call(pruneQueue, fair));
let head: Value = L.first(G['redis.call']('LINDEX', L.get(fair, 'queue'), 0));
let inTheWay: Value = L.or(L.first(G['redis.call']('HRANDFIELD', L.get(fair, 'lock'))), () => head);
let reply: Value = undefined;
if ((L.greater(count, 1) || L.equal(L.first(G['redis.call']('HEXISTS', L.get(fair, 'lock'), holder)), 1))) {
reply = L.first(L.call(take, L.get(fair, 'lock'), holder, lease, count));
} else if ((L.equal(L.first(G['redis.call']('EXISTS', L.get(fair, 'lock'))), 0) && (!L.isTrue(head) || L.equal(head, holder)))) {
if (L.isTrue(head)) {
news = L.first(L.call(stepForward, fair, holder, L.or(declared, () => wait), lease));
}
reply = L.first(L.call(take, L.get(fair, 'lock'), holder, lease, count));
} else if (L.greater(wait, 0)) {
reply = L.table([0, L.first(L.call(stand, fair, holder, wait, declared, life, given)), inTheWay]);
} else {
let ttl: Value = L.first(G['redis.call']('PTTL', L.get(fair, 'lock')));
reply = L.table([0, L.or(L.and(L.equal(ttl, L.negate(2)), () => 0), () => ttl), inTheWay]);
}
if ((L.isTrue(news) && !L.equal(L.first(G['redis.call']('LINDEX', L.get(fair, 'queue'), 0)), holder))) {
L.call(tellHead, fair);
}
return [L.or(L.and(L.equal(reply, 1), () => L.table([1, count])), () => reply)];
};
let replies: Value = L.table([]);
let publish: Value = L.get(ARGV, 1);
let life: Value = L.first(G['tonumber'](L.get(ARGV, 2)));
let margin: Value = L.first(G['tonumber'](L.get(ARGV, 3)));
for (let $at = L.number(1), $last = L.number(L.divide(L.length(KEYS), 5)); $at <= $last; $at += 1) {
let i: Value = $at;
let first: Value = L.multiply(L.subtract(i, 1), 5);
let lock: Value = L.get(KEYS, L.add(first, 1));
let queue: Value = L.get(KEYS, L.add(first, 2));
let timeout: Value = L.get(KEYS, L.add(first, 3));
let waits: Value = L.get(KEYS, L.add(first, 4));
let alive: Value = L.get(KEYS, L.add(first, 5));
let base: Value = L.add(L.multiply(L.subtract(i, 1), 6), 3);
let holder: Value = L.get(ARGV, L.add(base, 1));
let lease: Value = L.first(G['tonumber'](L.get(ARGV, L.add(base, 2))));
let count: Value = L.first(G['tonumber'](L.get(ARGV, L.add(base, 3))));
let wait: Value = L.first(G['tonumber'](L.get(ARGV, L.add(base, 4))));
let given: Value = L.first(G['tonumber'](L.get(ARGV, L.add(base, 5))));
let channel: Value = L.get(ARGV, L.add(base, 6));
let fair: Value = L.table([], [['lock', lock], ['queue', queue], ['timeout', timeout], ['waits', waits], ['alive', alive], ['publish', publish], ['margin', margin]]);
L.set(fair, 'channel', channel);
let [ran, reply]: Value[] = [...G['pcall'](attempt, fair, holder, lease, count, wait, life, given)];
L.set(replies, i, L.or(L.and(ran, () => reply), () => L.first(L.call(failure, reply, L.or(L.get(fair, 'wrong'), () => lock)))));
}
return [replies];
},
// fairBeat
'e13d0982e152af7621111f283d2e3c6ffc78ffe5': (KEYS: LuaTable, ARGV: LuaTable): Value[] => {
let LATER: Value = 10;
const recall = (fair?: Value): Value[] => {
let stands: Value = L.table([]);
for (let [_, waiter] of L.ipairs(L.first(G['redis.call']('LRANGE', L.get(fair, 'queue'), 0, L.negate(1))))) {
L.set(stands, waiter, true);
}
for (let [_, waiter] of L.ipairs(L.first(G['redis.call']('HKEYS', L.get(fair, 'waits'))))) {
if (!L.isTrue(L.get(stands, waiter))) {
L.call(dropWaiter, fair, waiter);
L.call(tell, L.get(fair, 'publish'), L.concat(L.get(fair, 'channel'), L.concat(':', waiter)), '0');
}
}
return [];
};
const untilNext = (fair?: Value): Value[] => {
let head: Value = L.first(G['redis.call']('LINDEX', L.get(fair, 'queue'), 0));
if (!L.isTrue(head)) {
return [L.negate(1)];
}
let left: Value = L.subtract(L.first(G['tonumber'](...G['redis.call']('ZSCORE', L.get(fair, 'timeout'), head))), L.get(fair, 'now'));
let wait: Value = L.first(L.call(declaredWait, fair, head));
if (L.isTrue(wait)) {
let silent: Value = L.subtract(L.first(G['tonumber'](...G['redis.call']('ZSCORE', L.get(fair, 'alive'), ...L.match(head, /^[^:]*/)))), L.get(fair, 'now'));
left = L.first(G['math.min'](L.subtract(left, L.or(L.and(L.greater(wait, 0), () => L.first(L.call(nearEnd, fair, wait))), () => 0)), silent));
}
let ttl: Value = L.first(G['redis.call']('PTTL', L.get(fair, 'lock')));
if (L.greaterOrEqual(ttl, 0)) {
left = L.first(G['math.min'](left, L.add(ttl, LATER)));
}
return G['math.max'](L.first(G['math.min'](left, 315360000000)), 1);
};
const attempt = (fair?: Value, client?: Value, life?: Value): Value[] => {
if (!L.isTrue(L.first(L.call(whole, life, 1, 60000)))) {
G['error'](L.table([], [['err', 'ERR a waiting time is out of range']]));
}
L.call(openQueue, fair);
G['redis.call']('ZREMRANGEBYSCORE', L.get(fair, 'alive'), '-inf', L.get(fair, 'now'));
L.call(recall, fair);
if (L.equal(L.first(G['redis.call']('EXISTS', L.get(fair, 'waits'))), 1)) {
L.call(vouch, fair, client, life);
}
let news: Value = L.first(L.call(pruneQueue, fair));
if ((L.isTrue(news) || L.equal(L.first(G['redis.call']('EXISTS', L.get(fair, 'lock'))), 0))) {
L.call(tellHead, fair);
}
let reply: Value = L.table([1, L.first(L.call(untilNext, fair)), ...G['redis.call']('LLEN', L.get(fair, 'queue'))]);
let holder: Value = L.first(G['redis.call']('HRANDFIELD', L.get(fair, 'lock')));
if ((L.isTrue(holder) && L.equal(L.first(L.match(holder, /^[^:]*/)), client))) {
L.set(reply, 4, holder);
}
return [reply];
};
let replies: Value = L.table([]);
let publish: Value = L.get(ARGV, 1);
let life: Value = L.first(G['tonumber'](L.get(ARGV, 2)));
let margin: Value = L.first(G['tonumber'](L.get(ARGV, 3)));
for (let $at = L.number(1), $last = L.number(L.divide(L.length(KEYS), 5)); $at <= $last; $at += 1) {
let i: Value = $at;
let first: Value = L.multiply(L.subtract(i, 1), 5);
let lock: Value = L.get(KEYS, L.add(first, 1));
let queue: Value = L.get(KEYS, L.add(first, 2));
let timeout: Value = L.get(KEYS, L.add(first, 3));
let waits: Value = L.get(KEYS, L.add(first, 4));
let alive: Value = L.get(KEYS, L.add(first, 5));
let base: Value = L.add(L.multiply(L.subtract(i, 1), 2), 3);
let client: Value = L.get(ARGV, L.add(base, 1));
let channel: Value = L.get(ARGV, L.add(base, 2));
let fair: Value = L.table([], [['lock', lock], ['queue', queue], ['timeout', timeout], ['waits', waits], ['alive', alive], ['publish', publish], ['margin', margin]]);
L.set(fair, 'channel', channel);
let [ran, reply]: Value[] = [...G['pcall'](attempt, fair, client, life)];
L.set(replies, i, L.or(L.and(ran, () => reply), () => L.first(L.call(failure, reply, L.or(L.get(fair, 'wrong'), () => lock)))));
}
return [replies];
},
// fairForceRelease
'07346623e7b91fa3624ffe51d20f3688c84e45dd': (KEYS: LuaTable, ARGV: LuaTable): Value[] => {
const attempt = (fair?: Value): Value[] => {
L.call(openQueue, fair);
let freed: Value = L.first(G['redis.call']('DEL', L.get(fair, 'lock')));
L.call(pruneQueue, fair);
let reached: Value = L.first(L.call(tellHead, fair));
return [L.or(L.and(L.equal(freed, 1), () => L.table([1, reached])), () => L.table([0]))];
};
let replies: Value = L.table([]);
let publish: Value = L.get(ARGV, 1);
let margin: Value = L.first(G['tonumber'](L.get(ARGV, 2)));
for (let $at = L.number(1), $last = L.number(L.divide(L.length(KEYS), 5)); $at <= $last; $at += 1) {
let i: Value = $at;
let first: Value = L.multiply(L.subtract(i, 1), 5);
let lock: Value = L.get(KEYS, L.add(first, 1));
let queue: Value = L.get(KEYS, L.add(first, 2));
let timeout: Value = L.get(KEYS, L.add(first, 3));
let waits: Value = L.get(KEYS, L.add(first, 4));
let alive: Value = L.get(KEYS, L.add(first, 5));
let base: Value = L.add(i, 1);
let channel: Value = L.get(ARGV, L.add(base, 1));
let fair: Value = L.table([], [['lock', lock], ['queue', queue], ['timeout', timeout], ['waits', waits], ['alive', alive], ['publish', publish], ['margin', margin]]);
L.set(fair, 'channel', channel);
let [ran, reply]: Value[] = [...G['pcall'](attempt, fair)];
L.set(replies, i, L.or(L.and(ran, () => reply), () => L.first(L.call(failure, reply, L.or(L.get(fair, 'wrong'), () => lock)))));
}
return [replies];
},
// fairRelease
'712ab897ed21db04f55ef89cac9bdba1192f211a': (KEYS: LuaTable, ARGV: LuaTable): Value[] => {
const attempt = (fair?: Value, holder?: Value, count?: Value, lease?: Value): Value[] => {
let areInRange: Value = L.and(L.first(L.call(whole, L.get(fair, 'nextLease'), 0, 315360000000)), () => L.or(L.equal(count, 0), () => L.first(L.call(whole, lease, 1, 315360000000))));
if ((!L.isTrue(L.first(L.call(whole, count, 0, 2147483647))) || !L.isTrue(areInRange))) {
G['error'](L.table([], [['err', 'ERR the hold count or the lease is out of range']]));
}
L.call(openQueue, fair);
let held: Value = L.first(G['tonumber'](...G['redis.call']('HGET', L.get(fair, 'lock'), holder)));
let reply: Value = L.table([L.or(L.and(held, () => 1), () => 0)]);
let news: Value = false;
if (L.equal(count, 0)) {
if (L.isTrue(held)) {
G['redis.call']('DEL', L.get(fair, 'lock'));
}
news = L.first(L.call(leaveQueue, fair, holder));
} else if (L.isTrue(held)) {
if (L.greater(held, count)) {
news = L.first(L.call(setLease, L.get(fair, 'lock'), lease, 0));
G['redis.call']('HSET', L.get(fair, 'lock'), holder, count);
held = count;
}
reply = L.table([2, held]);
}
news = L.or(L.first(L.call(pruneQueue, fair)), () => news);
if ((L.isTrue(news) || L.equal(L.first(G['redis.call']('EXISTS', L.get(fair, 'lock'))), 0))) {
let [reached, nextHolder]: Value[] = [];
if (L.equal(L.get(reply, 1), 1)) {
const $1: Value[] = [...L.call(grantHead, fair, holder)];
reached = $1[0];
nextHolder = $1[1];
}
reached = L.or(reached, () => L.first(L.call(tellHead, fair)));
if (L.equal(L.get(reply, 1), 1)) {
reply = L.table([1, reached, nextHolder]);
}
}
return [reply];
};
let replies: Value = L.table([]);
let publish: Value = L.get(ARGV, 1);
let margin: Value = L.first(G['tonumber'](L.get(ARGV, 2)));
let nextLease: Value = L.first(G['tonumber'](L.get(ARGV, 3)));
for (let $at = L.number(1), $last = L.number(L.divide(L.length(KEYS), 5)); $at <= $last; $at += 1) {
let i: Value = $at;
let first: Value = L.multiply(L.subtract(i, 1), 5);
let lock: Value = L.get(KEYS, L.add(first, 1));
let queue: Value = L.get(KEYS, L.add(first, 2));
let timeout: Value = L.get(KEYS, L.add(first, 3));
let waits: Value = L.get(KEYS, L.add(first, 4));
let alive: Value = L.get(KEYS, L.add(first, 5));
let base: Value = L.add(L.multiply(L.subtract(i, 1), 4), 3);
let holder: Value = L.get(ARGV, L.add(base, 1));
let count: Value = L.first(G['tonumber'](L.get(ARGV, L.add(base, 2))));
let lease: Value = L.first(G['tonumber'](L.get(ARGV, L.add(base, 3))));
let channel: Value = L.get(ARGV, L.add(base, 4));
let fair: Value = L.table([], [['lock', lock], ['queue', queue], ['timeout', timeout], ['waits', waits], ['alive', alive], ['publish', publish], ['margin', margin]]);
L.set(fair, 'channel', channel);
L.set(fair, 'nextLease', nextLease);
let [ran, reply]: Value[] = [...G['pcall'](attempt, fair, holder, count, lease)];
L.set(replies, i, L.or(L.and(ran, () => reply), () => L.first(L.call(failure, reply, L.or(L.get(fair, 'wrong'), () => lock)))));
}
return [replies];
},
// fencedAcquire
'daa7e485a2b10fced76c304ccb073b6be92324ae': (KEYS: LuaTable, ARGV: LuaTable): Value[] => {
const attempt = (lock?: Value, counter?: Value, holder?: Value, lease?: Value, count?: Value): Value[] => {
let raise: Value = L.first(L.call(tokenRaiser, counter));
let reply: Value = L.first(L.call(take, lock, holder, lease, count));
if (L.equal(reply, 1)) {
return [L.table([1, count, ...L.call(raise)])];
}
if (L.equal(L.get(reply, 1), 1)) {
L.set(reply, 3, L.first(L.call(raise)));
}
return [reply];
};
let replies: Value = L.table([]);
for (let $at = L.number(1), $last = L.number(L.divide(L.length(KEYS), 2)); $at <= $last; $at += 1) {
let i: Value = $at;
let base: Value = L.multiply(L.subtract(i, 1), 3);
let lock: Value = L.get(KEYS, L.subtract(L.multiply(i, 2), 1));
let counter: Value = L.get(KEYS, L.multiply(i, 2));
let holder: Value = L.get(ARGV, L.add(base, 1));
let lease: Value = L.first(G['tonumber'](L.get(ARGV, L.add(base, 2))));
let count: Value = L.first(G['tonumber'](L.get(ARGV, L.add(base, 3))));
let [ran, reply]: Value[] = [...G['pcall'](attempt, lock, counter, holder, lease, count)];
L.set(replies, i, L.or(L.and(ran, () => reply), () => L.first(L.call(failure, reply, lock))));
}
return [replies];
},
// fencedGuard
'4d987e47eebb0739019d335aa8e8723323d1e183': (KEYS: LuaTable, ARGV: LuaTable): Value[] => {
let newest: Value = L.get(KEYS, 1);
let targets: Value = L.table([...G['unpack'](KEYS, 2)]);
let token: Value = L.get(ARGV, 1);
let words: Value = L.table([...G['unpack'](ARGV, 2)]);
let place: Value = '';
const attempt = (): Value[] => {
if (L.equal(L.first(L.call(fence, newest, token)), 0)) {
return [L.table([0, ...G['redis.call']('GET', newest)])];
}
let replies: Value = L.table([]);
let at: Value = 1;
for (let [i, target] of L.ipairs(targets)) {
let last: Value = L.add(L.add(at, 1), L.first(G['tonumber'](L.get(words, L.add(at, 1)))));
place = L.concat(' (command ', L.concat(i, L.concat(' of ', L.concat(L.length(targets), L.concat(', ', L.concat(L.get(words, at), ')'))))));
L.set(replies, i, L.first(G['redis.call'](L.get(words, at), target, ...G['unpack'](words, L.add(at, 2), last))));
at = L.add(last, 1);
}
return [L.table([1, replies])];
};
let [ran, reply]: Value[] = [...G['pcall'](attempt)];
return [L.or(L.and(ran, () => reply), () => L.first(G['redis.error_reply'](L.concat(L.get(L.first(L.call(failure, reply, newest)), 2), place))))];
},
// fencedReadToken
'826e94e25b0d472b91a398955adf58a13c61682e': (KEYS: LuaTable, ARGV: LuaTable): Value[] => {
const attempt = (counter?: Value): Value[] => {
return [L.table([1, L.or(L.first(G['redis.call']('GET', counter)), () => '')])];
};
let replies: Value = L.table([]);
for (let $at = L.number(1), $last = L.number(L.length(KEYS)); $at <= $last; $at += 1) {
let i: Value = $at;
let counter: Value = L.get(KEYS, i);
let [ran, reply]: Value[] = [...G['pcall'](attempt, counter)];
L.set(replies, i, L.or(L.and(ran, () => reply), () => L.first(L.call(failure, reply, counter))));
}
return [replies];
},
// fencedTransfer
'96d6fa204684d2163f20a4cd91eb447d6b19764e': (KEYS: LuaTable, ARGV: LuaTable): Value[] => {
const attempt = (publish?: Value, lock?: Value, counter?: Value, from?: Value, to?: Value, lease?: Value, channel?: Value): Value[] => {
let raise: Value = L.first(L.call(tokenRaiser, counter));
let reply: Value = L.first(L.call(hand, lock, from, to, lease, publish, channel));
if (L.equal(reply, 1)) {
return [L.table([1, ...L.call(raise)])];
}
if (!L.equal(L.get(reply, 1), 0)) {
L.set(reply, 2, L.first(L.call(raise)));
}
return [reply];
};
let replies: Value = L.table([]);
let publish: Value = L.get(ARGV, 1);
for (let $at = L.number(1), $last = L.number(L.divide(L.length(KEYS), 2)); $at <= $last; $at += 1) {
let i: Value = $at;
let base: Value = L.add(L.multiply(L.subtract(i, 1), 4), 1);
let lock: Value = L.get(KEYS, L.subtract(L.multiply(i, 2), 1));
let counter: Value = L.get(KEYS, L.multiply(i, 2));
let from: Value = L.get(ARGV, L.add(base, 1));
let to: Value = L.get(ARGV, L.add(base, 2));
let lease: Value = L.first(G['tonumber'](L.get(ARGV, L.add(base, 3))));
let channel: Value = L.get(ARGV, L.add(base, 4));
let [ran, reply]: Value[] = [...G['pcall'](attempt, publish, lock, counter, from, to, lease, channel)];
L.set(replies, i, L.or(L.and(ran, () => reply), () => L.first(L.call(failure, reply, lock))));
}
return [replies];
},
// latchCountDown
'b8cf7436e412f0e18263ee611c1360ba2232cd61': (KEYS: LuaTable, ARGV: LuaTable): Value[] => {
const attempt = (publish?: Value, latch?: Value, call?: Value, keep?: Value, channel?: Value): Value[] => {
if (!L.isTrue(L.first(L.call(whole, keep, 1, 600000)))) {
G['error'](L.table([], [['err', 'ERR the life of the record is out of range']]));
}
let done: Value = L.first(G['redis.call']('GET', call));
if (L.isTrue(done)) {
return [L.table([1, ...G['tonumber'](done)])];
}
let left: Value = L.first(L.call(amount, latch));
if (L.equal(left, undefined)) {
return [L.table([0])];
}
left = L.subtract(left, 1);
if (L.lessOrEqual(left, 0)) {
G['redis.call']('DEL', latch);
} else {
G['redis.call']('DEL', call);
G['redis.call']('DECR', latch);
}
G['redis.call']('SET', call, L.first(G['string.format']('%.0f', ...G['math.max'](left, 0))), 'PX', keep);
if (L.equal(left, 0)) {
L.call(tell, publish, channel, '0');
}
return [L.table([1, ...G['math.max'](left, 0)])];
};
let replies: Value = L.table([]);
let publish: Value = L.get(ARGV, 1);
for (let $at = L.number(1), $last = L.number(L.divide(L.length(KEYS), 2)); $at <= $last; $at += 1) {
let i: Value = $at;
let base: Value = L.multiply(L.subtract(i, 1), 2);
let latch: Value = L.get(KEYS, L.add(base, 1));
let call: Value = L.get(KEYS, L.add(base, 2));
let keep: Value = L.first(G['tonumber'](L.get(ARGV, L.add(base, 2))));
let channel: Value = L.get(ARGV, L.add(base, 3));
let [ran, reply]: Value[] = [...G['pcall'](attempt, publish, latch, call, keep, channel)];
L.set(replies, i, L.or(L.and(ran, () => reply), () => L.first(L.call(failure, reply, latch))));
}
return [replies];
},
// latchDelete
'c6c1a5272aeb44df7904665a572bfc760972d4e0': (KEYS: LuaTable, ARGV: LuaTable): Value[] => {
const attempt = (publish?: Value, latch?: Value, channel?: Value): Value[] => {
if (L.equal(L.first(L.call(amount, latch)), undefined)) {
return [L.table([0])];
}
G['redis.call']('DEL', latch);
L.call(tell, publish, channel, '0');
return [L.table([1])];
};
let replies: Value = L.table([]);
let publish: Value = L.get(ARGV, 1);
for (let $at = L.number(1), $last = L.number(L.length(KEYS)); $at <= $last; $at += 1) {
let i: Value = $at;
let base: Value = i;
let latch: Value = L.get(KEYS, i);
let channel: Value = L.get(ARGV, L.add(base, 1));
let [ran, reply]: Value[] = [...G['pcall'](attempt, publish, latch, channel)];
L.set(replies, i, L.or(L.and(ran, () => reply), () => L.first(L.call(failure, reply, latch))));
}
return [replies];
},
// latchInspect
'815dce4c3aed54fdb65a672fcead996725d203ea': (KEYS: LuaTable, ARGV: LuaTable): Value[] => {
const attempt = (latch?: Value): Value[] => {
return [L.table([1, ...G['math.max'](L.or(L.first(L.call(amount, latch)), () => 0), 0)])];
};
let replies: Value = L.table([]);
for (let $at = L.number(1), $last = L.number(L.length(KEYS)); $at <= $last; $at += 1) {
let i: Value = $at;
let latch: Value = L.get(KEYS, i);
let [ran, reply]: Value[] = [...G['pcall'](attempt, latch)];
L.set(replies, i, L.or(L.and(ran, () => reply), () => L.first(L.call(failure, reply, latch))));
}
return [replies];
},
// latchSet
'fd6b3576233cec9099f3c48fe459f088a95d62f7': (KEYS: LuaTable, ARGV: LuaTable): Value[] => {
const attempt = (publish?: Value, latch?: Value, call?: Value, wanted?: Value, keep?: Value, channel?: Value): Value[] => {
if ((!L.isTrue(L.first(L.call(whole, wanted, 1, 9007199254740991))) || !L.isTrue(L.first(L.call(whole, keep, 1, 600000))))) {
G['error'](L.table([], [['err', 'ERR the count or the life of the record is out of range']]));
}
if (L.isTrue(L.first(G['redis.call']('GET', call)))) {
return [L.table([1])];
}
if (!L.equal(L.first(L.call(amount, latch)), undefined)) {
return [L.table([0])];
}
G['redis.call']('SET', latch, ...G['string.format']('%.0f', wanted));
G['redis.call']('SET', call, '1', 'PX', keep);
L.call(tell, publish, channel, '1');
return [L.table([1])];
};
let replies: Value = L.table([]);
let publish: Value = L.get(ARGV, 1);
for (let $at = L.number(1), $last = L.number(L.divide(L.length(KEYS), 2)); $at <= $last; $at += 1) {
let i: Value = $at;
let base: Value = L.add(L.multiply(L.subtract(i, 1), 3), 1);
let latch: Value = L.get(KEYS, L.add(L.multiply(L.subtract(i, 1), 2), 1));
let call: Value = L.get(KEYS, L.add(L.multiply(L.subtract(i, 1), 2), 2));
let wanted: Value = L.first(G['tonumber'](L.get(ARGV, L.add(base, 1))));
let keep: Value = L.first(G['tonumber'](L.get(ARGV, L.add(base, 2))));
let channel: Value = L.get(ARGV, L.add(base, 3));
let [ran, reply]: Value[] = [...G['pcall'](attempt, publish, latch, call, wanted, keep, channel)];
L.set(replies, i, L.or(L.and(ran, () => reply), () => L.first(L.call(failure, reply, latch))));
}
return [replies];
},
// permitAcquire
'd7196b71f5f57df10ff2ce73fc8132889fd4f1f6': (KEYS: LuaTable, ARGV: LuaTable): Value[] => {
const attempt = (publish?: Value, lock?: Value, timeout?: Value, permit?: Value, lease?: Value, channel?: Value): Value[] => {
let id: Value = L.first(L.call(raw, permit));
if (!L.isTrue(L.first(L.call(whole, lease, 1, 315360000000)))) {
G['error'](L.table([], [['err', 'ERR the lease is out of range']]));
}
let [at, available]: Value[] = [...L.call(reclaim, publish, lock, timeout, channel)];
let expiry: Value = L.first(G['string.format']('%.0f', L.add(at, lease)));
let given: Value = L.first(G['redis.call']('ZSCORE', timeout, id));
if (L.isTrue(given)) {
if (L.less(L.first(G['tonumber'](given)), L.add(at, lease))) {
G['redis.call']('ZADD', timeout, expiry, id);
}
return [L.table([1, 1, L.or(available, () => 0)])];
}
if ((L.equal(available, undefined) || L.less(available, 1))) {
let first: Value = L.first(G['redis.call']('ZRANGE', timeout, 0, 0, 'WITHSCORES'));
if ((L.equal(L.get(first, 1), undefined) || L.greaterOrEqual(L.first(G['tonumber'](L.get(first, 2))), 922337203685477))) {
return [L.table([0, L.negate(1), L.or(L.and(L.get(first, 1), () => L.first(L.call(hex, L.get(first, 1)))), () => '')])];
}
return [L.table([0, L.subtract(L.first(G['tonumber'](L.get(first, 2))), at), ...L.call(hex, L.get(first, 1))])];
}
available = L.first(G['redis.call']('DECRBY', lock, 1));
G['redis.call']('ZADD', timeout, expiry, id);
let ttl: Value = L.first(G['redis.call']('PTTL', lock));
if (L.greater(ttl, 0)) {
G['redis.call']('PEXPIRE', timeout, ttl);
}
return [L.table([1, 1, available])];
};
let replies: Value = L.table([]);
let publish: Value = L.get(ARGV, 1);
for (let $at = L.number(1), $last = L.number(L.divide(L.length(KEYS), 2)); $at <= $last; $at += 1) {
let i: Value = $at;
let base: Value = L.add(L.multiply(L.subtract(i, 1), 3), 1);
let lock: Value = L.get(KEYS, L.add(L.multiply(L.subtract(i, 1), 2), 1));
let timeout: Value = L.get(KEYS, L.add(L.multiply(L.subtract(i, 1), 2), 2));
let permit: Value = L.get(ARGV, L.add(base, 1));
let lease: Value = L.first(G['tonumber'](L.get(ARGV, L.add(base, 2))));
let channel: Value = L.get(ARGV, L.add(base, 3));
let [ran, reply]: Value[] = [...G['pcall'](attempt, publish, lock, timeout, permit, lease, channel)];
L.set(replies, i, L.or(L.and(ran, () => reply), () => L.first(L.call(failure, reply, lock))));
}
return [replies];
},
// permitInspect
'36839ad4e3f5245c781b8475826170c49aaafe04': (KEYS: LuaTable, ARGV: LuaTable): Value[] => {
const attempt = (publish?: Value, lock?: Value, timeout?: Value, permit?: Value, channel?: Value): Value[] => {
let id: Value = L.and(!L.equal(permit, ''), () => L.first(L.call(raw, permit)));
let [at, available]: Value[] = [...L.call(reclaim, publish, lock, timeout, channel)];
const left = (expiry?: Value): Value[] => {
return [L.or(L.and(L.greaterOrEqual(expiry, 922337203685477), () => L.negate(1)), () => L.subtract(expiry, at))];
};
let given: Value = L.and(id, () => L.first(G['tonumber'](...G['redis.call']('ZSCORE', timeout, id))));
let first: Value = L.first(G['redis.call']('ZRANGE', timeout, 0, 0, 'WITHSCORES'));
let taken: Value = L.first(G['redis.call']('ZCARD', timeout));
if (L.equal(taken, 0)) {
return [L.table([1, L.or(available, () => 0), 0, L.negate(2), L.negate(1), ''])];
}
return [L.table([1, L.or(available, () => 0), taken, L.or(L.and(given, () => L.first(L.call(left, given))), () => L.negate(2)), L.first(L.call(left, ...G['tonumber'](L.get(first, 2)))), ...L.call(hex, L.get(first, 1))])];
};
let replies: Value = L.table([]);
let publish: Value = L.get(ARGV, 1);
for (let $at = L.number(1), $last = L.number(L.divide(L.length(KEYS), 2)); $at <= $last; $at += 1) {
let i: Value = $at;
let base: Value = L.multiply(L.subtract(i, 1), 2);
let lock: Value = L.get(KEYS, L.add(base, 1));
let timeout: Value = L.get(KEYS, L.add(base, 2));
let permit: Value = L.get(ARGV, L.add(base, 2));
let channel: Value = L.get(ARGV, L.add(base, 3));
let [ran, reply]: Value[] = [...G['pcall'](attempt, publish, lock, timeout, permit, channel)];
L.set(replies, i, L.or(L.and(ran, () => reply), () => L.first(L.call(failure, reply, lock))));
}
return [replies];
},
// permitRelease
'c14ea1b9b5f172a0937a585f3da746551336300d': (KEYS: LuaTable, ARGV: LuaTable): Value[] => {
const attempt = (publish?: Value, lock?: Value, timeout?: Value, permit?: Value, channel?: Value): Value[] => {
let id: Value = L.first(L.call(raw, permit));
L.call(amount, lock);
let expiry: Value = L.first(G['redis.call']('ZSCORE', timeout, id));
if (!L.isTrue(expiry)) {
return [L.table([0])];
}
let time: Value = L.first(G['redis.call']('TIME'));
let at: Value = L.add(L.multiply(L.get(time, 1), 1000), L.first(G['math.floor'](L.divide(L.get(time, 2), 1000))));
G['redis.call']('ZREM', timeout, id);
let reached: Value = L.first(L.call(tellPermits, publish, channel, ...G['redis.call']('INCRBY', lock, 1)));
return [L.or(L.and(L.greater(L.first(G['tonumber'](expiry)), at), () => L.table([1, reached])), () => L.table([0]))];
};
let replies: Value = L.table([]);
let publish: Value = L.get(ARGV, 1);
for (let $at = L.number(1), $last = L.number(L.divide(L.length(KEYS), 2)); $at <= $last; $at += 1) {
let i: Value = $at;
let base: Value = L.multiply(L.subtract(i, 1), 2);
let lock: Value = L.get(KEYS, L.add(base, 1));
let timeout: Value = L.get(KEYS, L.add(base, 2));
let permit: Value = L.get(ARGV, L.add(base, 2));
let channel: Value = L.get(ARGV, L.add(base, 3));
let [ran, reply]: Value[] = [...G['pcall'](attempt, publish, lock, timeout, permit, channel)];
L.set(replies, i, L.or(L.and(ran, () => reply), () => L.first(L.call(failure, reply, lock))));
}
return [replies];
},
// permitRenew
'e3f6adff0738156eec39d1f790171c5d159bbf5a': (KEYS: LuaTable, ARGV: LuaTable): Value[] => {
const attempt = (publish?: Value, lock?: Value, timeout?: Value, permit?: Value, lease?: Value, manner?: Value, channel?: Value): Value[] => {
let id: Value = L.first(L.call(raw, permit));
if ((!L.isTrue(L.first(L.call(whole, lease, 0, 315360000000))) || (!L.equal(manner, 'raise') && !L.equal(manner, 'set')))) {
G['error'](L.table([], [['err', 'ERR the lease is out of range, or the manner is unknown']]));
}
let at: Value = L.first(L.call(reclaim, publish, lock, timeout, channel));
let expiry: Value = L.first(G['tonumber'](...G['redis.call']('ZSCORE', timeout, id)));
if (L.equal(expiry, undefined)) {
return [L.table([0])];
}
G['redis.call']('ZREM', timeout, '');
if ((L.greater(lease, 0) && (L.equal(manner, 'set') || L.less(expiry, L.add(at, lease))))) {
let isShorter: Value = L.greater(expiry, L.add(at, lease));
expiry = L.add(at, lease);
G['redis.call']('ZADD', timeout, L.first(G['string.format']('%.0f', expiry)), id);
if (L.isTrue(isShorter)) {
L.call(tellPermits, publish, channel, 2147483647);
}
}
return [L.table([1, L.or(L.and(L.greaterOrEqual(expiry, 922337203685477), () => L.negate(1)), () => L.subtract(expiry, at))])];
};
let replies: Value = L.table([]);
let publish: Value = L.get(ARGV, 1);
for (let $at = L.number(1), $last = L.number(L.divide(L.length(KEYS), 2)); $at <= $last; $at += 1) {
let i: Value = $at;
let base: Value = L.add(L.multiply(L.subtract(i, 1), 4), 1);
let lock: Value = L.get(KEYS, L.add(L.multiply(L.subtract(i, 1), 2), 1));
let timeout: Value = L.get(KEYS, L.add(L.multiply(L.subtract(i, 1), 2), 2));
let permit: Value = L.get(ARGV, L.add(base, 1));
let lease: Value = L.first(G['tonumber'](L.get(ARGV, L.add(base, 2))));
let manner: Value = L.get(ARGV, L.add(base, 3));
let channel: Value = L.get(ARGV, L.add(base, 4));
let [ran, reply]: Value[] = [...G['pcall'](attempt, publish, lock, timeout, permit, lease, manner, channel)];
L.set(replies, i, L.or(L.and(ran, () => reply), () => L.first(L.call(failure, reply, lock))));
}
return [replies];
},
// permitResize
'063338bbd2f0dc7bef515cd474df368d80498e92': (KEYS: LuaTable, ARGV: LuaTable): Value[] => {
const attempt = (publish?: Value, lock?: Value, timeout?: Value, total?: Value, channel?: Value): Value[] => {
if (!L.isTrue(L.first(L.call(whole, total, 0, 2147483647)))) {
G['error'](L.table([], [['err', 'ERR the number of permits is out of range']]));
}
let available: Value = L.first(L.call(amount, lock));
let taken: Value = L.first(G['redis.call']('ZCARD', timeout));
if (L.equal(available, undefined)) {
G['redis.call']('SET', lock, ...G['string.format']('%.0f', total));
} else if (L.equal(L.add(available, taken), total)) {
return [L.table([0])];
} else {
G['redis.call']('INCRBY', lock, ...G['string.format']('%.0f', L.subtract(L.subtract(total, available), taken)));
}
L.call(tellPermits, publish, channel, total);
return [L.table([1])];
};
let replies: Value = L.table([]);
let publish: Value = L.get(ARGV, 1);
for (let $at = L.number(1), $last = L.number(L.divide(L.length(KEYS), 2)); $at <= $last; $at += 1) {
let i: Value = $at;
let base: Value = L.multiply(L.subtract(i, 1), 2);
let lock: Value = L.get(KEYS, L.add(base, 1));
let timeout: Value = L.get(KEYS, L.add(base, 2));
let total: Value = L.first(G['tonumber'](L.get(ARGV, L.add(base, 2))));
let channel: Value = L.get(ARGV, L.add(base, 3));
let [ran, reply]: Value[] = [...G['pcall'](attempt, publish, lock, timeout, total, channel)];
L.set(replies, i, L.or(L.and(ran, () => reply), () => L.first(L.call(failure, reply, lock))));
}
return [replies];
},
// readAcquire
'4a0b4b04d3c2f80b39f19ce45f0121c550c51596': (KEYS: LuaTable, ARGV: LuaTable): Value[] => {
let found: Value = L.table([]);
let lease: Value = L.first(G['tonumber'](L.get(ARGV, 1)));
let count: Value = L.first(G['tonumber'](L.get(ARGV, 2)));
let leaseText: Value = L.first(G['string.format']('%d', L.or(lease, () => 0)));
let countText: Value = L.first(G['string.format']('%d', L.or(count, () => 0)));
const attempt = (lock?: Value, intent?: Value, holder?: Value): Value[] => {
if ((!L.isTrue(L.first(L.call(whole, lease, 1, 315360000000))) || !L.isTrue(L.first(L.call(whole, count, 1, 65535))))) {
G['error'](L.table([], [['err', 'ERR the lease or the hold count is out of range']]));
}
let known: Value = L.get(found, lock);
let [mode, writer]: Value[] = ['read', false];
if (L.equal(known, undefined)) {
const $1: Value[] = [...L.call(rwMode, lock)];
mode = $1[0];
writer = $1[1];
}
if ((L.equal(mode, 'write') && !L.equal(writer, holder))) {
return [L.table([0, L.first(G['redis.call']('PTTL', lock)), ...L.call(rwHolder, lock, writer)])];
}
let held: Value = L.first(L.call(readCount, lock, holder, mode, writer));
if ((L.equal(held, 0) && L.greater(count, 1))) {
return [L.table([2])];
}
let isClear: Value = L.or(known, () => false);
if (((L.equal(held, 0) && !L.isTrue(writer)) && !L.isTrue(isClear))) {
let waiting: Value = L.first(G['redis.pcall']('GET', intent));
let left: Value = L.or(L.and(L.and(L.equal(L.first(G['type'](waiting)), 'string'), () => !L.equal(waiting, holder)), () => L.first(G['redis.call']('PTTL', intent))), () => 0);
if (L.greater(left, 0)) {
return [L.table([0, left, waiting])];
}
isClear = !L.equal(L.first(G['type'](waiting)), 'string');
}
for (let $at = L.number(1), $last = L.number(count); $at <= $last; $at += 1) {
let n: Value = $at;
let key: Value = L.first(L.call(holdKey, lock, holder, n));
let left: Value = L.or(L.and(L.lessOrEqual(n, held), () => L.first(G['redis.call']('PTTL', key))), () => L.negate(1));
if (L.less(left, 0)) {
G['redis.call']('SET', key, '1', 'PX', leaseText);
} else if ((L.equal(n, count) && L.less(left, lease))) {
G['redis.call']('PEXPIRE', key, lease);
}
}
if (L.less(held, count)) {
if (L.isTrue(mode)) {
G['redis.call']('HSET', lock, holder, countText);
} else {
G['redis.call']('HSET', lock, 'mode', 'read', holder, countText);
}
held = count;
}
if (!L.isTrue(mode)) {
G['redis.call']('PEXPIRE', lock, lease);
} else if (L.equal(known, undefined)) {
L.call(raiseLease, lock, lease);
}
if (!L.isTrue(writer)) {
L.set(found, lock, isClear);
}
return [L.or(L.and(L.equal(held, count), () => 1), () => L.table([1, held]))];
};
let replies: Value = L.table([]);
for (let $at = L.number(1), $last = L.number(L.divide(L.length(KEYS), 2)); $at <= $last; $at += 1) {
let i: Value = $at;
let at: Value = L.multiply(L.subtract(i, 1), 2);
let base: Value = L.add(i, 1);
let lock: Value = L.get(KEYS, L.add(at, 1));
let intent: Value = L.get(KEYS, L.add(at, 2));
let holder: Value = L.get(ARGV, L.add(base, 1));
let [ran, reply]: Value[] = [...G['pcall'](attempt, lock, intent, holder)];
L.set(replies, i, L.or(L.and(ran, () => reply), () => L.first(L.call(failure, reply, lock))));
}
return L.call(oneForAll, replies);
},
// readForceRelease
'd0b87e5573b2467676111995f4d426b6aaa4f4e9': (KEYS: LuaTable, ARGV: LuaTable): Value[] => {
const attempt = (publish?: Value, lock?: Value, channel?: Value): Value[] => {
if (!L.equal(L.first(L.call(rwMode, lock)), 'read')) {
return [L.table([0])];
}
L.call(freeLock, lock);
return [L.table([1, ...L.call(tell, publish, channel, '0')])];
};
let replies: Value = L.table([]);
let publish: Value = L.get(ARGV, 1);
for (let $at = L.number(1), $last = L.number(L.length(KEYS)); $at <= $last; $at += 1) {
let i: Value = $at;
let base: Value = i;
let lock: Value = L.get(KEYS, i);
let channel: Value = L.get(ARGV, L.add(base, 1));
let [ran, reply]: Value[] = [...G['pcall'](attempt, publish, lock, channel)];
L.set(replies, i, L.or(L.and(ran, () => reply), () => L.first(L.call(failure, reply, lock))));
}
return [replies];
},
// readInspect
'b9b8cae607dd30e8e4351b4019e846b7cd0714eb': (KEYS: LuaTable, ARGV: LuaTable): Value[] => {
const attempt = (lock?: Value, holder?: Value): Value[] => {
let [mode, writer]: Value[] = [...L.call(rwMode, lock)];
let locked: Value = L.or(L.equal(mode, 'read'), () => L.and(L.equal(mode, 'write'), () => L.greater(L.first(G['redis.call']('HLEN', lock)), 2)));
let count: Value = L.first(L.call(readCount, lock, holder, mode, writer));
return [L.table([1, L.first(G['redis.call']('PTTL', lock)), count, L.or(L.and(locked, () => L.first(L.call(rwHolder, lock, writer))), () => ''), L.or(L.and(locked, () => 1), () => 0)])];
};
let replies: Value = L.table([]);
for (let $at = L.number(1), $last = L.number(L.length(KEYS)); $at <= $last; $at += 1) {
let i: Value = $at;
let base: Value = L.subtract(i, 1);
let lock: Value = L.get(KEYS, i);
let holder: Value = L.get(ARGV, L.add(base, 1));
let [ran, reply]: Value[] = [...G['pcall'](attempt, lock, holder)];
L.set(replies, i, L.or(L.and(ran, () => reply), () => L.first(L.call(failure, reply, lock))));
}
return [replies];
},
// readRelease
'1b2c0ddc8a368cc912e74eab30707bb5f944029f': (KEYS: LuaTable, ARGV: LuaTable): Value[] => {
let SPARE: Value = 50;
const attempt = (publish?: Value, lock?: Value, holder?: Value, count?: Value, lease?: Value, write?: Value, channel?: Value): Value[] => {
if (((!L.isTrue(L.first(L.call(whole, count, 0, 65535))) || !(L.equal(count, 0) || L.isTrue(L.first(L.call(whole, lease, 1, 315360000000))))) || !L.isTrue(L.first(L.call(whole, write, 0, 315360000000))))) {
G['error'](L.table([], [['err', 'ERR the hold count or a lease is out of range']]));
}
let [mode, writer]: Value[] = [...L.call(rwMode, lock)];
let held: Value = L.first(L.call(readCount, lock, holder, mode, writer));
if (L.equal(held, 0)) {
if (L.equal(count, 0)) {
L.call(dropOrphans, lock, holder);
}
if (!L.isTrue(mode)) {
L.call(tell, publish, channel, '0');
}
return [L.table([0])];
}
if (L.lessOrEqual(held, count)) {
return [L.table([2, held])];
}
L.call(dropHolds, lock, holder, L.add(count, 1), held);
if (L.equal(count, 0)) {
G['redis.call']('HDEL', lock, holder);
} else {
G['redis.call']('HSET', lock, holder, count);
for (let $at = L.number(1), $last = L.number(count); $at <= $last; $at += 1) {
let n: Value = $at;
G['redis.call']('SET', L.first(L.call(holdKey, lock, holder, n)), 1, 'PX', lease);
}
}
if ((((L.equal(count, 0) && L.equal(mode, 'read')) && L.greater(L.first(G['redis.call']('HLEN', lock)), 32)) && L.isTrue(L.first(L.call(lastsAsLong, lock))))) {
return [L.table([1, 0])];
}
let left: Value = L.first(L.call(longestRead, lock));
if ((L.equal(left, 0) && !L.isTrue(writer))) {
G['redis.call']('DEL', lock);
return [L.table([1, ...L.call(tell, publish, channel, '0')])];
}
if ((L.equal(mode, 'write') && L.equal(write, 0))) {
let present: Value = L.first(G['redis.call']('PTTL', lock));
if ((L.greaterOrEqual(present, 0) && L.less(present, left))) {
G['redis.call']('PEXPIRE', lock, left);
}
} else if (L.isTrue(L.first(L.call(setLease, lock, L.or(L.and(L.equal(mode, 'write'), () => L.first(G['math.max'](left, write))), () => left), SPARE)))) {
L.call(tellShorter, publish, channel);
}
return [L.or(L.and(L.equal(count, 0), () => L.table([1, 0])), () => L.table([2, count]))];
};
let replies: Value = L.table([]);
let publish: Value = L.get(ARGV, 1);
for (let $at = L.number(1), $last = L.number(L.length(KEYS)); $at <= $last; $at += 1) {
let i: Value = $at;
let base: Value = L.add(L.multiply(L.subtract(i, 1), 5), 1);
let lock: Value = L.get(KEYS, i);
let holder: Value = L.get(ARGV, L.add(base, 1));
let count: Value = L.first(G['tonumber'](L.get(ARGV, L.add(base, 2))));
let lease: Value = L.first(G['tonumber'](L.get(ARGV, L.add(base, 3))));
let write: Value = L.first(G['tonumber'](L.get(ARGV, L.add(base, 4))));
let channel: Value = L.get(ARGV, L.add(base, 5));
let [ran, reply]: Value[] = [...G['pcall'](attempt, publish, lock, holder, count, lease, write, channel)];
L.set(replies, i, L.or(L.and(ran, () => reply), () => L.first(L.call(failure, reply, lock))));
}
return [replies];
},
// readRenew
'4a8da26f855b517ca82b6a67a2550a19f72ef0d4': (KEYS: LuaTable, ARGV: LuaTable): Value[] => {
const attempt = (publish?: Value, lock?: Value, holder?: Value, lease?: Value, channel?: Value): Value[] => {
if (!L.isTrue(L.first(L.call(whole, lease, 0, 315360000000)))) {
G['error'](L.table([], [['err', 'ERR the lease is out of range']]));
}
let [mode, writer]: Value[] = [...L.call(rwMode, lock)];
let held: Value = L.first(L.call(readCount, lock, holder, mode, writer));
let longest: Value = L.first(L.call(longestHold, lock, holder, held));
if (L.equal(longest, 0)) {
if (L.greater(held, 0)) {
G['redis.call']('HDEL', lock, holder);
if ((!L.isTrue(writer) && L.equal(L.first(L.call(longestRead, lock)), 0))) {
G['redis.call']('DEL', lock);
L.call(tell, publish, channel, '0');
}
}
L.call(dropOrphans, lock, holder);
return [L.table([0])];
}
for (let $at = L.number(1), $last = L.number(held); $at <= $last; $at += 1) {
let n: Value = $at;
let key: Value = L.first(L.call(holdKey, lock, holder, n));
let left: Value = L.first(G['redis.call']('PTTL', key));
if ((L.greaterOrEqual(left, 0) && L.less(left, lease))) {
G['redis.call']('PEXPIRE', key, lease);
}
}
G['redis.call']('HDEL', lock, '');
longest = L.first(G['math.max'](longest, lease));
if ((L.greater(lease, 0) || L.greaterOrEqual(L.first(G['redis.call']('PTTL', lock)), 0))) {
L.call(raiseLease, lock, longest);
}
return [L.table([1, longest])];
};
let replies: Value = L.table([]);
let publish: Value = L.get(ARGV, 1);
for (let $at = L.number(1), $last = L.number(L.length(KEYS)); $at <= $last; $at += 1) {
let i: Value = $at;
let base: Value = L.add(L.multiply(L.subtract(i, 1), 3), 1);
let lock: Value = L.get(KEYS, i);
let holder: Value = L.get(ARGV, L.add(base, 1));
let lease: Value = L.first(G['tonumber'](L.get(ARGV, L.add(base, 2))));
let channel: Value = L.get(ARGV, L.add(base, 3));
let [ran, reply]: Value[] = [...G['pcall'](attempt, publish, lock, holder, lease, channel)];
L.set(replies, i, L.or(L.and(ran, () => reply), () => L.first(L.call(failure, reply, lock))));
}
return [replies];
},
// reentrantAcquire
'1a5f03ca54c67ccacb24b982274210a1ea168863': (KEYS: LuaTable, ARGV: LuaTable): Value[] => {
if (L.equal(L.length(KEYS), 1)) {
let lease: Value = L.get(ARGV, 1);
let count: Value = L.get(ARGV, 2);
let lock: Value = L.get(KEYS, 1);
let holder: Value = L.get(ARGV, 3);
if (((((L.equal(count, '1') && L.less(L.length(lease), 12)) && L.isTrue(L.first(L.find(lease, /^[1-9][0-9]*$/)))) && L.equal(L.first(G['redis.pcall']('EXISTS', lock)), 0)) && L.equal(L.first(G['redis.pcall']('HSET', lock, holder, '1')), 1))) {
G['redis.call']('PEXPIRE', lock, lease);
return [1];
}
}
let replies: Value = L.table([]);
let lease: Value = L.first(G['tonumber'](L.get(ARGV, 1)));
let count: Value = L.first(G['tonumber'](L.get(ARGV, 2)));
for (let $at = L.number(1), $last = L.number(L.length(KEYS)); $at <= $last; $at += 1) {
let i: Value = $at;
let base: Value = L.add(i, 1);
let lock: Value = L.get(KEYS, i);
let holder: Value = L.get(ARGV, L.add(base, 1));
let [ran, reply]: Value[] = [...G['pcall'](take, lock, holder, lease, count)];
L.set(replies, i, L.or(L.and(ran, () => reply), () => L.first(L.call(failure, reply, lock))));
}
return L.call(oneForAll, replies);
},
// reentrantForceRelease
'bf81111724eaa1ab6a2f61b2089a1511a2d82c35': (KEYS: LuaTable, ARGV: LuaTable): Value[] => {
const attempt = (publish?: Value, lock?: Value, channel?: Value): Value[] => {
let kind: Value = L.get(L.first(G['redis.call']('TYPE', lock)), 'ok');
if (L.equal(kind, 'none')) {
return [L.table([0])];
}
if (!L.equal(kind, 'hash')) {
G['error'](L.table([], [['err', 'WRONGTYPE not a lock']]));
}
G['redis.call']('DEL', lock);
return [L.table([1, ...L.call(tell, publish, channel, '0')])];
};
let replies: Value = L.table([]);
let publish: Value = L.get(ARGV, 1);
for (let $at = L.number(1), $last = L.number(L.length(KEYS)); $at <= $last; $at += 1) {
let i: Value = $at;
let base: Value = i;
let lock: Value = L.get(KEYS, i);
let channel: Value = L.get(ARGV, L.add(base, 1));
let [ran, reply]: Value[] = [...G['pcall'](attempt, publish, lock, channel)];
L.set(replies, i, L.or(L.and(ran, () => reply), () => L.first(L.call(failure, reply, lock))));
}
return [replies];
},
// reentrantInspect
'9044398cce7f97429064883239e0914d9473ae47': (KEYS: LuaTable, ARGV: LuaTable): Value[] => {
const attempt = (lock?: Value, holder?: Value): Value[] => {
let count: Value = L.or(L.first(G['tonumber'](...G['redis.call']('HGET', lock, holder))), () => 0);
return [L.table([1, L.first(G['redis.call']('PTTL', lock)), count, L.or(L.first(G['redis.call']('HRANDFIELD', lock)), () => '')])];
};
let replies: Value = L.table([]);
for (let $at = L.number(1), $last = L.number(L.length(KEYS)); $at <= $last; $at += 1) {
let i: Value = $at;
let base: Value = L.subtract(i, 1);
let lock: Value = L.get(KEYS, i);
let holder: Value = L.get(ARGV, L.add(base, 1));
let [ran, reply]: Value[] = [...G['pcall'](attempt, lock, holder)];
L.set(replies, i, L.or(L.and(ran, () => reply), () => L.first(L.call(failure, reply, lock))));
}
return [replies];
},
// reentrantRelease
'945c202558898dcb546d863868cb60c55270bd76': (KEYS: LuaTable, ARGV: LuaTable): Value[] => {
if (L.equal(L.length(KEYS), 1)) {
let publish: Value = L.get(ARGV, 1);
let count: Value = L.get(ARGV, 2);
let lock: Value = L.get(KEYS, 1);
let holder: Value = L.get(ARGV, 4);
let channel: Value = L.get(ARGV, 5);
if (((L.equal(count, '0') && L.equal(L.first(G['redis.pcall']('HGET', lock, holder)), '1')) && L.equal(L.first(G['redis.pcall']('DEL', lock)), 1))) {
let reached: Value = L.first(G['redis.pcall'](publish, channel, '0'));
if (L.equal(reached, 0)) {
return [1];
}
return [L.table([L.table([1, L.or(L.and(L.equal(L.first(G['type'](reached)), 'number'), () => reached), () => L.negate(1))])])];
}
}
const attempt = (publish?: Value, lock?: Value, holder?: Value, count?: Value, lease?: Value, channel?: Value): Value[] => {
if ((!L.isTrue(L.first(L.call(whole, count, 0, 2147483647))) || !(L.equal(count, 0) || L.isTrue(L.first(L.call(whole, lease, 1, 315360000000)))))) {
G['error'](L.table([], [['err', 'ERR the hold count or the lease is out of range']]));
}
let held: Value = L.first(G['tonumber'](...G['redis.call']('HGET', lock, holder)));
if (L.equal(held, undefined)) {
return [L.table([0])];
}
if (L.greater(count, 0)) {
if (L.greater(held, count)) {
let isShorter: Value = L.first(L.call(setLease, lock, lease, 0));
G['redis.call']('HSET', lock, holder, count);
held = count;
if (L.isTrue(isShorter)) {
L.call(tellShorter, publish, channel);
}
}
return [L.table([2, held])];
}
G['redis.call']('DEL', lock);
let reached: Value = L.first(L.call(tell, publish, channel, '0'));
return [L.or(L.and(L.equal(reached, 0), () => 1), () => L.table([1, reached]))];
};
let replies: Value = L.table([]);
let publish: Value = L.get(ARGV, 1);
let count: Value = L.first(G['tonumber'](L.get(ARGV, 2)));
let lease: Value = L.first(G['tonumber'](L.get(ARGV, 3)));
for (let $at = L.number(1), $last = L.number(L.length(KEYS)); $at <= $last; $at += 1) {
let i: Value = $at;
let base: Value = L.add(L.multiply(L.subtract(i, 1), 2), 3);
let lock: Value = L.get(KEYS, i);
let holder: Value = L.get(ARGV, L.add(base, 1));
let channel: Value = L.get(ARGV, L.add(base, 2));
let [ran, reply]: Value[] = [...G['pcall'](attempt, publish, lock, holder, count, lease, channel)];
L.set(replies, i, L.or(L.and(ran, () => reply), () => L.first(L.call(failure, reply, lock))));
}
return L.call(oneForAll, replies);
},
// reentrantTransfer
'ceefb69353e3c36723530b501e0162c307a4871d': (KEYS: LuaTable, ARGV: LuaTable): Value[] => {
let replies: Value = L.table([]);
let publish: Value = L.get(ARGV, 1);
for (let $at = L.number(1), $last = L.number(L.length(KEYS)); $at <= $last; $at += 1) {
let i: Value = $at;
let base: Value = L.add(L.multiply(L.subtract(i, 1), 4), 1);
let lock: Value = L.get(KEYS, i);
let from: Value = L.get(ARGV, L.add(base, 1));
let to: Value = L.get(ARGV, L.add(base, 2));
let lease: Value = L.first(G['tonumber'](L.get(ARGV, L.add(base, 3))));
let channel: Value = L.get(ARGV, L.add(base, 4));
let [ran, reply]: Value[] = [...G['pcall'](hand, lock, from, to, lease, publish, channel)];
L.set(replies, i, L.or(L.and(ran, () => reply), () => L.first(L.call(failure, reply, lock))));
}
return L.call(oneForAll, replies);
},
// renewalRenew
'00299c5f020a1ba32f13154992113a7bd6ff23c7': (KEYS: LuaTable, ARGV: LuaTable): Value[] => {
const attempt = (lock?: Value, holder?: Value, lease?: Value): Value[] => {
if (!L.isTrue(L.first(L.call(whole, lease, 0, 315360000000)))) {
G['error'](L.table([], [['err', 'ERR the lease is out of range']]));
}
if (L.equal(L.first(G['redis.call']('HEXISTS', lock, holder)), 0)) {
return [L.table([0])];
}
let left: Value = L.first(G['redis.call']('PTTL', lock));
if ((L.greater(lease, 0) && L.lessOrEqual(left, lease))) {
G['redis.call']('PEXPIRE', lock, lease);
return [1];
}
G['redis.call']('HDEL', lock, '');
return [L.table([1, left])];
};
let replies: Value = L.table([]);
let lease: Value = L.first(G['tonumber'](L.get(ARGV, 1)));
for (let $at = L.number(1), $last = L.number(L.length(KEYS)); $at <= $last; $at += 1) {
let i: Value = $at;
let base: Value = i;
let lock: Value = L.get(KEYS, i);
let holder: Value = L.get(ARGV, L.add(base, 1));
let [ran, reply]: Value[] = [...G['pcall'](attempt, lock, holder, lease)];
L.set(replies, i, L.or(L.and(ran, () => reply), () => L.first(L.call(failure, reply, lock))));
}
return L.call(oneForAll, replies);
},
// semaphoreAcquire
'5f0de14082b938c7cff5c824cf716d3fca8b48a8': (KEYS: LuaTable, ARGV: LuaTable): Value[] => {
const attempt = (lock?: Value, call?: Value, wanted?: Value, keep?: Value): Value[] => {
if ((!L.isTrue(L.first(L.call(whole, wanted, 1, 2147483647))) || !L.isTrue(L.first(L.call(whole, keep, 1, 600000))))) {
G['error'](L.table([], [['err', 'ERR the number of permits or the life of the record is out of range']]));
}
let done: Value = L.first(G['redis.call']('GET', call));
if (L.isTrue(done)) {
let left: Value = L.first(G['tonumber'](...L.match(done, / ([0-9]+)$/)));
return [L.or(L.and(left, () => L.table([1, left])), () => L.table([2]))];
}
let available: Value = L.first(L.call(amount, lock));
if ((L.equal(available, undefined) || L.less(available, wanted))) {
return [L.table([0, L.or(available, () => 0)])];
}
let left: Value = L.first(G['redis.call']('DECRBY', lock, wanted));
G['redis.call']('SET', call, L.first(G['string.format']('%.0f %.0f', wanted, left)), 'PX', keep);
return [L.table([1, left])];
};
let replies: Value = L.table([]);
for (let $at = L.number(1), $last = L.number(L.divide(L.length(KEYS), 2)); $at <= $last; $at += 1) {
let i: Value = $at;
let base: Value = L.multiply(L.subtract(i, 1), 2);
let lock: Value = L.get(KEYS, L.add(base, 1));
let call: Value = L.get(KEYS, L.add(base, 2));
let wanted: Value = L.first(G['tonumber'](L.get(ARGV, L.add(base, 1))));
let keep: Value = L.first(G['tonumber'](L.get(ARGV, L.add(base, 2))));
let [ran, reply]: Value[] = [...G['pcall'](attempt, lock, call, wanted, keep)];
L.set(replies, i, L.or(L.and(ran, () => reply), () => L.first(L.call(failure, reply, lock))));
}
return [replies];
},
// semaphoreAdd
'0d058088e538747356458c3f7da235647cfa47da': (KEYS: LuaTable, ARGV: LuaTable): Value[] => {
const attempt = (publish?: Value, lock?: Value, call?: Value, change?: Value, payload?: Value, where?: Value, keep?: Value, channel?: Value): Value[] => {
if ((((!L.isTrue(L.first(L.call(whole, change, L.negate(2147483647), 2147483647))) || !L.isTrue(L.first(L.call(whole, keep, 1, 600000)))) || (!L.equal(payload, 'value') && !L.equal(payload, 'change'))) || (!L.equal(where, 'anywhere') && !L.equal(where, 'existing')))) {
G['error'](L.table([], [['err', 'ERR the change, its payload, its place or the life of the record is out of range']]));
}
let done: Value = L.first(G['redis.call']('GET', call));
if (L.isTrue(done)) {
return [L.table([1, L.first(G['tonumber'](done)), 0])];
}
let before: Value = L.first(L.call(amount, lock));
if ((L.equal(before, undefined) && L.equal(where, 'existing'))) {
return [L.table([0])];
}
if (!L.isTrue(L.first(L.call(whole, L.add(L.or(before, () => 0), change), L.negate(9007199254740991), 9007199254740991)))) {
G['error'](L.table([], [['err', 'ERR the number of permits would be out of range']]));
}
G['redis.call']('DEL', call);
let available: Value = L.first(G['redis.call']('INCRBY', lock, change));
G['redis.call']('SET', call, L.first(G['string.format']('%.0f', available)), 'PX', keep);
return [L.table([1, available, ...L.call(tellPermits, publish, channel, L.or(L.and(L.equal(payload, 'value'), () => available), () => change))])];
};
let replies: Value = L.table([]);
let publish: Value = L.get(ARGV, 1);
for (let $at = L.number(1), $last = L.number(L.divide(L.length(KEYS), 2)); $at <= $last; $at += 1) {
let i: Value = $at;
let base: Value = L.add(L.multiply(L.subtract(i, 1), 5), 1);
let lock: Value = L.get(KEYS, L.add(L.multiply(L.subtract(i, 1), 2), 1));
let call: Value = L.get(KEYS, L.add(L.multiply(L.subtract(i, 1), 2), 2));
let change: Value = L.first(G['tonumber'](L.get(ARGV, L.add(base, 1))));
let payload: Value = L.get(ARGV, L.add(base, 2));
let where: Value = L.get(ARGV, L.add(base, 3));
let keep: Value = L.first(G['tonumber'](L.get(ARGV, L.add(base, 4))));
let channel: Value = L.get(ARGV, L.add(base, 5));
let [ran, reply]: Value[] = [...G['pcall'](attempt, publish, lock, call, change, payload, where, keep, channel)];
L.set(replies, i, L.or(L.and(ran, () => reply), () => L.first(L.call(failure, reply, lock))));
}
return [replies];
},
// semaphoreDelete
'c6cc731139c2fcf785780099f8cc96c6c7de1598': (KEYS: LuaTable, ARGV: LuaTable): Value[] => {
const attempt = (lock?: Value, timeout?: Value): Value[] => {
L.call(amount, lock);
G['redis.call']('ZCARD', timeout);
return [L.table([L.or(L.and(L.greater(L.first(G['redis.call']('DEL', lock, timeout)), 0), () => 1), () => 0)])];
};
let replies: Value = L.table([]);
for (let $at = L.number(1), $last = L.number(L.divide(L.length(KEYS), 2)); $at <= $last; $at += 1) {
let i: Value = $at;
let base: Value = L.multiply(L.subtract(i, 1), 2);
let lock: Value = L.get(KEYS, L.add(base, 1));
let timeout: Value = L.get(KEYS, L.add(base, 2));
let [ran, reply]: Value[] = [...G['pcall'](attempt, lock, timeout)];
L.set(replies, i, L.or(L.and(ran, () => reply), () => L.first(L.call(failure, reply, lock))));
}
return [replies];
},
// semaphoreDrain
'42bdc7a7f3bce0b88543e9dd563a3a1d81497007': (KEYS: LuaTable, ARGV: LuaTable): Value[] => {
const attempt = (lock?: Value, call?: Value, keep?: Value): Value[] => {
if (!L.isTrue(L.first(L.call(whole, keep, 1, 600000)))) {
G['error'](L.table([], [['err', 'ERR the life of the record is out of range']]));
}
let done: Value = L.first(G['redis.call']('GET', call));
if (L.isTrue(done)) {
let taken: Value = L.first(G['tonumber'](...L.match(done, /^([\x2d]?[0-9]+) /)));
return [L.or(L.and(taken, () => L.table([1, taken])), () => L.table([2]))];
}
let available: Value = L.or(L.first(L.call(amount, lock)), () => 0);
if (!L.equal(available, 0)) {
G['redis.call']('DECRBY', lock, ...G['string.format']('%.0f', available));
G['redis.call']('SET', call, L.first(G['string.format']('%.0f 0', available)), 'PX', keep);
}
return [L.table([1, available])];
};
let replies: Value = L.table([]);
for (let $at = L.number(1), $last = L.number(L.divide(L.length(KEYS), 2)); $at <= $last; $at += 1) {
let i: Value = $at;
let base: Value = L.subtract(i, 1);
let lock: Value = L.get(KEYS, L.add(L.multiply(base, 2), 1));
let call: Value = L.get(KEYS, L.add(L.multiply(base, 2), 2));
let keep: Value = L.first(G['tonumber'](L.get(ARGV, L.add(base, 1))));
let [ran, reply]: Value[] = [...G['pcall'](attempt, lock, call, keep)];
L.set(replies, i, L.or(L.and(ran, () => reply), () => L.first(L.call(failure, reply, lock))));
}
return [replies];
},
// semaphoreInspect
'06e311ad9e70392ec355584bd22e57b18c0e27fc': (KEYS: LuaTable, ARGV: LuaTable): Value[] => {
const attempt = (lock?: Value): Value[] => {
return [L.table([1, L.or(L.first(L.call(amount, lock)), () => 0), ...G['redis.call']('PTTL', lock)])];
};
let replies: Value = L.table([]);
for (let $at = L.number(1), $last = L.number(L.length(KEYS)); $at <= $last; $at += 1) {
let i: Value = $at;
let lock: Value = L.get(KEYS, i);
let [ran, reply]: Value[] = [...G['pcall'](attempt, lock)];
L.set(replies, i, L.or(L.and(ran, () => reply), () => L.first(L.call(failure, reply, lock))));
}
return [replies];
},
// semaphoreSet
'53a86a94ff5501906867b59126c696d3473b8760': (KEYS: LuaTable, ARGV: LuaTable): Value[] => {
const attempt = (publish?: Value, lock?: Value, call?: Value, wanted?: Value, ttl?: Value, keep?: Value, channel?: Value): Value[] => {
if (((!L.isTrue(L.first(L.call(whole, wanted, 0, 2147483647))) || !L.isTrue(L.first(L.call(whole, ttl, 0, 315360000000)))) || !L.isTrue(L.first(L.call(whole, keep, 1, 600000))))) {
G['error'](L.table([], [['err', 'ERR the number of permits or a time to live is out of range']]));
}
if (L.isTrue(L.first(G['redis.call']('GET', call)))) {
return [L.table([1])];
}
if (!L.equal(L.first(L.call(amount, lock)), undefined)) {
return [L.table([0])];
}
G['redis.call']('SET', lock, ...G['string.format']('%.0f', wanted));
if (L.greater(ttl, 0)) {
G['redis.call']('PEXPIRE', lock, ttl);
}
G['redis.call']('SET', call, '1', 'PX', keep);
L.call(tellPermits, publish, channel, wanted);
return [L.table([1])];
};
let replies: Value = L.table([]);
let publish: Value = L.get(ARGV, 1);
for (let $at = L.number(1), $last = L.number(L.divide(L.length(KEYS), 2)); $at <= $last; $at += 1) {
let i: Value = $at;
let base: Value = L.add(L.multiply(L.subtract(i, 1), 4), 1);
let lock: Value = L.get(KEYS, L.add(L.multiply(L.subtract(i, 1), 2), 1));
let call: Value = L.get(KEYS, L.add(L.multiply(L.subtract(i, 1), 2), 2));
let wanted: Value = L.first(G['tonumber'](L.get(ARGV, L.add(base, 1))));
let ttl: Value = L.first(G['tonumber'](L.get(ARGV, L.add(base, 2))));
let keep: Value = L.first(G['tonumber'](L.get(ARGV, L.add(base, 3))));
let channel: Value = L.get(ARGV, L.add(base, 4));
let [ran, reply]: Value[] = [...G['pcall'](attempt, publish, lock, call, wanted, ttl, keep, channel)];
L.set(replies, i, L.or(L.and(ran, () => reply), () => L.first(L.call(failure, reply, lock))));
}
return [replies];
},
// semaphoreUndo
'87ca7acaea8812eedf50c1b450016438062cdb6c': (KEYS: LuaTable, ARGV: LuaTable): Value[] => {
const attempt = (publish?: Value, lock?: Value, call?: Value, keep?: Value, channel?: Value): Value[] => {
if (!L.isTrue(L.first(L.call(whole, keep, 1, 600000)))) {
G['error'](L.table([], [['err', 'ERR the life of the record is out of range']]));
}
let taken: Value = L.first(G['tonumber'](...L.match(L.or(L.first(G['redis.call']('GET', call)), () => ''), /^([\x2d]?[0-9]+) /)));
let available: Value = L.first(L.call(amount, lock));
G['redis.call']('DEL', call);
G['redis.call']('SET', call, 'undone', 'PX', keep);
if ((L.equal(taken, undefined) || L.equal(available, undefined))) {
return [L.table([0])];
}
return [L.table([1, ...L.call(tellPermits, publish, channel, ...G['redis.call']('INCRBY', lock, taken))])];
};
let replies: Value = L.table([]);
let publish: Value = L.get(ARGV, 1);
for (let $at = L.number(1), $last = L.number(L.divide(L.length(KEYS), 2)); $at <= $last; $at += 1) {
let i: Value = $at;
let base: Value = L.multiply(L.subtract(i, 1), 2);
let lock: Value = L.get(KEYS, L.add(base, 1));
let call: Value = L.get(KEYS, L.add(base, 2));
let keep: Value = L.first(G['tonumber'](L.get(ARGV, L.add(base, 2))));
let channel: Value = L.get(ARGV, L.add(base, 3));
let [ran, reply]: Value[] = [...G['pcall'](attempt, publish, lock, call, keep, channel)];
L.set(replies, i, L.or(L.and(ran, () => reply), () => L.first(L.call(failure, reply, lock))));
}
return [replies];
},
// tickAgain
'8e1378982478e74c5262c4546279f9e1942386c2': (KEYS: LuaTable, ARGV: LuaTable): Value[] => {
let lock: Value = L.get(KEYS, 1);
let record: Value = L.get(KEYS, 2);
let runs: Value = L.get(KEYS, 3);
let holder: Value = L.get(ARGV, 1);
let lease: Value = L.first(G['tonumber'](L.get(ARGV, 2)));
let gap: Value = L.get(ARGV, 3);
let app: Value = L.get(ARGV, 4);
let instance: Value = L.get(ARGV, 5);
let onCrash: Value = L.get(ARGV, 6);
let grace: Value = L.first(G['tonumber'](L.get(ARGV, 7)));
const attempt = (): Value[] => {
let problem: Value = L.first(L.call(mistyped, lock, record, runs));
if (L.isTrue(problem)) {
return [problem];
}
if ((((!L.equal(onCrash, 'skip') && !L.equal(onCrash, 'retry')) || !L.isTrue(L.first(L.call(whole, lease, 1, 315360000000)))) || !L.isTrue(L.first(L.call(whole, grace, 0, 99999999999999))))) {
return [L.table([L.negate(1), 'ERR the policy is unknown, or the lease or the grace is out of range', 'none'])];
}
let asker: Value = L.table([], [['holder', holder], ['lease', lease], ['app', app], ['instance', instance], ['onCrash', onCrash], ['grace', grace]]);
let job: Value = L.first(L.call(openJob, lock, record, runs, asker));
let first: Value = L.first(L.call(grantFirst, job));
if (!L.isTrue(first)) {
if (L.isTrue(L.get(L.get(job, 'run'), 'request'))) {
L.call(closeDead, job);
}
let request: Value = L.get(L.get(job, 'request'), 'id');
let inTime: Value = L.and(request, () => L.lessOrEqual(L.get(job, 'at'), L.or(L.first(G['tonumber'](L.get(L.get(job, 'request'), 'until'))), () => 0)));
if (((L.isTrue(request) && L.isTrue(inTime)) && !L.isTrue(L.get(job, 'held')))) {
return L.call(grantRun, job, L.get(job, 'at'), 1, L.get(job, 'request'));
}
if ((L.isTrue(request) && !L.isTrue(inTime))) {
G['redis.call']('HDEL', record, 'request');
L.set(job, 'request', L.table([]));
}
if ((L.isTrue(L.get(job, 'paused')) || (L.isTrue(request) && L.isTrue(inTime)))) {
return L.call(answerJob, job, L.or(L.and(L.get(job, 'paused'), () => 8), () => 2));
}
L.call(closeStale, job);
if ((!L.isTrue(L.get(job, 'queued')) || L.isTrue(L.get(job, 'held')))) {
return L.call(answerJob, job, 2);
}
first = L.first(L.call(grantRun, job, L.get(job, 'queued'), 1));
G['redis.call']('HDEL', record, 'queued');
}
if ((((L.equal(L.get(first, 1), 1) && !L.equal(gap, '')) && !L.isTrue(L.get(job, 'running'))) && L.greater(L.get(job, 'at'), L.or(L.get(job, 'mark'), () => 0)))) {
G['redis.call']('HSET', record, 'mark', ...G['string.format']('%.0f', L.get(job, 'at')));
}
return [first];
};
let [ran, reply]: Value[] = [...G['pcall'](attempt)];
return [L.or(L.and(ran, () => reply), () => L.first(L.call(failure, reply, lock)))];
},
// tickBegin
'645eff60b8f066f92f4638cf45630fb67380ba15': (KEYS: LuaTable, ARGV: LuaTable): Value[] => {
let record: Value = L.get(KEYS, 1);
let publish: Value = L.get(ARGV, 1);
let channel: Value = L.get(ARGV, 2);
let holder: Value = L.get(ARGV, 3);
let request: Value = L.get(ARGV, 4);
const attempt = (): Value[] => {
let kind: Value = L.get(L.first(G['redis.call']('TYPE', record)), 'ok');
if ((!L.equal(kind, 'none') && !L.equal(kind, 'hash'))) {
return [L.table([L.negate(1), L.concat('WRONGTYPE ', L.concat(record, ' is not a hash')), kind])];
}
let time: Value = L.first(G['redis.call']('TIME'));
let at: Value = L.add(L.multiply(L.get(time, 1), 1000), L.first(G['math.floor'](L.divide(L.get(time, 2), 1000))));
let run: Value = L.first(L.call(rowOf, ...G['redis.call']('HGET', record, 'run')));
if (((!L.equal(L.first(G['redis.call']('HGET', record, 'holder')), holder) || !L.equal(L.get(run, 'request'), request)) || L.equal(L.length(request), 0))) {
return [L.table([L.or(L.and(L.equal(L.first(G['redis.call']('HGET', record, 'served')), request), () => 1), () => 0), at])];
}
if (L.equal(L.get(L.first(L.call(rowOf, ...G['redis.call']('HGET', record, 'request'))), 'id'), request)) {
G['redis.call']('HDEL', record, 'request');
}
L.set(run, 'request', undefined);
G['redis.call']('HSET', record, 'served', request, 'run', ...G['cjson.encode'](run));
L.call(tell, publish, channel, L.concat('served:', request));
return [L.table([1, at])];
};
let [ran, reply]: Value[] = [...G['pcall'](attempt)];
return [L.or(L.and(ran, () => reply), () => L.first(L.call(failure, reply, record)))];
},
// tickClaim
'67a341c7f10dc7894a9001c4b9529a35e8517321': (KEYS: LuaTable, ARGV: LuaTable): Value[] => {
let lock: Value = L.get(KEYS, 1);
let record: Value = L.get(KEYS, 2);
let runs: Value = L.get(KEYS, 3);
let holder: Value = L.get(ARGV, 1);
let lease: Value = L.first(G['tonumber'](L.get(ARGV, 2)));
let mode: Value = L.get(ARGV, 3);
let tick: Value = L.first(G['tonumber'](L.get(ARGV, 4)));
let following: Value = L.first(G['tonumber'](L.get(ARGV, 5)));
let previous: Value = L.first(G['tonumber'](L.get(ARGV, 6)));
let app: Value = L.get(ARGV, 7);
let instance: Value = L.get(ARGV, 8);
let onCrash: Value = L.get(ARGV, 9);
let overlap: Value = L.get(ARGV, 10);
let grace: Value = L.first(G['tonumber'](L.get(ARGV, 11)));
let LAST: Value = 99999999999999;
const text = (number?: Value): Value[] => {
return G['string.format']('%.0f', number);
};
const attempt = (): Value[] => {
let problem: Value = L.first(L.call(mistyped, lock, record, runs));
if (L.isTrue(problem)) {
return [problem];
}
if (((!L.equal(onCrash, 'skip') && !L.equal(onCrash, 'retry')) || (!L.equal(overlap, 'skip') && !L.equal(overlap, 'queue')))) {
return [L.table([L.negate(1), L.concat('ERR unknown policy ', L.concat(onCrash, L.concat('/', overlap))), 'none'])];
}
if (((((((!L.isTrue(L.first(L.call(whole, lease, 1, 315360000000))) || !L.isTrue(L.first(L.call(whole, grace, 0, LAST)))) || (((!L.equal(mode, 'cron') && !L.equal(mode, 'interval')) && !L.equal(mode, 'instant')) && !L.equal(mode, 'close'))) || (!L.equal(mode, 'interval') && !L.isTrue(L.first(L.call(whole, tick, 0, LAST))))) || (L.isTrue(following) && !(L.greaterOrEqual(following, 0) && L.lessOrEqual(following, LAST)))) || (L.equal(mode, 'interval') && !L.isTrue(following))) || (L.isTrue(previous) && !L.isTrue(L.first(L.call(whole, previous, 0, LAST)))))) {
return [L.table([L.negate(1), 'ERR the mode is unknown, or the lease or an instant is out of range', 'none'])];
}
let asker: Value = L.table([], [['holder', holder], ['lease', lease], ['app', app], ['instance', instance], ['onCrash', onCrash], ['grace', grace]]);
let job: Value = L.first(L.call(openJob, lock, record, runs, asker));
if (L.equal(mode, 'instant')) {
L.set(job, 'offer', undefined);
}
let first: Value = L.first(L.call(grantFirst, job));
if (L.isTrue(first)) {
if ((((L.equal(L.get(first, 1), 1) && L.equal(mode, 'interval')) && !L.isTrue(L.get(job, 'running'))) && L.greater(L.get(job, 'at'), L.or(L.get(job, 'mark'), () => 0)))) {
G['redis.call']('HSET', record, 'mark', ...L.call(text, L.get(job, 'at')));
}
return [first];
}
let [at, mark]: Value[] = [L.get(job, 'at'), L.get(job, 'mark')];
if (L.equal(mode, 'interval')) {
tick = at;
} else if (!L.equal(mode, 'instant')) {
if (L.less(at, tick)) {
return L.call(answerJob, job, 5);
}
if ((L.isTrue(following) && L.greaterOrEqual(at, following))) {
return L.call(answerJob, job, 6);
}
}
if ((L.isTrue(mark) && (L.lessOrEqual(tick, mark) || (L.equal(mode, 'interval') && L.less(L.subtract(tick, mark), following))))) {
return L.call(answerJob, job, 2);
}
G['redis.call']('HSETNX', record, 'v', '1');
G['redis.call']('HSET', record, 'mark', ...L.call(text, tick));
L.set(job, 'mark', tick);
if (L.isTrue(L.get(job, 'paused'))) {
return L.call(answerJob, job, 8);
}
L.call(closeDead, job);
if (!L.equal(mode, 'instant')) {
L.call(closeStale, job);
}
if (((!L.isTrue(mark) && !L.equal(mode, 'instant')) && (L.equal(onCrash, 'skip') || L.equal(mode, 'close')))) {
L.call(noteTick, job, tick, 'missed', 'record lost: Redis had no mark of this job');
return L.call(answerJob, job, 4);
}
if (((L.isTrue(mark) && L.isTrue(previous)) && L.less(mark, previous))) {
L.call(noteTick, job, previous, 'missed', 'no instance claimed it', mark);
}
if (L.equal(mode, 'close')) {
L.call(noteTick, job, tick, 'missed', 'too old: no instance claimed it within the grace');
return L.call(answerJob, job, 4);
}
if (!L.isTrue(L.get(job, 'held'))) {
return L.call(grantRun, job, tick, 1);
}
if (L.equal(overlap, 'queue')) {
L.set(job, 'queued', tick);
G['redis.call']('HSET', record, 'queued', ...L.call(text, tick));
return L.call(answerJob, job, 7);
}
L.call(noteTick, job, tick, 'overlapped', L.or(L.and(L.get(job, 'running'), () => 'the last run still has the lock'), () => L.concat('the lock is held by ', L.first(G['redis.call']('HRANDFIELD', lock)))));
return L.call(answerJob, job, 3);
};
let [ran, reply]: Value[] = [...G['pcall'](attempt)];
return [L.or(L.and(ran, () => reply), () => L.first(L.call(failure, reply, lock)))];
},
// tickFinish
'8f8e849dafb4e4410d5ea27ae7521e4567d2457d': (KEYS: LuaTable, ARGV: LuaTable): Value[] => {
let lock: Value = L.get(KEYS, 1);
let record: Value = L.get(KEYS, 2);
let runs: Value = L.get(KEYS, 3);
let publish: Value = L.get(ARGV, 1);
let holder: Value = L.get(ARGV, 2);
let token: Value = L.get(ARGV, 3);
let count: Value = L.first(G['tonumber'](L.get(ARGV, 4)));
let lease: Value = L.first(G['tonumber'](L.get(ARGV, 5)));
let channel: Value = L.get(ARGV, 6);
let jobs: Value = L.get(ARGV, 7);
let outcome: Value = L.get(ARGV, 8);
let reason: Value = L.get(ARGV, 9);
let ENDS: Value = L.table([], [['completed', true], ['failed', true], ['handed-over', true]]);
const finished = (): Value[] => {
for (let [_, entry] of L.ipairs(L.first(G['redis.call']('LRANGE', runs, 0, 49)))) {
if ((!L.equal(token, '') && L.isTrue(L.first(L.findPlain(entry, token))))) {
let row: Value = L.first(L.call(rowOf, entry));
if (L.equal(L.get(row, 'token'), token)) {
return [L.get(ENDS, L.get(row, 'outcome'))];
}
}
}
return [false];
};
const attempt = (): Value[] => {
let problem: Value = L.first(L.call(mistyped, lock, record, runs));
if (L.isTrue(problem)) {
return [problem];
}
if (((((!L.isTrue(L.first(L.call(whole, count, 0, 2147483647))) || (L.greater(count, 0) && !L.isTrue(L.first(L.call(whole, lease, 1, 315360000000))))) || (!L.isTrue(L.get(ENDS, outcome)) && !L.equal(outcome, 'returned'))) || L.equal(L.length(holder), 0)) || (L.equal(L.length(token), 0) && !L.equal(outcome, 'returned')))) {
return [L.table([L.negate(1), 'ERR the outcome is unknown, or the hold count or the lease is out of range', 'none'])];
}
if (L.greater(L.length(reason), 4000)) {
reason = L.first(L.gsub(L.first(G['string.sub'](reason, 1, 4000)), /[\xc0-\xff][\x80-\xbf]*$/g, ''));
}
let time: Value = L.first(G['redis.call']('TIME'));
let at: Value = L.add(L.multiply(L.get(time, 1), 1000), L.first(G['math.floor'](L.divide(L.get(time, 2), 1000))));
let held: Value = L.first(G['tonumber'](...G['redis.call']('HGET', lock, holder)));
let fields: Value = L.first(G['redis.call']('HMGET', record, 'holder', 'token', 'run'));
let handsOver: Value = false;
if (((L.isTrue(held) && L.equal(L.get(fields, 1), holder)) && (L.equal(L.get(fields, 2), token) || L.equal(token, '')))) {
let row: Value = L.first(L.call(rowOf, L.get(fields, 3)));
let [tick, number]: Value[] = [L.first(G['tonumber'](L.get(row, 'tick'))), L.or(L.first(G['tonumber'](L.get(row, 'attempt'))), () => 1)];
let asked: Value = L.get(row, 'request');
L.set(row, 'request', undefined);
G['redis.call']('HDEL', record, 'holder', 'run');
if ((L.isTrue(asked) && !L.equal(outcome, 'returned'))) {
if (L.equal(L.get(L.first(L.call(rowOf, ...G['redis.call']('HGET', record, 'request'))), 'id'), asked)) {
G['redis.call']('HDEL', record, 'request');
}
L.call(tell, publish, jobs, L.concat('served:', asked));
}
if (!L.equal(outcome, 'returned')) {
const $1: Value[] = [token, outcome, at];
L.set(row, 'token', $1[0]);
L.set(row, 'outcome', $1[1]);
L.set(row, 'end', $1[2]);
if (!L.equal(reason, '')) {
L.set(row, 'reason', reason);
}
L.call(addRow, record, runs, row);
}
handsOver = L.and(tick, () => L.or(L.equal(outcome, 'returned'), () => L.equal(outcome, 'handed-over')));
if ((L.isTrue(handsOver) && !L.isTrue(asked))) {
let handed: Value = L.table([], [['tick', tick], ['attempt', L.or(L.and(L.equal(outcome, 'returned'), () => number), () => L.add(number, 1))]]);
L.set(handed, 'at', L.or(L.and(L.equal(outcome, 'returned'), () => L.first(G['math.min'](at, tick))), () => at));
let waiting: Value = L.first(L.call(rowOf, ...G['redis.call']('HGET', record, 'handed')));
L.set(waiting, L.add(L.length(waiting), 1), handed);
L.call(keepHanded, record, waiting);
}
} else if (((!L.isTrue(held) || L.equal(L.get(fields, 1), holder)) && !L.isTrue(L.first(L.call(finished))))) {
return [L.table([0, at])];
}
if (!L.isTrue(held)) {
return [L.table([1, at, 0])];
}
if (L.greater(count, 0)) {
if (L.greater(held, count)) {
let isShorter: Value = L.first(L.call(setLease, lock, lease, 0));
G['redis.call']('HSET', lock, holder, count);
if (L.isTrue(isShorter)) {
L.call(tellShorter, publish, channel);
}
}
return [L.table([2, at])];
}
G['redis.call']('DEL', lock);
let reached: Value = L.first(L.call(tell, publish, channel, '0'));
if (L.isTrue(handsOver)) {
L.call(tell, publish, jobs, 'look');
}
return [L.table([1, at, reached])];
};
let [ran, reply]: Value[] = [...G['pcall'](attempt)];
return [L.or(L.and(ran, () => reply), () => L.first(L.call(failure, reply, lock)))];
},
// tickForget
'7046a77a884f6e800c3d4f3c89c81520241fe3ca': (KEYS: LuaTable, ARGV: LuaTable): Value[] => {
let lock: Value = L.get(KEYS, 1);
let record: Value = L.get(KEYS, 2);
let runs: Value = L.get(KEYS, 3);
let force: Value = L.get(ARGV, 1);
const attempt = (): Value[] => {
let problem: Value = L.first(L.call(mistyped, lock, record, runs));
if (L.isTrue(problem)) {
return [problem];
}
let time: Value = L.first(G['redis.call']('TIME'));
let at: Value = L.add(L.multiply(L.get(time, 1), 1000), L.first(G['math.floor'](L.divide(L.get(time, 2), 1000))));
let runner: Value = L.first(G['redis.call']('HGET', record, 'holder'));
if (((!L.equal(force, 'force') && L.isTrue(runner)) && L.equal(L.first(G['redis.call']('HEXISTS', lock, runner)), 1))) {
return [L.table([0, at])];
}
return [L.table([1, at, ...G['redis.call']('DEL', record, runs)])];
};
let [ran, reply]: Value[] = [...G['pcall'](attempt)];
return [L.or(L.and(ran, () => reply), () => L.first(L.call(failure, reply, lock)))];
},
// tickInspect
'bbecd2b6910942ea0b088c730624a8b5378fb6bb': (KEYS: LuaTable, ARGV: LuaTable): Value[] => {
let lock: Value = L.get(KEYS, 1);
let record: Value = L.get(KEYS, 2);
let runs: Value = L.get(KEYS, 3);
const attempt = (): Value[] => {
let problem: Value = L.first(L.call(mistyped, lock, record, runs));
if (L.isTrue(problem)) {
return [problem];
}
let time: Value = L.first(G['redis.call']('TIME'));
let at: Value = L.add(L.multiply(L.get(time, 1), 1000), L.first(G['math.floor'](L.divide(L.get(time, 2), 1000))));
let fields: Value = L.first(G['redis.call']('HMGET', record, 'holder', 'run'));
let running: Value = L.and(L.get(fields, 1), () => L.equal(L.first(G['redis.call']('HEXISTS', lock, L.get(fields, 1))), 1));
let rows: Value = L.first(G['redis.call']('LRANGE', runs, 0, 49));
if (L.isTrue(L.get(fields, 2))) {
G['table.insert'](rows, 1, L.get(fields, 2));
}
return [L.table([1, at, L.or(L.and(running, () => 1), () => 0), rows, ...G['redis.call']('HGETALL', record)])];
};
let [ran, reply]: Value[] = [...G['pcall'](attempt)];
return [L.or(L.and(ran, () => reply), () => L.first(L.call(failure, reply, lock)))];
},
// tickPause
'84362101e07a44c8a3e881d02183f7266ed5b5a4': (KEYS: LuaTable, ARGV: LuaTable): Value[] => {
let lock: Value = L.get(KEYS, 1);
let record: Value = L.get(KEYS, 2);
let runs: Value = L.get(KEYS, 3);
let publish: Value = L.get(ARGV, 1);
let channel: Value = L.get(ARGV, 2);
let verb: Value = L.get(ARGV, 3);
let app: Value = L.get(ARGV, 4);
let instance: Value = L.get(ARGV, 5);
const attempt = (): Value[] => {
let problem: Value = L.first(L.call(mistyped, lock, record, runs));
if (L.isTrue(problem)) {
return [problem];
}
if ((!L.equal(verb, 'pause') && !L.equal(verb, 'resume'))) {
return [L.table([L.negate(1), L.concat('ERR unknown verb ', verb), 'none'])];
}
let time: Value = L.first(G['redis.call']('TIME'));
let at: Value = L.add(L.multiply(L.get(time, 1), 1000), L.first(G['math.floor'](L.divide(L.get(time, 2), 1000))));
let paused: Value = L.first(G['redis.call']('HGET', record, 'paused'));
if (L.equal(L.or(L.and(paused, () => true), () => false), L.equal(verb, 'pause'))) {
return [L.table([0, at])];
}
const note = (tick?: Value, outcome?: Value, reason?: Value, after?: Value): Value[] => {
let row: Value = L.table([], [['tick', tick], ['outcome', outcome], ['reason', reason], ['after', after], ['attempt', 0], ['start', at]]);
const $1: Value[] = [app, instance];
L.set(row, 'app', $1[0]);
L.set(row, 'instance', $1[1]);
L.call(addRow, record, runs, row);
return [];
};
let mark: Value = L.first(G['tonumber'](...G['redis.call']('HGET', record, 'mark')));
if (L.equal(verb, 'pause')) {
G['redis.call']('HSETNX', record, 'v', '1');
G['redis.call']('HSET', record, 'paused', ...G['cjson.encode'](L.table([], [['at', at], ['mark', mark], ['app', app], ['instance', instance]])));
let queued: Value = L.first(G['tonumber'](...G['redis.call']('HGET', record, 'queued')));
if (L.isTrue(queued)) {
L.call(note, queued, 'overlapped', 'the job was paused before the lock was free');
G['redis.call']('HDEL', record, 'queued');
}
return [L.table([1, at])];
}
let from: Value = L.first(G['tonumber'](L.get(L.first(L.call(rowOf, paused)), 'mark')));
if (((L.isTrue(mark) && L.isTrue(from)) && L.greater(mark, from))) {
L.call(note, mark, 'paused', 'the job was paused', from);
}
G['redis.call']('HDEL', record, 'paused');
L.call(tell, publish, channel, 'look');
return [L.table([1, at])];
};
let [ran, reply]: Value[] = [...G['pcall'](attempt)];
return [L.or(L.and(ran, () => reply), () => L.first(L.call(failure, reply, lock)))];
},
// tickRegister
'f2f312041bd0d912e78eedcc5298af1c07f91aec': (KEYS: LuaTable, ARGV: LuaTable): Value[] => {
let record: Value = L.get(KEYS, 1);
let tick: Value = L.get(ARGV, 1);
let app: Value = L.get(ARGV, 2);
let schedule: Value = L.get(ARGV, 3);
const attempt = (): Value[] => {
let kind: Value = L.get(L.first(G['redis.call']('TYPE', record)), 'ok');
if ((!L.equal(kind, 'none') && !L.equal(kind, 'hash'))) {
return [L.table([L.negate(1), L.concat('WRONGTYPE ', L.concat(record, ' is not a hash')), kind])];
}
let time: Value = L.first(G['redis.call']('TIME'));
let at: Value = L.add(L.multiply(L.get(time, 1), 1000), L.first(G['math.floor'](L.divide(L.get(time, 2), 1000))));
let before: Value = L.first(G['redis.call']('HMGET', record, 'app', 'schedule'));
if (!L.equal(tick, '')) {
let mark: Value = L.or(L.and(L.equal(tick, 'now'), () => at), () => L.first(G['tonumber'](tick)));
if ((((!L.isTrue(mark) || L.less(mark, 0)) || L.greater(mark, 99999999999999)) || !L.equal(L.modulo(mark, 1), 0))) {
return [L.table([L.negate(1), 'ERR the instant is out of range', 'none'])];
}
G['redis.call']('HSETNX', record, 'v', '1');
G['redis.call']('HSETNX', record, 'mark', ...G['string.format']('%.0f', mark));
G['redis.call']('HSET', record, 'app', app, 'schedule', schedule);
}
return [L.table([1, at, L.or(L.first(G['redis.call']('HGET', record, 'mark')), () => ''), L.or(L.get(before, 1), () => ''), L.or(L.get(before, 2), () => '')])];
};
let [ran, reply]: Value[] = [...G['pcall'](attempt)];
return [L.or(L.and(ran, () => reply), () => L.first(L.call(failure, reply, record)))];
},
// tickRequest
'3e2a4e62e9d52f28bf58c6d8e1e31e4073798f6c': (KEYS: LuaTable, ARGV: LuaTable): Value[] => {
let record: Value = L.get(KEYS, 1);
let publish: Value = L.get(ARGV, 1);
let channel: Value = L.get(ARGV, 2);
let id: Value = L.get(ARGV, 3);
let patience: Value = L.first(G['tonumber'](L.get(ARGV, 4)));
let by: Value = L.get(ARGV, 5);
const attempt = (): Value[] => {
let kind: Value = L.get(L.first(G['redis.call']('TYPE', record)), 'ok');
if ((!L.equal(kind, 'none') && !L.equal(kind, 'hash'))) {
return [L.table([L.negate(1), L.concat('WRONGTYPE ', L.concat(record, ' is not a hash')), kind])];
}
if ((L.equal(L.length(id), 0) || !L.isTrue(L.first(L.call(whole, patience, 1, 315360000000))))) {
return [L.table([L.negate(1), 'ERR there is no id, or the patience is out of range', 'none'])];
}
let time: Value = L.first(G['redis.call']('TIME'));
let at: Value = L.add(L.multiply(L.get(time, 1), 1000), L.first(G['math.floor'](L.divide(L.get(time, 2), 1000))));
if (L.equal(L.first(G['redis.call']('HGET', record, 'served')), id)) {
return [L.table([1, at, id, 0])];
}
let waiting: Value = L.first(L.call(rowOf, ...G['redis.call']('HGET', record, 'request')));
let last: Value = L.or(L.first(G['tonumber'](L.get(waiting, 'until'))), () => 0);
if ((!L.equal(L.first(G['type'](L.get(waiting, 'id'))), 'string') || L.greater(at, last))) {
waiting = L.table([], [['id', id], ['by', by]]);
}
L.set(waiting, 'until', L.first(G['math.max'](last, L.add(at, patience))));
G['redis.call']('HSETNX', record, 'v', '1');
G['redis.call']('HSET', record, 'request', ...G['cjson.encode'](waiting));
return [L.table([1, at, L.get(waiting, 'id'), ...L.call(tell, publish, channel, 'look')])];
};
let [ran, reply]: Value[] = [...G['pcall'](attempt)];
return [L.or(L.and(ran, () => reply), () => L.first(L.call(failure, reply, record)))];
},
// tickWithdraw
'8cea48d67f86cc626fa31772614fdb1a838f7205': (KEYS: LuaTable, ARGV: LuaTable): Value[] => {
let record: Value = L.get(KEYS, 1);
let id: Value = L.get(ARGV, 1);
const attempt = (): Value[] => {
let kind: Value = L.get(L.first(G['redis.call']('TYPE', record)), 'ok');
if ((!L.equal(kind, 'none') && !L.equal(kind, 'hash'))) {
return [L.table([L.negate(1), L.concat('WRONGTYPE ', L.concat(record, ' is not a hash')), kind])];
}
let time: Value = L.first(G['redis.call']('TIME'));
let at: Value = L.add(L.multiply(L.get(time, 1), 1000), L.first(G['math.floor'](L.divide(L.get(time, 2), 1000))));
if (L.equal(L.first(G['redis.call']('HGET', record, 'served')), id)) {
return [L.table([1, at])];
}
let waiting: Value = L.first(L.call(rowOf, ...G['redis.call']('HGET', record, 'request')));
if (!L.equal(L.get(waiting, 'id'), id)) {
return [L.table([0, at])];
}
let left: Value = L.subtract(L.or(L.first(G['tonumber'](L.get(waiting, 'until'))), () => 0), at);
if ((L.lessOrEqual(left, 0) && L.equal(L.get(L.first(L.call(rowOf, ...G['redis.call']('HGET', record, 'run'))), 'request'), id))) {
left = L.add(left, 1000);
}
if (L.greater(left, 0)) {
return [L.table([2, at, ...G['math.ceil'](left)])];
}
G['redis.call']('HDEL', record, 'request');
return [L.table([0, at])];
};
let [ran, reply]: Value[] = [...G['pcall'](attempt)];
return [L.or(L.and(ran, () => reply), () => L.first(L.call(failure, reply, record)))];
},
// writeAcquire
'f2f6ba3472e498b3c228e2ea4cb4008238aca3e2': (KEYS: LuaTable, ARGV: LuaTable): Value[] => {
const attempt = (lock?: Value, intent?: Value, holder?: Value, lease?: Value, count?: Value, sleep?: Value): Value[] => {
if (((!L.isTrue(L.first(L.call(whole, lease, 1, 315360000000))) || !L.isTrue(L.first(L.call(whole, count, 1, 2147483647)))) || !L.isTrue(L.first(L.call(whole, sleep, 0, 315360000000))))) {
G['error'](L.table([], [['err', 'ERR the lease, the hold count or the sleep is out of range']]));
}
let [mode, writer]: Value[] = [...L.call(rwMode, lock)];
let held: Value = L.first(L.call(writeCount, lock, holder, writer));
if (L.greater(held, 0)) {
if (L.less(held, count)) {
G['redis.call']('HSET', lock, L.concat(holder, ':write'), count);
held = count;
}
L.call(raiseLease, lock, lease);
return [L.table([1, held])];
}
if (L.isTrue(mode)) {
if ((L.greater(sleep, 0) && L.equal(L.first(L.call(readCount, lock, holder, mode, writer)), 0))) {
G['redis.pcall']('SET', intent, holder, 'PX', ...G['math.max'](sleep, ...G['redis.call']('PTTL', intent)));
}
return [L.table([0, L.first(G['redis.call']('PTTL', lock)), ...L.call(rwHolder, lock, writer)])];
}
if (L.greater(count, 1)) {
return [L.table([2])];
}
G['redis.call']('HSET', lock, 'mode', 'write', L.concat(holder, ':write'), 1);
G['redis.call']('PEXPIRE', lock, lease);
G['redis.pcall']('DEL', intent);
return [L.table([1, 1])];
};
let replies: Value = L.table([]);
for (let $at = L.number(1), $last = L.number(L.divide(L.length(KEYS), 2)); $at <= $last; $at += 1) {
let i: Value = $at;
let at: Value = L.multiply(L.subtract(i, 1), 2);
let base: Value = L.multiply(L.subtract(i, 1), 4);
let lock: Value = L.get(KEYS, L.add(at, 1));
let intent: Value = L.get(KEYS, L.add(at, 2));
let holder: Value = L.get(ARGV, L.add(base, 1));
let lease: Value = L.first(G['tonumber'](L.get(ARGV, L.add(base, 2))));
let count: Value = L.first(G['tonumber'](L.get(ARGV, L.add(base, 3))));
let sleep: Value = L.first(G['tonumber'](L.get(ARGV, L.add(base, 4))));
let [ran, reply]: Value[] = [...G['pcall'](attempt, lock, intent, holder, lease, count, sleep)];
L.set(replies, i, L.or(L.and(ran, () => reply), () => L.first(L.call(failure, reply, lock))));
}
return [replies];
},
// writeForceRelease
'b8beb5b112159a77278d42f66037f2ad1e8d47a9': (KEYS: LuaTable, ARGV: LuaTable): Value[] => {
const attempt = (publish?: Value, lock?: Value, channel?: Value): Value[] => {
if (!L.equal(L.first(L.call(rwMode, lock)), 'write')) {
return [L.table([0])];
}
L.call(freeLock, lock);
return [L.table([1, ...L.call(tell, publish, channel, '1')])];
};
let replies: Value = L.table([]);
let publish: Value = L.get(ARGV, 1);
for (let $at = L.number(1), $last = L.number(L.length(KEYS)); $at <= $last; $at += 1) {
let i: Value = $at;
let base: Value = i;
let lock: Value = L.get(KEYS, i);
let channel: Value = L.get(ARGV, L.add(base, 1));
let [ran, reply]: Value[] = [...G['pcall'](attempt, publish, lock, channel)];
L.set(replies, i, L.or(L.and(ran, () => reply), () => L.first(L.call(failure, reply, lock))));
}
return [replies];
},
// writeInspect
'dfbc9bbf096b79c859245c6a57e3fdd54464a403': (KEYS: LuaTable, ARGV: LuaTable): Value[] => {
const attempt = (lock?: Value, holder?: Value): Value[] => {
let [mode, writer]: Value[] = [...L.call(rwMode, lock)];
let count: Value = L.first(L.call(writeCount, lock, holder, writer));
return [L.table([1, L.first(G['redis.call']('PTTL', lock)), count, L.or(writer, () => ''), L.or(L.and(L.equal(mode, 'write'), () => 1), () => 0)])];
};
let replies: Value = L.table([]);
for (let $at = L.number(1), $last = L.number(L.length(KEYS)); $at <= $last; $at += 1) {
let i: Value = $at;
let base: Value = L.subtract(i, 1);
let lock: Value = L.get(KEYS, i);
let holder: Value = L.get(ARGV, L.add(base, 1));
let [ran, reply]: Value[] = [...G['pcall'](attempt, lock, holder)];
L.set(replies, i, L.or(L.and(ran, () => reply), () => L.first(L.call(failure, reply, lock))));
}
return [replies];
},
// writeRelease
'74c03fc8b26aa1db7b740df06cab7586512b6866': (KEYS: LuaTable, ARGV: LuaTable): Value[] => {
let SPARE: Value = 50;
const attempt = (publish?: Value, lock?: Value, intent?: Value, holder?: Value, count?: Value, lease?: Value, channel?: Value): Value[] => {
if ((!L.isTrue(L.first(L.call(whole, count, 0, 2147483647))) || !(L.equal(count, 0) || L.isTrue(L.first(L.call(whole, lease, 1, 315360000000)))))) {
G['error'](L.table([], [['err', 'ERR the hold count or the lease is out of range']]));
}
let [mode, writer]: Value[] = [...L.call(rwMode, lock)];
let held: Value = L.first(L.call(writeCount, lock, holder, writer));
if (L.equal(held, 0)) {
let waited: Value = L.and(L.equal(count, 0), () => L.equal(L.first(G['redis.pcall']('GET', intent)), holder));
if (L.isTrue(waited)) {
G['redis.call']('DEL', intent);
}
if ((!L.isTrue(mode) || (L.isTrue(waited) && L.equal(mode, 'read')))) {
L.call(tell, publish, channel, '1');
}
return [L.table([0])];
}
if (L.greater(count, 0)) {
if (L.greater(held, count)) {
let isShorter: Value = L.first(L.call(setLease, lock, L.first(G['math.max'](lease, ...L.call(longestRead, lock))), SPARE));
G['redis.call']('HSET', lock, L.concat(holder, ':write'), count);
held = count;
if (L.isTrue(isShorter)) {
L.call(tellShorter, publish, channel);
}
}
return [L.table([2, held])];
}
G['redis.call']('HDEL', lock, L.concat(holder, ':write'));
let left: Value = L.first(L.call(longestRead, lock));
if (L.equal(left, 0)) {
G['redis.call']('DEL', lock);
} else {
G['redis.call']('HSET', lock, 'mode', 'read');
G['redis.call']('PEXPIRE', lock, left);
}
G['redis.pcall']('DEL', intent);
return [L.table([1, ...L.call(tell, publish, channel, '1')])];
};
let replies: Value = L.table([]);
let publish: Value = L.get(ARGV, 1);
for (let $at = L.number(1), $last = L.number(L.divide(L.length(KEYS), 2)); $at <= $last; $at += 1) {
let i: Value = $at;
let at: Value = L.multiply(L.subtract(i, 1), 2);
let base: Value = L.add(L.multiply(L.subtract(i, 1), 4), 1);
let lock: Value = L.get(KEYS, L.add(at, 1));
let intent: Value = L.get(KEYS, L.add(at, 2));
let holder: Value = L.get(ARGV, L.add(base, 1));
let count: Value = L.first(G['tonumber'](L.get(ARGV, L.add(base, 2))));
let lease: Value = L.first(G['tonumber'](L.get(ARGV, L.add(base, 3))));
let channel: Value = L.get(ARGV, L.add(base, 4));
let [ran, reply]: Value[] = [...G['pcall'](attempt, publish, lock, intent, holder, count, lease, channel)];
L.set(replies, i, L.or(L.and(ran, () => reply), () => L.first(L.call(failure, reply, lock))));
}
return [replies];
},
// writeRenew
'84c7fff9c29c0ae40df7fe62b05e8f439125e0eb': (KEYS: LuaTable, ARGV: LuaTable): Value[] => {
const attempt = (lock?: Value, holder?: Value, lease?: Value): Value[] => {
if (!L.isTrue(L.first(L.call(whole, lease, 0, 315360000000)))) {
G['error'](L.table([], [['err', 'ERR the lease is out of range']]));
}
let [_, writer]: Value[] = [...L.call(rwMode, lock)];
if (L.equal(L.first(L.call(writeCount, lock, holder, writer)), 0)) {
return [L.table([0])];
}
G['redis.call']('HDEL', lock, '');
return [L.table([1, L.or(L.and(L.greater(lease, 0), () => L.first(L.call(raiseLease, lock, lease))), () => L.first(G['redis.call']('PTTL', lock)))])];
};
let replies: Value = L.table([]);
for (let $at = L.number(1), $last = L.number(L.length(KEYS)); $at <= $last; $at += 1) {
let i: Value = $at;
let base: Value = L.multiply(L.subtract(i, 1), 2);
let lock: Value = L.get(KEYS, i);
let holder: Value = L.get(ARGV, L.add(base, 1));
let lease: Value = L.first(G['tonumber'](L.get(ARGV, L.add(base, 2))));
let [ran, reply]: Value[] = [...G['pcall'](attempt, lock, holder, lease)];
L.set(replies, i, L.or(L.and(ran, () => reply), () => L.first(L.call(failure, reply, lock))));
}
return [replies];
},
};
}
