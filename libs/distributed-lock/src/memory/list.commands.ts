import { integerOf, listOf, orFalse, span, type MemoryCommand } from './memory.command.js';

/** Commands on lists. */
export const LIST_COMMANDS = {
  LLEN: ({ keys }, [key = '']) => keys.read(key, 'list')?.length ?? 0,
  LINDEX: ({ keys }, [key = '', at]) => orFalse(keys.read(key, 'list')?.at(Number(integerOf(at)))),
  LRANGE: ({ keys }, [key = '', from, to]) => {
    const list = keys.read(key, 'list') ?? [];
    return listOf(list.slice(...span(list.length, from, to)));
  },
  LPOS: ({ keys }, [key = '', item = '']) => {
    const at = keys.read(key, 'list')?.indexOf(item) ?? -1;
    return at === -1 ? false : at;
  },
  LPUSH: ({ keys }, [key = '', ...items]) => keys.open(key, 'list').unshift(...items.toReversed()),
  RPUSH: ({ keys }, [key = '', ...items]) => keys.open(key, 'list').push(...items),
  LTRIM: ({ keys }, [key = '', from, to]) => {
    const list = keys.read(key, 'list');
    if (list === undefined) return 0;
    const kept = list.slice(...span(list.length, from, to));
    list.splice(0, list.length, ...kept);
    keys.sweep(key, list.length);
    return 0;
  },
  /** All that are equal: a count of another kind is not asked for. */
  LREM: ({ keys }, [key = '', _count, item]) => {
    const list = keys.read(key, 'list');
    if (list === undefined) return 0;
    const kept = list.filter((one) => one !== item);
    const gone = list.length - kept.length;
    list.splice(0, list.length, ...kept);
    keys.sweep(key, list.length);
    return gone;
  },
} satisfies Readonly<Record<string, MemoryCommand>>;
