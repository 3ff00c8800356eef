import { integerOf, listOf, orFalse, sum, type MemoryCommand } from './memory.command.js';

/** Commands on hashes. Fields keep the order in which they came. */
export const HASH_COMMANDS = {
  HGET: ({ keys }, [key = '', field = '']) => orFalse(keys.read(key, 'hash')?.get(field)),
  HMGET: ({ keys }, [key = '', ...fields]) => {
    const hash = keys.read(key, 'hash');
    return listOf(fields.map((field) => orFalse(hash?.get(field))));
  },
  HGETALL: ({ keys }, [key = '']) => listOf([...(keys.read(key, 'hash') ?? [])].flat()),
  HKEYS: ({ keys }, [key = '']) => listOf([...(keys.read(key, 'hash')?.keys() ?? [])]),
  HLEN: ({ keys }, [key = '']) => keys.read(key, 'hash')?.size ?? 0,
  HEXISTS: ({ keys }, [key = '', field = '']) => (keys.read(key, 'hash')?.has(field) === true ? 1 : 0),
  HSET: ({ keys }, [key = '', ...pairs]) => {
    const hash = keys.open(key, 'hash');
    const before = hash.size;
    for (let at = 0; at < pairs.length; at += 2) hash.set(pairs[at] ?? '', pairs[at + 1] ?? '');
    return hash.size - before;
  },
  HSETNX: ({ keys }, [key = '', field = '', value = '']) => {
    if (keys.read(key, 'hash')?.has(field) === true) return 0;
    keys.open(key, 'hash').set(field, value);
    return 1;
  },
  HDEL: ({ keys }, [key = '', ...fields]) => {
    const hash = keys.read(key, 'hash');
    if (hash === undefined) return 0;
    const gone = fields.filter((field) => hash.delete(field)).length;
    keys.sweep(key, hash.size);
    return gone;
  },
  HINCRBY: ({ keys }, [key = '', field = '', by]) => {
    const change = integerOf(by);
    const value = keys.read(key, 'hash')?.get(field) ?? '0';
    const made = sum(integerOf(value, 'ERR hash value is not an integer'), change);
    keys.open(key, 'hash').set(field, made.toString());
    return Number(made);
  },
  /** The first ones, where Redis takes any: a test is to come out the same each time. */
  HRANDFIELD: ({ keys }, [key = '', count, values]) => {
    const entries = [...(keys.read(key, 'hash') ?? [])];
    if (count === undefined) return orFalse(entries[0]?.[0]);
    const wanted = Number(integerOf(count));
    // Below 0 so many, if need be some of them again and again.
    while (entries.length > 0 && entries.length < -wanted) entries.push(...entries);
    const chosen = entries.slice(0, Math.abs(wanted));
    return listOf(values === undefined ? chosen.map(([field]) => field) : chosen.flat());
  },
} satisfies Readonly<Record<string, MemoryCommand>>;
