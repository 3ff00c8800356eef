import type { ReadWriteModel } from './read-write.model.js';
import { holdId, longestRead, outcome, type Outcome } from './read-write.state.js';

/**
 * What a Redisson client does to the same keys, by the wire format's section 7, with what must not be copied (D7, D17):
 * scripts of this test's own. KEYS: the lock. ARGV: the holder, the channel, the lock in braces, a lease.
 */
const script = (text: string): string => `local lock = KEYS[1]
local holder, channel, base, lease = ARGV[1], ARGV[2], ARGV[3], tonumber(ARGV[4])
local writes = holder .. ':write'
local mode = redis.call('HGET', lock, 'mode')
local function hold(reader, n) return base .. ':' .. reader .. ':rwlock_timeout:' .. n end
local function longest()
  local most, all = 0, redis.call('HGETALL', lock)
  for at = 1, #all, 2 do
    for n = 1, tonumber(all[at + 1]) or 0 do most = math.max(most, redis.call('PTTL', hold(all[at], n))) end
  end
  return most
end
${text}`;

export const JAVA = {
  read: script(`if mode == 'write' and redis.call('HEXISTS', lock, writes) == 0 then return {0, redis.call('PTTL', lock)} end
    if not mode then redis.call('HSET', lock, 'mode', 'read') end
    local n = redis.call('HINCRBY', lock, holder, 1)
    redis.call('SET', hold(holder, n), 1, 'PX', lease)
    redis.call('PEXPIRE', lock, math.max(lease, redis.call('PTTL', lock)))
    return {1}`),
  unread: script(`if not mode then redis.call('PUBLISH', channel, '0') return {0} end
    if redis.call('HEXISTS', lock, holder) == 0 then return {0} end
    local n = redis.call('HINCRBY', lock, holder, -1)
    redis.call('DEL', hold(holder, n + 1))
    if n == 0 then redis.call('HDEL', lock, holder) end
    local left = longest()
    if left > 0 then redis.call('PEXPIRE', lock, left) return {2} end
    if mode == 'write' then return {2} end
    redis.call('DEL', lock)
    redis.call('PUBLISH', channel, '0')
    return {1}`),
  renewRead: script(`local count = tonumber(redis.call('HGET', lock, holder))
    if not count then return {0} end
    for n = 1, count do redis.call('PEXPIRE', hold(holder, n), lease) end
    redis.call('PEXPIRE', lock, lease)
    return {1}`),
  write: script(`if not mode then
      redis.call('HSET', lock, 'mode', 'write', writes, 1)
      redis.call('PEXPIRE', lock, lease)
      return {1}
    end
    if mode == 'read' or redis.call('HEXISTS', lock, writes) == 0 then return {0, redis.call('PTTL', lock)} end
    redis.call('HINCRBY', lock, writes, 1)
    redis.call('PEXPIRE', lock, redis.call('PTTL', lock) + lease)
    return {1}`),
  unwrite: script(`if not mode then redis.call('PUBLISH', channel, '1') return {0} end
    if mode == 'read' or redis.call('HEXISTS', lock, writes) == 0 then return {0} end
    if redis.call('HINCRBY', lock, writes, -1) > 0 then redis.call('PEXPIRE', lock, lease) return {2} end
    redis.call('HDEL', lock, writes)
    if redis.call('HLEN', lock) > 1 then
      redis.call('HSET', lock, 'mode', 'read')
    else
      redis.call('DEL', lock)
      redis.call('PUBLISH', channel, '1')
    end
    return {1}`),
  renewWrite: script(`if redis.call('HEXISTS', lock, writes) == 0 then return {0} end
    redis.call('PEXPIRE', lock, lease)
    return {1}`),
  forceRead: script(
    `if mode ~= 'read' then return {0} end redis.call('DEL', lock) redis.call('PUBLISH', channel, '0') return {1}`,
  ),
  forceWrite: script(
    `if mode ~= 'write' then return {0} end redis.call('DEL', lock) redis.call('PUBLISH', channel, '1') return {1}`,
  ),
};

export type JavaVerb = keyof typeof JAVA;

/** What each of them does to a model. */
export const JAVA_RULES: Record<JavaVerb, (model: ReadWriteModel, holder: string, lease: number) => Outcome> =
  {
    read({ state }, holder, lease) {
      if (state.hash?.writer !== undefined && state.hash.writer.holder !== holder)
        return outcome([0, state.hash.ttl]);
      state.hash ??= { mode: 'read', ttl: 0, reads: new Map(), writer: undefined };
      const n = (state.hash.reads.get(holder) ?? 0) + 1;
      state.hash.reads.set(holder, n);
      state.holds.set(holdId(holder, n), lease);
      state.hash.ttl = Math.max(state.hash.ttl, lease);
      return outcome([1]);
    },
    unread({ state }, holder) {
      const { hash, holds } = state;
      if (hash === undefined) return outcome([0], '0');
      const n = hash.reads.get(holder);
      if (n === undefined) return outcome([0]);
      holds.delete(holdId(holder, n));
      if (n === 1) hash.reads.delete(holder);
      else hash.reads.set(holder, n - 1);
      const left = longestRead(state);
      if (left > 0) hash.ttl = left;
      if (left > 0 || hash.mode === 'write') return outcome([2]);
      state.hash = undefined;
      return outcome([1], '0');
    },
    renewRead({ state: { hash, holds } }, holder, lease) {
      const count = hash?.reads.get(holder);
      if (hash === undefined || count === undefined) return outcome([0]);
      for (let n = 1; n <= count; n += 1)
        if (holds.has(holdId(holder, n))) holds.set(holdId(holder, n), lease);
      hash.ttl = lease;
      return outcome([1]);
    },
    write({ state }, holder, lease) {
      const { hash } = state;
      if (hash === undefined) {
        state.hash = { mode: 'write', ttl: lease, reads: new Map(), writer: { holder, count: 1 } };
        return outcome([1]);
      }
      if (hash.writer?.holder !== holder) return outcome([0, hash.ttl]);
      hash.writer.count += 1;
      hash.ttl = hash.ttl === -1 ? lease : hash.ttl + lease;
      return outcome([1]);
    },
    unwrite({ state }, holder, lease) {
      const { hash } = state;
      if (hash === undefined) return outcome([0], '1');
      if (hash.writer?.holder !== holder) return outcome([0]);
      hash.writer.count -= 1;
      if (hash.writer.count > 0) {
        hash.ttl = lease;
        return outcome([2]);
      }
      hash.writer = undefined;
      hash.mode = 'read';
      if (hash.reads.size > 0) return outcome([1]);
      state.hash = undefined;
      return outcome([1], '1');
    },
    renewWrite({ state: { hash } }, holder, lease) {
      if (hash?.writer?.holder !== holder) return outcome([0]);
      hash.ttl = lease;
      return outcome([1]);
    },
    forceRead({ state }) {
      if (state.hash?.mode !== 'read') return outcome([0]);
      state.hash = undefined;
      return outcome([1], '0');
    },
    forceWrite({ state }) {
      if (state.hash?.mode !== 'write') return outcome([0]);
      state.hash = undefined;
      return outcome([1], '1');
    },
  };
