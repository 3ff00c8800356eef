import type { Redis } from 'ioredis';

/**
 * One key as a model has it. Times are told from the store's now, in ms: `ttl` is -1 for none, and each score of a sorted
 * set is read as an instant, but for those that say "never".
 */
export type StoredKey =
  | { readonly type: 'string'; readonly ttl: number; readonly value: string }
  | { readonly type: 'hash'; readonly ttl: number; readonly fields: Readonly<Record<string, string>> }
  | { readonly type: 'list'; readonly ttl: number; readonly items: readonly string[] }
  | { readonly type: 'zset'; readonly ttl: number; readonly scores: Readonly<Record<string, number>> };

/** What the store has, by key. */
export type Snapshot = Readonly<Record<string, StoredKey>>;

/** The keys of a list of patterns, each once. A pattern without a star is a key. Scripts of the library may not do this. */
const KEYS_OF_PATTERNS = `
local names, seen = {}, {}
for _, pattern in ipairs(ARGV) do
  for _, key in ipairs(string.find(pattern, '*', 1, true) and redis.call('KEYS', pattern) or {pattern}) do
    if not seen[key] then
      seen[key] = true
      names[#names + 1] = key
    end
  end
end
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
`;

const DUMP = `local readers = {
  string = function(key) return redis.call('GET', key) end,
  hash = function(key) return redis.call('HGETALL', key) end,
  list = function(key) return redis.call('LRANGE', key, 0, -1) end,
  zset = function(key) return redis.call('ZRANGE', key, 0, -1, 'WITHSCORES') end,
}
${KEYS_OF_PATTERNS}
local found = {string.format('%.0f', now)}
for _, key in ipairs(names) do
  local kind = redis.call('TYPE', key).ok
  if kind ~= 'none' then
    found[#found + 1] = {key, kind, redis.call('PTTL', key), readers[kind](key)}
  end
end
return found`;

/** Scores from here on say "never" and are no instants. */
export const NEVER = 90_000_000_000_000;

/** The last patterns are the time and the grain. What the store counts by its own clock never ends later than it would have. */
const SHIFT = `local grain, ms = tonumber(table.remove(ARGV)), tonumber(table.remove(ARGV))
${KEYS_OF_PATTERNS}
local function after(left)
  return math.floor(left / grain + 0.5) * grain - ms
end
for _, key in ipairs(names) do
  local left = redis.call('PTTL', key)
  if left >= 0 then
    if after(left) <= 0 then redis.call('DEL', key) else redis.call('PEXPIREAT', key, now + after(left)) end
  end
  if redis.call('TYPE', key).ok == 'zset' then
    local entries = redis.call('ZRANGE', key, 0, -1, 'WITHSCORES')
    for at = 1, #entries, 2 do
      local score = tonumber(entries[at + 1])
      if score < ${NEVER} then redis.call('ZADD', key, now + after(score - now), entries[at]) end
    end
  end
end`;

/**
 * Reads all keys of some patterns in one round trip, and lets time pass for them without waiting: the keys and instants
 * move to meet it. Durations of a test should be so long that the ms which really pass vanish in {@link rounded}.
 */
export class StoreDump {
  constructor(
    private readonly redis: Redis,
    /** Keys, or patterns as the command KEYS takes them. */
    private readonly patterns: readonly string[],
  ) {}

  async read(): Promise<Snapshot> {
    const reply = await this.redis.eval(DUMP, 0, ...this.patterns);
    if (!Array.isArray(reply)) throw new Error(`the dump answered ${String(reply)}`);
    const [now, ...keys] = reply as [string, ...RawKey[]];
    return Object.fromEntries(keys.map((raw) => [raw[0], read(raw, Number(now))]));
  }

  /**
   * Lets `ms` pass: what ends by then is gone.
   * @param grain rounds what is left to full `grain` ms before, so that the ms which really passed do not add up
   */
  async shift(ms: number, grain = 1): Promise<void> {
    await this.redis.eval(SHIFT, 0, ...this.patterns, ms, grain);
  }
}

type RawKey = [key: string, type: string, ttl: number, content: string | string[]];

function read([key, type, ttl, content]: RawKey, now: number): StoredKey {
  if (type === 'string') return { type, ttl, value: String(content) };
  if (type === 'list') return { type, ttl, items: [...content] };
  const pairs = pairsOf(content);
  if (type === 'hash') return { type, ttl, fields: Object.fromEntries(pairs) };
  if (type !== 'zset') throw new Error(`${key} is a ${type}, which no model has`);
  return {
    type,
    ttl,
    scores: Object.fromEntries(pairs.map(([member, score]) => [member, fromNow(Number(score), now)])),
  };
}

function fromNow(score: number, now: number): number {
  return score < NEVER ? score - now : score;
}

function pairsOf(flat: string | string[]): [string, string][] {
  const pairs: [string, string][] = [];
  for (let at = 0; at < flat.length; at += 2) pairs.push([flat[at] ?? '', flat[at + 1] ?? '']);
  return pairs;
}

/** The snapshot with its ttls and scores rounded to full `unit` ms, as a model that counts in units has them. */
export function rounded(snapshot: Snapshot, unit: number): Snapshot {
  // `+ 0`: a zero has no sign.
  const round = (ms: number): number => Math.round(ms / unit) * unit + 0;
  return Object.fromEntries(
    Object.entries(snapshot).map(([key, stored]): [string, StoredKey] => {
      const ttl = stored.ttl < 0 ? stored.ttl : round(stored.ttl);
      if (stored.type !== 'zset') return [key, { ...stored, ttl }];
      const scores = Object.entries(stored.scores).map(([member, score]) => [
        member,
        score < NEVER ? round(score) : score,
      ]);
      return [key, { ...stored, ttl, scores: Object.fromEntries(scores) }];
    }),
  );
}
