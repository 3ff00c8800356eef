import {
  again,
  claim,
  finish,
  register,
  settledRows,
  GRACE,
  type Claim,
  type Row,
} from '../protocol/tick.calls.js';
import { release, send } from '../protocol/reentrant.calls.js';
import type { Names, ProtocolStage } from '../protocol/protocol.stage.js';
import { StoreDump } from './store.dump.js';
import { HolderIds, runOf, type Transition } from './walk.reader.js';

const UNIT = 20_000;
/** The lease of a walk, see `calm` in tools/models/models.mjs. */
const LEASE = 6 * UNIT;
const ATTEMPTS = 2;
/** Between two instants, in ms. All of them are past: for the store an instant of the model has come when it is sent as it is. */
const PERIOD = 100_000;
const FUTURE = 3_600_000;

const CLAIMED = ['', 'granted', 'taken', 'overlapped', 'missed', 'early', 'stale'];
const OUTCOMES: Readonly<Record<string, string>> = { handed: 'handed-over' };

/** Plays the transitions of `promela/tick.pml` against the scripts. */
export class TickPlayer {
  readonly #ids = new HolderIds();
  readonly #tokens = new Map<string, string>();
  readonly #dump: StoreDump;
  #now = 0;

  private constructor(
    private readonly stage: ProtocolStage,
    private readonly names: Names,
    private readonly onCrash: string,
    /** Epoch ms of instant 0, at which the job is registered. */
    private readonly base: number,
  ) {
    this.#dump = new StoreDump(stage.redis, [names.lock]);
  }

  static async open(stage: ProtocolStage, names: Names, onCrash: string): Promise<TickPlayer> {
    const base = (await stage.now()) - 3 * PERIOD;
    await register(stage, names, base);
    return new TickPlayer(stage, names, onCrash, base);
  }

  /** @returns the verdict of the script, with the run that a claim was granted; '' for what is none */
  async play({ kind, script, args }: Transition): Promise<string> {
    if (kind === 'new') this.#ids.renew(args['holder']);
    if (kind === 'pass') await this.#dump.shift(UNIT, UNIT);
    if (kind === 'instant') this.#now += 1;
    if (kind === 'grace') await this.#passGrace();
    if (kind !== 'script') return '';
    const holder = this.#ids.of(args['holder']);
    if (script === 'claim')
      return this.#claimed(
        holder,
        await claim(this.stage, this.names, this.#claimOf(holder, Number(args['wanted']))),
      );
    if (script === 'again')
      return this.#claimed(
        holder,
        await again(this.stage, this.names, { holder, lease: LEASE, onCrash: this.onCrash }),
      );
    if (script === 'release') {
      const [code] = (await send(this.stage, this.names, release(holder, 0, 1))) as readonly unknown[];
      return code === 1 ? 'released' : 'gone';
    }
    const token = runOf(args['run']).tick === 0 ? '' : (this.#tokens.get(holder) ?? 'none');
    const outcome = OUTCOMES[args['outcome'] ?? ''] ?? args['outcome'] ?? '';
    const [code] = await finish(this.stage, this.names, { holder, token, outcome, lease: 1 });
    return code === 1 ? 'released' : 'refused';
  }

  /** The verdict as {@link play} answers it. */
  verdict({ verdict }: Transition): string {
    return verdict.startsWith('granted') ? verdict : verdict.replace(/ .*/, '');
  }

  async state(): Promise<Record<string, unknown>> {
    const { redis } = this.stage;
    const [counts, ttl, record, rows] = await Promise.all([
      redis.hgetall(this.names.lock),
      redis.pttl(this.names.lock),
      redis.hgetall(this.names.record),
      settledRows(this.stage, this.names),
    ]);
    const run = record['run'] === undefined ? undefined : (JSON.parse(record['run']) as Row);
    const handed = record['handed'] === undefined ? [] : (JSON.parse(record['handed']) as Row[]);
    return {
      lock: counts,
      ttl: Math.max(0, Math.round(ttl / UNIT)),
      mark: Number(record['mark']),
      run: run === undefined ? 'none' : [record['holder'], run['tick'], run['attempt'], run['outcome']],
      handed: handed.map(({ tick, attempt }) => [tick, attempt]),
      rows: rows
        .flatMap(eachTick)
        .map(({ tick, attempt, outcome }) => `${String(tick)} ${String(attempt)} ${String(outcome)}`)
        .toSorted(),
    };
  }

  expected({ after }: Transition): Record<string, unknown> {
    const { lock = '0', ttl, mark, run = '', handed, rows = '' } = after;
    const [runner = '0', running] = run.split(':');
    const ran = runOf(running);
    const handoff = runOf(handed);
    return {
      lock: lock === '0' ? {} : { [this.#ids.of(lock)]: '1' },
      ttl: Number(ttl),
      mark: this.#instant(Number(mark)),
      run: runner === '0' ? 'none' : [this.#ids.of(runner), this.#instant(ran.tick), ran.attempt, 'running'],
      handed: handoff.tick === 0 ? [] : [[this.#instant(handoff.tick), handoff.attempt]],
      rows: rows
        .split(',')
        .flatMap((outcome, place) => (outcome === 'none' ? [] : [this.#row(outcome, place)]))
        .toSorted(),
    };
  }

  #row(outcome: string, place: number): string {
    const tick = Math.floor(place / (ATTEMPTS + 1)) + 1;
    return `${this.#instant(tick)} ${place % (ATTEMPTS + 1)} ${OUTCOMES[outcome] ?? outcome}`;
  }

  #instant(tick: number): number {
    return this.base + tick * PERIOD;
  }

  /** An instant that has not come yet is sent as one of the future. */
  #claimOf(holder: string, wanted: number): Claim {
    const sent = (tick: number) => this.#instant(tick) + (tick > this.#now ? FUTURE : 0);
    return {
      holder,
      lease: LEASE,
      tick: sent(wanted),
      following: sent(wanted + 1),
      previous: this.#instant(wanted - 1),
      onCrash: this.onCrash,
    };
  }

  #claimed(holder: string, [code, , token, attempt, tick]: readonly unknown[]): string {
    if (code !== 1) return CLAIMED[Number(code)] ?? String(code);
    this.#tokens.set(holder, String(token));
    return `granted ${(Number(tick) - this.base) / PERIOD}.${Number(attempt)}`;
  }

  /** What was handed over has waited for longer than the grace. */
  async #passGrace(): Promise<void> {
    const text = await this.stage.redis.hget(this.names.record, 'handed');
    const handed = JSON.parse(text ?? '[]') as { at: number }[];
    const older = handed.map((each) => ({ ...each, at: each.at - 2 * GRACE }));
    await this.stage.redis.hset(this.names.record, 'handed', JSON.stringify(older));
  }
}

/** Overlapped ticks in a row share a row. */
function eachTick(row: Row): Row[] {
  const { tick, outcome, count } = row;
  if (outcome !== 'overlapped' || typeof count !== 'number') return [row];
  return Array.from({ length: count }, (_, at) => ({ ...row, tick: Number(tick) - at * PERIOD }));
}
