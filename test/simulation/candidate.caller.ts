import type { Election } from '../../libs/distributed-lock/src/contracts/election.contract.js';
import { currentLock } from '../../libs/distributed-lock/src/locks/current.lock.js';
import type { Belief, Wish } from './belief.js';
import { LEADER } from './called.kinds.js';
import { CallerLoop } from './caller.loop.js';
import { FREE, FREE_QUEUED } from './lock.caller.js';
import { SETTINGS } from './simulated.instance.js';

/** The longest pauses before a candidate campaigns again, in ms: after it has led, and after its work has failed (docs/leader-election.md). */
const PAUSES = { again: 625, failed: 1250 };

/** What a leader may throw. */
class LeaderFailure extends Error {}

/** One leadership, as the callbacks of its candidate see it. */
interface Leadership {
  readonly belief: Belief;
  readonly signal: AbortSignal;
  /** Its work, which may go on for a while after its signal has aborted. */
  work: Promise<void>;
}

/** Stands in an election: it leads for a while, resigns or leaves, and campaigns again. */
export class CandidateCaller extends CallerLoop {
  #election: Election | undefined;
  #leadership: Leadership | undefined;
  #wish: Wish | undefined;
  /** How often its work has failed since it last led without a failure. */
  #failures = 0;

  protected override get rest(): number {
    return this.dice.between(100, 5000);
  }

  protected async call(): Promise<void> {
    if (this.#election === undefined) this.#stand();
    else if (this.dice.chance(0.7)) await this.#election.resign();
    else {
      const left = this.#election;
      this.#endWish();
      await left.stop();
      if (left.isLeader) this.place.watch.report('election', 'a candidate that has left leads');
      this.#stand();
    }
  }

  #stand(): void {
    this.#failures = 0;
    this.#beginWish(0);
    const election: Election = this.place.service.elect(LEADER, {
      onElected: (signal, token) => this.#elected(election, signal, token),
      onRevoked: () => this.#revoked(election),
    });
    this.#election = election;
  }

  #elected(election: Election, signal: AbortSignal, token: bigint): Promise<void> {
    const { world, watch, counts, instance } = this.place;
    counts.grants += 1;
    world.note(`elected ${token}`);
    this.#endWish();
    if (this.#leadership !== undefined) watch.report('election', 'a leader is elected again');
    const handle = {
      holder: currentLock()?.holder ?? '',
      token,
      get isHeld() {
        return election.isLeader;
      },
    };
    const key = SETTINGS.mapName(LEADER);
    const belief: Belief = { instance, key, sharing: 'alone', handle, isRenewed: true };
    watch.begin(belief);
    const work = this.#work(signal);
    this.#leadership = { belief, signal, work };
    return work;
  }

  /** Some work ends at once, some goes on until its signal aborts or for longer, and some fails. */
  async #work(signal: AbortSignal): Promise<void> {
    const { dice } = this;
    const fails = dice.chance(0.15);
    if (!fails) this.#failures = 0;
    if (!fails && dice.chance(0.5)) return;
    if (fails) {
      await this.pause(dice.between(0, 1500));
      this.#failures = signal.aborted ? 0 : this.#failures + 1;
      throw new LeaderFailure('the work of a leader has failed');
    }
    await abortOf(signal);
    await this.pause(dice.chance(0.8) ? 0 : dice.between(0, 1500));
  }

  #revoked(election: Election): void {
    const { watch } = this.place;
    const leadership = this.#leadership;
    if (leadership === undefined) {
      watch.report('election', 'a candidate that does not lead is revoked');
      return;
    }
    this.#leadership = undefined;
    if (!leadership.signal.aborted) watch.report('election', 'a leader is revoked before its signal');
    watch.beliefs.delete(leadership.belief);
    // It does not campaign while its work goes on.
    const campaigns = () => {
      if (this.#election !== election) return;
      const { again, failed } = PAUSES;
      this.#beginWish(this.#failures === 0 ? again : failed * 2 ** (this.#failures - 1));
    };
    void leadership.work.then(campaigns, campaigns);
  }

  /** @param pause how long it may take until it campaigns, in ms */
  #beginWish(pause: number): void {
    const { world, watch, instance } = this.place;
    this.#endWish();
    if (instance.isEnding) return;
    this.#wish = {
      instance,
      key: SETTINGS.mapName(LEADER),
      since: world.now + pause,
      bound: FREE,
      boundOfTwo: FREE_QUEUED,
      endsWithShutdown: true,
    };
    watch.wishes.add(this.#wish);
  }

  #endWish(): void {
    if (this.#wish !== undefined) this.place.watch.wishes.delete(this.#wish);
    this.#wish = undefined;
  }
}

function abortOf(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
