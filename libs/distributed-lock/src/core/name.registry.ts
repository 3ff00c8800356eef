import type { LockSettings } from '../contracts/settings.js';
import { LockConfigurationError } from '../errors/lock.errors.js';
import type { LockKind } from './lock.kind.js';
import { LockTarget } from './lock.target.js';
import { checkKey, checkName } from './name.checks.js';

/** So many names are remembered at least, and twice as many at most: names with an id in them come without end. */
const REMEMBERED = 5000;

/** The use of a name: a lock, or another object of that family. */
type Use = LockTarget | string;

/**
 * The names of this application, and the use of each. The kinds store different data under one name, or do not receive each other's messages
 * (wire format 1.6), so two families of them on one name are a mistake of the application.
 */
export class NameRegistry {
  /** The names that were used lately; all older ones are forgotten at once when these are too many. */
  #recent = new Map<string, Use>();
  #former: ReadonlyMap<string, Use> = new Map();

  constructor(private readonly settings: Pick<LockSettings, 'mapName' | 'isMapped'>) {}

  /** @throws LockConfigurationError as {@link keyOf} does */
  target(kind: LockKind, name: string): LockTarget {
    // The mapping of an application may depend on the caller.
    if (this.settings.isMapped) return new LockTarget(kind, name, this.keyOf(name, kind.family));
    const known = this.#useOf(name);
    if (known instanceof LockTarget && known.kind === kind) return known;
    const key = this.#keyFor(name);
    this.#check(name, key, kind.family, known);
    const target = new LockTarget(kind, name, key);
    this.#note(name, target);
    return target;
  }

  /**
   * A name in Redis.
   * @throws LockConfigurationError `INVALID_NAME`, or `KIND_CONFLICT` for a name that is in use with another kind
   */
  keyOf(name: string, family: string): string {
    const key = this.#keyFor(name);
    const place = this.settings.isMapped ? key : name;
    const known = this.#useOf(place);
    this.#check(name, key, family, known);
    if (known === undefined) this.#note(place, family);
    return key;
  }

  /**
   * A name in Redis for a caller that looks at it from outside. The name is not noted: the application may use it as any kind.
   * @throws LockConfigurationError as {@link keyOf} does
   */
  keyToRead(name: string, family: string): string {
    const key = this.#keyFor(name);
    this.#check(name, key, family, this.#useOf(this.settings.isMapped ? key : name));
    return key;
  }

  #keyFor(name: string): string {
    checkName(name);
    return this.settings.mapName(name);
  }

  #check(name: string, key: string, family: string, known: Use | undefined): void {
    if (known === undefined) {
      checkKey(name, key);
    } else if (familyOf(known) !== family) {
      throw new LockConfigurationError(
        'KIND_CONFLICT',
        `"${name}" is a ${familyOf(known)} in this application, and cannot also be a ${family}.`,
        name,
      );
    }
  }

  #useOf(place: string): Use | undefined {
    const recent = this.#recent.get(place);
    if (recent !== undefined) return recent;
    const former = this.#former.get(place);
    if (former !== undefined) this.#note(place, former);
    return former;
  }

  #note(place: string, use: Use): void {
    if (this.#recent.size >= REMEMBERED) {
      this.#former = this.#recent;
      this.#recent = new Map();
    }
    this.#recent.set(place, use);
  }
}

function familyOf(use: Use): string {
  return typeof use === 'string' ? use : use.kind.family;
}
