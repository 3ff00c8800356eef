import { now } from '../timing/monotonic.clock.js';
import type { StoreClock } from '../timing/store.clock.js';
import { tickClaim, tickFinish, tickInspect, tickRegister } from './generated/lua.scripts.js';
import type { LuaScript } from './lua.script.js';
import { ReplyReader } from './reply.reader.js';
import type { ReleaseReply } from './lock.replies.js';
import type { ScriptRunner } from './script.runner.js';

/** The keys of a job: its lock, its record, its rows. */
export interface JobKeys {
  readonly lock: string;
  readonly record: string;
  readonly runs: string;
}

/** A claim as the script takes it. */
export interface ClaimArguments {
  readonly holder: string;
  readonly lease: number;
  readonly mode: 'cron' | 'interval' | 'instant' | 'close';
  /** Epoch ms; not looked at for an interval. */
  readonly tick: number;
  /** The instant after it; for an interval the least time since the last start, in ms. */
  readonly following: number | undefined;
  readonly previous: number | undefined;
  readonly app: string;
  readonly instance: string;
}

export type ClaimReply =
  | {
      readonly kind: 'granted';
      readonly token: bigint;
      readonly attempt: number;
      readonly tick: number;
      readonly at: number;
    }
  | { readonly kind: 'taken'; readonly at: number; readonly mark: number }
  | { readonly kind: 'overlapped' | 'missed' | 'early' | 'stale'; readonly at: number };

export interface FinishArguments {
  readonly holder: string;
  readonly token: bigint;
  readonly count: number;
  readonly lease: number;
  readonly channel: string;
  readonly outcome: 'completed' | 'failed';
  readonly reason: string;
}

const VERDICTS = ['taken', 'overlapped', 'missed', 'early', 'stale'] as const;

/** The scripts of ticks, typed. Each reply has the store's time, which the clock takes in. */
export class TickScripts {
  constructor(
    private readonly runner: ScriptRunner,
    private readonly clock: StoreClock,
    private readonly publish: 'PUBLISH' | 'SPUBLISH',
  ) {}

  /** @returns the mark (undefined: none yet), and the application and schedule that the record had before */
  async register(
    { record }: JobKeys,
    tick: number | 'now' | 'look',
    app: string,
    schedule: string,
  ): Promise<{ at: number; mark: number | undefined; app: string; schedule: string }> {
    const reply = await this.#run(tickRegister, [record], [tick === 'look' ? '' : `${tick}`, app, schedule]);
    const mark = reply.text(2);
    return {
      at: reply.integer(1),
      mark: mark === '' ? undefined : Number(mark),
      app: reply.text(3),
      schedule: reply.text(4),
    };
  }

  async claim({ lock, record, runs }: JobKeys, claim: ClaimArguments): Promise<ClaimReply> {
    const { holder, lease, mode, tick, following = '', previous = '', app, instance } = claim;
    const args = [
      holder,
      `${lease}`,
      mode,
      `${tick}`,
      `${following}`,
      `${previous}`,
      app,
      instance,
      'skip',
      'skip',
    ];
    const reply = await this.#run(tickClaim, [lock, record, runs], args);
    const at = reply.integer(1);
    if (reply.integer(0) === 1) {
      return {
        kind: 'granted',
        at,
        token: BigInt(reply.text(2)),
        attempt: reply.integer(3),
        tick: reply.integer(4),
      };
    }
    const kind = VERDICTS[reply.integer(0) - 2];
    if (kind === undefined) throw reply.malformed();
    return kind === 'taken' ? { kind, at, mark: reply.integer(3) } : { kind, at };
  }

  async finish({ lock, record, runs }: JobKeys, finish: FinishArguments): Promise<ReleaseReply> {
    const { holder, token, count, lease, channel, outcome, reason } = finish;
    const args = [this.publish, holder, `${token}`, `${count}`, `${lease}`, channel, outcome, reason];
    const reply = await this.#run(tickFinish, [lock, record, runs], args);
    if (reply.integer(0) === 1) return { kind: 'released', reached: reply.integer(2) };
    return { kind: reply.integer(0) === 2 ? 'kept' : 'gone' };
  }

  /** @returns the rows as JSON, newest first, and whether the run under way still has the lock */
  async inspect({ lock, record, runs }: JobKeys): Promise<{ running: boolean; rows: string[] }> {
    const reply = await this.#run(tickInspect, [lock, record, runs], []);
    return { running: reply.integer(2) === 1, rows: reply.texts(3) };
  }

  async #run(script: LuaScript, keys: readonly string[], args: readonly string[]): Promise<ReplyReader> {
    const sent = now();
    const reply = ReplyReader.of(script.name, keys[0] ?? '', await this.runner.run(script, { keys, args }));
    this.clock.observe(sent, reply.integer(1));
    return reply;
  }
}
