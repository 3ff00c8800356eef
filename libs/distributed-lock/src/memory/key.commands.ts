import { LuaTable } from '../lua-runtime/lua.values.js';
import {
  integerOf,
  listOf,
  orFalse,
  sum,
  type MemoryCommandContext,
  type MemoryCommand,
} from './memory.command.js';
import { refusal } from './memory.keys.js';
import { machine } from '../timing/machine.js';

const OK = (): LuaTable => new LuaTable([], [['ok', 'OK']]);

const publish: MemoryCommand = ({ channels }, [channel = '', payload = '']) =>
  channels.publish(channel, payload);

/** Commands on keys of any type, on plain values, and on none. */
export const KEY_COMMANDS = {
  DEL: ({ keys }, names) => names.filter((name) => keys.delete(name)).length,
  EXISTS: ({ keys }, names) => names.filter((name) => keys.typeOf(name) !== undefined).length,
  TYPE: ({ keys }, [key = '']) => new LuaTable([], [['ok', keys.typeOf(key) ?? 'none']]),
  PTTL: ({ keys }, [key = '']) => keys.ttl(key),
  PEXPIRE: ({ keys }, [key = '', ms]) => (keys.expire(key, Number(integerOf(ms))) ? 1 : 0),
  PEXPIREAT: ({ keys }, [key = '', at]) =>
    keys.expire(key, Number(integerOf(at)) - machine.global.Date.now()) ? 1 : 0,
  GET: ({ keys }, [key = '']) => orFalse(keys.read(key, 'string')?.value),
  SET: ({ keys }, [key = '', value = '', ...options]) => {
    const [unit, ttl] = options;
    if (options.length > 0 && unit !== 'PX') throw refusal('ERR syntax error');
    const life = unit === undefined ? undefined : Number(integerOf(ttl));
    if (life !== undefined && life <= 0) throw refusal("ERR invalid expire time in 'set' command");
    keys.delete(key);
    keys.open(key, 'string').value = value;
    keys.expire(key, life);
    return OK();
  },
  INCR: (context, [key]) => count(context, key, 1n),
  INCRBY: (context, [key, by]) => count(context, key, integerOf(by)),
  DECR: (context, [key]) => count(context, key, -1n),
  DECRBY: (context, [key, by]) => count(context, key, -integerOf(by)),
  TIME: () => {
    const at = machine.global.Date.now();
    return listOf([`${Math.floor(at / 1000)}`, `${(at % 1000) * 1000}`]);
  },
  PUBLISH: publish,
  SPUBLISH: publish,
  PUBSUB: ({ channels }, [subcommand, ...names]) => {
    if (subcommand !== 'NUMSUB' && subcommand !== 'SHARDNUMSUB')
      throw refusal(`ERR unknown subcommand '${subcommand}'.`);
    return listOf(names.flatMap((name) => [name, channels.listeners(name)]));
  },
} satisfies Readonly<Record<string, MemoryCommand>>;

function count({ keys }: MemoryCommandContext, key = '', change: bigint): number {
  const made = sum(integerOf(keys.read(key, 'string')?.value ?? '0'), change);
  keys.open(key, 'string').value = made.toString();
  return Number(made);
}
