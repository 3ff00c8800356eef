import { formatGeneral } from '../lua-runtime/lua.numbers.js';
import { floatOf, integerOf, listOf, span, type MemoryCommand } from './memory.command.js';
import { refusal } from './memory.keys.js';

/** Commands on sorted sets. */
export const SORTED_COMMANDS = {
  ZCARD: ({ keys }, [key = '']) => keys.read(key, 'zset')?.size ?? 0,
  ZSCORE: ({ keys }, [key = '', member = '']) => {
    const score = keys.read(key, 'zset')?.get(member);
    return score === undefined ? false : textOf(score);
  },
  /** Of its options `XX INCR`, by which a member that is not there stays away, and `NX`, by which one that is there keeps its score. */
  ZADD: ({ keys }, [key = '', ...args]) => {
    const isNew = args[0] === 'NX';
    if (isNew) args.shift();
    if (args[0] === 'XX' && args[1] === 'INCR') {
      const [, , by, member = ''] = args;
      const scores = keys.read(key, 'zset');
      const before = scores?.get(member);
      if (scores === undefined || before === undefined) return false;
      const score = before + floatOf(by);
      if (Number.isNaN(score)) throw refusal('ERR resulting score is not a number (NaN)');
      scores.set(member, score);
      return textOf(score);
    }
    const pairs = Array.from({ length: args.length / 2 }, (_, index) => {
      return [args[index * 2 + 1] ?? '', floatOf(args[index * 2])] as const;
    });
    const set = keys.open(key, 'zset');
    const before = set.size;
    for (const [member, score] of pairs) if (!isNew || !set.has(member)) set.set(member, score);
    return set.size - before;
  },
  ZREM: ({ keys }, [key = '', ...members]) => {
    const set = keys.read(key, 'zset');
    if (set === undefined) return 0;
    const gone = members.filter((member) => set.delete(member)).length;
    keys.sweep(key, set.size);
    return gone;
  },
  /** Of its options `WITHSCORES`, and `BYLEX LIMIT 0 <count>` up to the end of the set. */
  ZRANGE: ({ keys }, [key = '', from = '', to, option, , , count]) => {
    const all = sorted(keys.read(key, 'zset'));
    if (option === 'BYLEX') {
      const isIn = (entry: readonly [string, number] | undefined) =>
        entry !== undefined && (from === '-' || entry[0] > from.slice(1));
      // As Redis does it, also where the scores differ and the set has another order: the last member decides whether there is anything.
      const start = isIn(all.at(-1)) ? all.findIndex(isIn) : all.length;
      return listOf(all.slice(start, start + Number(integerOf(count))).map(([member]) => member));
    }
    const chosen = all.slice(...span(all.length, from, to));
    return listOf(
      option === 'WITHSCORES'
        ? chosen.flatMap(([member, score]) => [member, textOf(score)])
        : chosen.map(([member]) => member),
    );
  },
  ZRANGEBYSCORE: ({ keys }, [key = '', least, most, limit, from = '0', count = '-1']) => {
    const within = between(least, most);
    const all = sorted(keys.read(key, 'zset')).filter(([, score]) => within(score));
    const start = limit === undefined ? 0 : Number(integerOf(from));
    const end = Number(integerOf(count)) < 0 ? undefined : start + Number(integerOf(count));
    return listOf(all.slice(start, end).map(([member]) => member));
  },
  ZREMRANGEBYSCORE: ({ keys }, [key = '', least, most]) => {
    const within = between(least, most);
    const set = keys.read(key, 'zset');
    if (set === undefined) return 0;
    const gone = [...set].filter(([, score]) => within(score));
    for (const [member] of gone) set.delete(member);
    keys.sweep(key, set.size);
    return gone.length;
  },
} satisfies Readonly<Record<string, MemoryCommand>>;

function sorted(set: ReadonlyMap<string, number> | undefined): [string, number][] {
  return [...(set ?? [])].toSorted(([a, x], [b, y]) => x - y || (a < b ? -1 : 1));
}

function between(least = '', most = ''): (score: number) => boolean {
  const [from, to] = [bound(least), bound(most)];
  return (score) =>
    (from.isOut ? score > from.score : score >= from.score) &&
    (to.isOut ? score < to.score : score <= to.score);
}

function bound(text: string): { readonly score: number; readonly isOut: boolean } {
  const score = parse(text.replace(/^\(/, ''));
  return { score, isOut: text.startsWith('(') };
}

function parse(text: string): number {
  try {
    return floatOf(text);
  } catch {
    throw refusal('ERR min or max is not a float');
  }
}

function textOf(score: number): string {
  return formatGeneral(score, 17);
}
