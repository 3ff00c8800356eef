import type {
  AcquisitionEvent,
  LockEventMap,
  LockListener,
} from '../../libs/distributed-lock/src/events/lock.event.types.js';

/** What an acquisition may tell, in this order. */
const STORIES = [
  /^attempt( waiting)? acquired (released|lost)$/,
  /^attempt( waiting)? (refused|failed)$/,
  /^attempt( waiting)? acquired for good$/,
];

type Told = { [Name in keyof LockEventMap]: { readonly name: Name; readonly event: LockEventMap[Name] } };

/** Writes down everything that a service tells. */
export class EventLedger {
  readonly all: Told[keyof LockEventMap][] = [];
  readonly #stories = new Map<object, string[]>();

  readonly listener: LockListener = {
    attempt: (event) => this.#note('attempt', event),
    waiting: (event) => this.#note('waiting', event),
    acquired: (event) => this.#note('acquired', event, event.hasEnd ? 'acquired' : 'acquired for good'),
    refused: (event) => this.#note('refused', event),
    failed: (event) => this.#note('failed', event),
    released: (event) => this.#note('released', event),
    lost: (event) => this.#note('lost', event),
    renewed: (event) => void this.all.push({ name: 'renewed', event }),
    unknown: (event) => void this.all.push({ name: 'unknown', event }),
    tickClaimed: (event) => void this.all.push({ name: 'tickClaimed', event }),
    tickFinished: (event) => void this.all.push({ name: 'tickFinished', event }),
    tickSkipped: (event) => void this.all.push({ name: 'tickSkipped', event }),
    tickMissed: (event) => void this.all.push({ name: 'tickMissed', event }),
    tickCrashed: (event) => void this.all.push({ name: 'tickCrashed', event }),
    tickAbandoned: (event) => void this.all.push({ name: 'tickAbandoned', event }),
    tickUnclaimed: (event) => void this.all.push({ name: 'tickUnclaimed', event }),
  };

  of<Name extends keyof LockEventMap>(name: Name): LockEventMap[Name][] {
    return this.all.flatMap((told) => (isOf(told, name) ? [told.event] : []));
  }

  get names(): string[] {
    return this.all.map(({ name }) => name);
  }

  /** What each acquisition has told so far. */
  get stories(): string[] {
    return [...this.#stories.values()].map((told) => told.join(' '));
  }

  /** How many acquisitions have told their whole story. */
  get complete(): number {
    return this.stories.length - this.odd.length;
  }

  /** What is not the whole story of an acquisition: one attempt, one answer and one end, in that order. */
  get odd(): string[] {
    return this.stories.filter((story) => !STORIES.some((pattern) => pattern.test(story)));
  }

  #note<Name extends keyof LockEventMap>(
    name: Name,
    event: LockEventMap[Name] & AcquisitionEvent,
    said: string = name,
  ): void {
    this.all.push({ name, event } as Told[Name]);
    const story = this.#stories.get(event.acquisition) ?? [];
    this.#stories.set(event.acquisition, [...story, said]);
  }
}

function isOf<Name extends keyof LockEventMap>(
  told: Told[keyof LockEventMap],
  name: Name,
): told is Told[Name] {
  return told.name === name;
}
