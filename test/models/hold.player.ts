import { acquire, forceRelease, release, renew, send, type Call } from '../protocol/reentrant.calls.js';
import type { Names, ProtocolStage } from '../protocol/protocol.stage.js';
import { StoreDump } from './store.dump.js';
import { HolderIds, type Transition } from './walk.reader.js';

/** A unit of the model's time, in ms: so long that what really passes vanishes in it. */
const UNIT = 20_000;
const LEASE = 4 * UNIT;

const VERDICTS: Readonly<Record<string, readonly string[]>> = {
  acquire: ['busy', 'granted'],
  renew: ['gone', 'alive'],
  release: ['gone', 'released'],
  'force-release': ['free', 'released'],
};

/** Plays the transitions of `promela/hold.pml` against the scripts. */
export class HoldPlayer {
  readonly #ids = new HolderIds();
  readonly #dump: StoreDump;

  constructor(
    private readonly stage: ProtocolStage,
    private readonly names: Names,
  ) {
    this.#dump = new StoreDump(stage.redis, [names.lock]);
  }

  /** @returns the verdict of the script; '' for what is none */
  async play({ kind, script, args }: Transition): Promise<string> {
    if (kind === 'new') this.#ids.renew(args['holder']);
    if (kind === 'pass') await this.#dump.shift(UNIT, UNIT);
    if (kind !== 'script') return '';
    const reply = await send(this.stage, this.names, this.#call(script, this.#ids.of(args['holder'])));
    const [code] = Array.isArray(reply) ? reply : [];
    return VERDICTS[script]?.[Number(code)] ?? `${String(reply)}`;
  }

  /** The verdict as {@link play} answers it. */
  verdict({ verdict }: Transition): string {
    return verdict;
  }

  /** Redis' state as the model writes it; the owner as its holder id. */
  async state(): Promise<Record<string, unknown>> {
    const [counts, ttl] = await Promise.all([
      this.stage.redis.hgetall(this.names.lock),
      this.stage.redis.pttl(this.names.lock),
    ]);
    return { lock: counts, ttl: Math.max(0, Math.round(ttl / UNIT)) };
  }

  expected({ after }: Transition): Record<string, unknown> {
    const { lock = '0', ttl } = after;
    return { lock: lock === '0' ? {} : { [this.#ids.of(lock)]: '1' }, ttl: Number(ttl) };
  }

  #call(script: string, holder: string): Call {
    if (script === 'acquire') return acquire(holder, LEASE, 1);
    if (script === 'renew') return renew(holder, LEASE);
    if (script === 'release') return release(holder, 0, 1);
    return forceRelease();
  }
}
