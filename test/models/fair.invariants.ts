import { lockChannel } from '../../libs/distributed-lock/src/scripts/wire.names.js';
import type { Played } from './fair.play.js';
import type { FairKeys } from './fair.state.js';
import type { Snapshot } from './store.dump.js';

/** The parts of a fair lock that a store has. */
interface Parts {
  readonly holders: readonly string[];
  readonly queue: readonly string[];
  readonly times: Readonly<Record<string, number>>;
  readonly waiting: readonly string[];
}

function partsOf(snapshot: Snapshot, keys: FairKeys): Parts {
  const fields = (key: string): string[] => {
    const stored = snapshot[key];
    return stored?.type === 'hash' ? Object.keys(stored.fields) : [];
  };
  const queue = snapshot[keys.queue];
  const times = snapshot[keys.timeout];
  return {
    holders: fields(keys.lock),
    queue: queue?.type === 'list' ? queue.items : [],
    times: times?.type === 'zset' ? times.scores : {},
    waiting: fields(keys.waits),
  };
}

/**
 * What must hold after every move of clients, whatever the model says. It remembers whom a Java client took out of the queue:
 * Java does not know what Node keeps about them.
 */
export class FairInvariants {
  #takenByJava = new Set<string>();

  constructor(private readonly keys: FairKeys) {}

  /** @returns what is broken */
  broken({ by, who, before, found }: Played): string[] {
    const was = partsOf(before, this.keys);
    const is = partsOf(found.after, this.keys);
    const gone = is.waiting.filter((waiter) => !is.queue.includes(waiter));
    if (by === 'java') for (const waiter of gone) this.#takenByJava.add(waiter);
    const got = is.holders.filter((holder) => !was.holders.includes(holder));
    const inFront = (holder: string) =>
      was.queue.includes(holder) ? was.queue.slice(0, was.queue.indexOf(holder)) : was.queue;
    const times = is.queue.map((waiter) => is.times[waiter] ?? NaN);
    const free = is.holders.length === 0 && (was.holders.length > 0 || was.queue[0] !== is.queue[0]);
    const mayGo = by === 'node' && free && is.queue[0] !== undefined && is.queue[0] !== who;
    const rules: Readonly<Record<string, boolean>> = {
      'there are two holders': is.holders.length > 1,
      'somebody stands in the queue twice': new Set(is.queue).size < is.queue.length,
      'somebody was granted past one in front': got.some((holder) =>
        inFront(holder).some((waiter) => is.queue.includes(waiter)),
      ),
      'who was granted still waits': got.some(
        (holder) => is.queue.includes(holder) || is.waiting.includes(holder),
      ),
      'who neither asked nor waited was granted': got.some(
        (holder) => holder !== who && !was.waiting.includes(holder),
      ),
      'a time in the queue is before the one in front': times.some(
        (time, at) => time < (times[at - 1] ?? time),
      ),
      'the queue and the times name different waiters':
        Object.keys(is.times).length !== is.queue.length || times.some(Number.isNaN),
      'a declared wait outlived its place': gone.some((waiter) => !this.#takenByJava.has(waiter)),
      'signs of life outlived the waiters': this.keys.alive in found.after && is.waiting.length === 0,
      'the queue or the times have a ttl': [this.keys.queue, this.keys.timeout].some(
        (key) => (found.after[key]?.ttl ?? -1) !== -1,
      ),
      'the keys of our own have no ttl': [this.keys.waits, this.keys.alive].some(
        (key) => found.after[key]?.ttl === -1,
      ),
      'nobody told the head that the lock is free':
        mayGo && !found.messages.includes(`${lockChannel(this.keys.lock)}:${is.queue[0]} 0`),
    };
    for (const waiter of this.#takenByJava) if (!gone.includes(waiter)) this.#takenByJava.delete(waiter);
    return Object.keys(rules).filter((rule) => rules[rule]);
  }
}
