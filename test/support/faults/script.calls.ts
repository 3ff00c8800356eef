import {
  fairRelease,
  reentrantAcquire,
  reentrantRelease,
  reentrantTransfer,
  reentrantWait,
  renewalRenew,
} from '../../../libs/distributed-lock/src/scripts/generated/lua.scripts.js';
import type { ProxiedCommand } from './proxy.link.js';
import type { RespValue } from './resp.reader.js';

/** What an operation of a script is for. */
export type Purpose = 'acquire' | 're-enter' | 'release' | 'partial release' | 'transfer' | 'renew';

/** One operation of a script call on its way to Redis. */
export interface ScriptOperation {
  readonly purpose: Purpose;
  readonly key: string;
  readonly holder: string;
  /** The hold count that it names; 1 where it names none. */
  readonly count: number;
}

const SCRIPTS = [
  fairRelease,
  reentrantAcquire,
  reentrantRelease,
  reentrantTransfer,
  reentrantWait,
  renewalRenew,
];

/** The operations of a command, in order; none where it is another one. */
export function operationsOf({ name, words }: ProxiedCommand): ScriptOperation[] {
  if (name !== 'EVALSHA' && name !== 'EVAL') return [];
  const script = SCRIPTS.find(({ sha1, text }) => words[1] === sha1 || words[1] === text);
  if (script === undefined) return [];
  const keys = words.slice(3, 3 + Number(words[2]));
  const locks = keys.filter((_key, index) => index % script.keysPerOperation === 0);
  return locks.map((key, index) => {
    const shared = words.slice(3 + keys.length, 3 + keys.length + script.sharedArgs);
    const from = 3 + keys.length + script.sharedArgs + index * script.argsPerOperation;
    return read(script.name, key, shared, words.slice(from, from + script.argsPerOperation));
  });
}

function read(
  script: (typeof SCRIPTS)[number]['name'],
  key: string,
  shared: readonly string[],
  args: readonly string[],
): ScriptOperation {
  const holder = args[0] ?? '';
  switch (script) {
    case 'reentrant/acquire': {
      const count = Number(shared[1]);
      return { purpose: count === 1 ? 'acquire' : 're-enter', key, holder, count };
    }
    case 'reentrant/wait':
      return { purpose: 'acquire', key, holder, count: 1 };
    case 'reentrant/release': {
      const count = Number(shared[1]);
      return { purpose: count === 0 ? 'release' : 'partial release', key, holder, count };
    }
    case 'fair/release': {
      const count = Number(args[1]);
      return { purpose: count === 0 ? 'release' : 'partial release', key, holder, count };
    }
    case 'reentrant/transfer':
      return { purpose: 'transfer', key, holder, count: 1 };
    case 'renewal/renew':
      return { purpose: 'renew', key, holder, count: 1 };
  }
}

/** Whether Redis did what operation `index` asked for: granted, released, kept, transferred, renewed. */
export function didRun(reply: RespValue, index: number): boolean {
  // A row that is a plain number is, for a call of one, the whole reply.
  const row = Array.isArray(reply) ? reply[index] : reply;
  return Number(Array.isArray(row) ? row[0] : row) > 0;
}
