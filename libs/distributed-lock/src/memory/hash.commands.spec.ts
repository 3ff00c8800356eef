import { beforeEach, describe, expect, test } from 'vitest';
import { HASH_COMMANDS } from './hash.commands.js';
import { MemoryChannels } from './memory.channels.js';
import { MemoryKeys } from './memory.keys.js';
import { LuaTable } from '../lua-runtime/lua.values.js';

describe('HRANDFIELD of the store in memory', () => {
  const context = { keys: new MemoryKeys(), channels: new MemoryChannels((run) => run()) };
  const pick = (...args: string[]) => {
    const picked = HASH_COMMANDS.HRANDFIELD(context, ['h', ...args]);
    if (!(picked instanceof LuaTable)) return picked;
    return Array.from({ length: picked.length }, (_, index) => picked.get(index + 1));
  };

  beforeEach(() => {
    context.keys.clear();
    HASH_COMMANDS.HSET(context, ['h', 'a', '1', 'b', '2', 'c', '3']);
  });

  test('gives no field twice, and no more than there are, as Redis does for a count above 0', () => {
    expect(pick('2')).toEqual(['a', 'b']);
    expect(pick('9', 'WITHVALUES')).toEqual(['a', '1', 'b', '2', 'c', '3']);
  });

  test('returns as many fields as requested, some of them twice, as Redis does for a count below 0', () => {
    expect(pick('-2')).toEqual(['a', 'b']);
    expect(pick('-7')).toEqual(['a', 'b', 'c', 'a', 'b', 'c', 'a']);
    expect(pick('-4', 'WITHVALUES')).toEqual(['a', '1', 'b', '2', 'c', '3', 'a', '1']);
  });

  test('gives nothing where there is nothing', () => {
    context.keys.clear();
    expect(pick()).toBe(false);
    expect(pick('2')).toEqual([]);
    expect(pick('-2', 'WITHVALUES')).toEqual([]);
  });
});
