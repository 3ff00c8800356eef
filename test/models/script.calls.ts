import { fileURLToPath } from 'node:url';
import * as embedded from '../../libs/distributed-lock/src/scripts/generated/lua.scripts.js';
import type { LuaScript } from '../../libs/distributed-lock/src/script-runner/lua.script.js';
import type { Header } from '../../tools/lua/lua.types.js';
import { readScripts } from '../../tools/lua/script.reader.mjs';

/** A script with what its header says. */
export interface KnownScript {
  readonly script: LuaScript;
  readonly header: Header;
}

/** One call of a script. */
export interface ScriptCall {
  readonly script: LuaScript;
  readonly keys: readonly string[];
  readonly args: readonly string[];
}

export const LOCKS = ['one', 'one', 'one', 'two {x}'];
export const HOLDERS = ['a:1', 'a:2', 'b:1', 'ü:1'];
export const CHANNEL = 'channel';
export const PERMITS = ['0123456789abcdef0123456789abcdef', 'ff00ff00ff00ff00ff00ff00ff00ff00', '00ff0a'];
/** In the queue of a semaphore. */
const PLACES = PERMITS.slice(0, 2).map((permit) => `a:${permit}`);
/** In the queue of a plain semaphore: for one permit, or for two. */
const CALL_PLACES = ['a:00000000011', 'a:00000000022', 'b:00000000013'];
/** Far apart, so that the ms which pass between two stores change nothing. */
const LEASES = ['60000', '120000', '1200000', '60000', '120000', '6e4', '0xea60'];
export const STRANGE = ['', 'x', '-1', '1.5', '0', 'nan', '99999999999999999999'];

/** What an argument of that name may be; some are strange now and then. */
const VALUES: Readonly<Record<string, readonly string[]>> = {
  // Some come more often, so that they do several things after each other.
  holder: [...HOLDERS, 'a:1', 'a:1', 'a:1'],
  from: HOLDERS,
  to: HOLDERS,
  client: ['a', 'b', 'ü'],
  lease: LEASES,
  write: ['0', '0', ...LEASES],
  count: ['0', '1', '1', '1', '2', '3'],
  wait: ['0', '180000', '600000'],
  given: ['0', '60000'],
  question: ['1', '2', '9007199254740991'],
  sleep: ['0', '60000'],
  life: ['60000'],
  soon: ['0', '100000'],
  ticket: ['0', '0', '0', '1', '2'],
  due: ['', '1000', '99999999999999'],
  period: ['', '100000'],
  attempts: ['', '1', '2'],
  base: ['', '1000'],
  history: ['', '', '50', '60', '500'],
  most: ['1', '2', '50'],
  beside: ['m:one:instance'],
  info: ['{}', '{"held":1}'],
  after: ['', 'one'],
  entry: ['one', 'two'],
  entries: ['["one"]', '["two","one"]', '[]', 'one'],
  listens: ['0', '1'],
  waits: ['0', '1'],
  absent: ['', ...HOLDERS, ...PLACES, ...CALL_PLACES],
  leaving: ['', '', ...HOLDERS, ...PLACES, ...CALL_PLACES, 'listener:a', 'listener:b'],
  place: [...CALL_PLACES, 'a:1', 'c'],
  yields: ['0', '1'],
  gives: ['0', '1'],
  margin: ['0', '30000'],
  nextLease: ['0', '30000'],
  publish: ['PUBLISH'],
  channel: [CHANNEL],
  jobs: [CHANNEL],
  keep: ['600000'],
  ttl: ['0', '1200000'],
  token: ['0', '1', '9', '10', '99999999999999999999', ''],
  wanted: ['1', '2', '5', '2147483647'],
  total: ['0', '1', '3'],
  change: ['1', '2', '-1', '-3'],
  payload: ['value', 'change'],
  where: ['anywhere', 'existing'],
  permit: PERMITS,
  manner: ['raise', 'set'],
  gap: ['', '100000'],
  app: ['shop', 'läden', 'a "b"/c'],
  instance: ['i1', 'i2'],
  onCrash: ['skip', 'retry', 'retry'],
  overlap: ['skip', 'queue'],
  grace: ['0', '60000', '99999999999999'],
  mode: ['cron', 'cron', 'interval', 'instant', 'close'],
  outcome: ['completed', 'failed', 'handed-over', 'returned'],
  reason: ['', 'no paper', 'kein Päpier', 'ü'.repeat(2000) + 'x', 'x' + 'ü'.repeat(2000)],
  force: ['', 'force'],
  verb: ['pause', 'resume'],
  schedule: ['* * * * *', 'every 5 ms'],
  former: ['', '* * * * *', 'every 5 ms'],
  id: ['r1', 'r2'],
  request: ['r1', 'r2'],
  patience: ['600000'],
  by: ['i1', 'i2'],
  last: ['0', '1', '2'],
  live: ['[]', '[1]', '[2,1]'],
};

/** How far instants of ticks are from now, in ms. */
const INSTANTS = [-600_000, -300_000, -60_000, 300_000];

export async function knownScripts(): Promise<KnownScript[]> {
  const { scripts } = await readScripts(fileURLToPath(new URL('../../lua', import.meta.url)));
  const all = Object.values(embedded).filter((script) => typeof script === 'object');
  return scripts.map(({ sha1, header, name }) => {
    const script = all.find((one) => one.sha1 === sha1);
    if (script === undefined) throw new Error(`${name} is not embedded`);
    return { script, header };
  });
}

/** Makes calls of scripts from numbers. */
export class CallMaker {
  #at = 0;

  constructor(
    private readonly numbers: readonly number[],
    /** Instants are counted from it, epoch ms. */
    private readonly base: number,
  ) {}

  call({ script, header }: KnownScript): ScriptCall {
    const operations = script.batch ? 1 + this.#next(2) : 1;
    const keys: string[] = [];
    const args = header.shared.map(({ name }) => this.#value(name));
    for (let at = 0; at < operations; at += 1) {
      const lock = LOCKS[this.#next(LOCKS.length)] ?? '';
      keys.push(...header.keys.map(({ name }) => `m:${lock}:${name}`));
      args.push(...header.args.map(({ name }) => this.#value(name)));
      for (const _ of header.otherKeys) {
        keys.push(`m:${lock}:target`, `m:${lock}:hash`);
        args.push('SET', '1', this.#value('app'), 'HSET', '2', 'field', this.#value('by'));
      }
    }
    return { script, keys, args };
  }

  #value(name: string): string {
    const isStrange = name !== 'publish' && name !== 'channel' && this.#next(80) === 0;
    if (isStrange) return STRANGE[this.#next(STRANGE.length)] ?? '';
    if (name === 'tick' || name === 'following' || name === 'previous') return this.#instant(name);
    const values = VALUES[name];
    if (values === undefined) throw new Error(`nobody has said what "${name}" may be`);
    return values[this.#next(values.length)] ?? '';
  }

  #instant(name: string): string {
    const at = INSTANTS[this.#next(INSTANTS.length)] ?? 0;
    if (name === 'following') return `${this.base + at + 1_000_000}`;
    return name === 'previous' && this.#next(2) === 0 ? '' : `${this.base + at}`;
  }

  #next(below: number): number {
    this.#at += 1;
    return (this.numbers[this.#at % this.numbers.length] ?? 0) % below;
  }
}
