import { LockConfigurationError } from '../errors/lock.errors.js';

/** So many names are remembered at least, and twice as many at most: names with an id in them come without end. */
const REMEMBERED = 5000;

/**
 * Which family of kinds each name is used with. The kinds write different things under one name, or do not hear each other
 * (wire format 1.6), so two of them on one name are a mistake of the application.
 */
export class KindBook {
  /** The names that were used lately; those before them are forgotten when these are too many, all at once. */
  #families = new Map<string, string>();
  #former: ReadonlyMap<string, string> = new Map();

  /** Whether the name is in use with that family, and need not be {@link note}d. */
  isNoted(key: string, family: string): boolean {
    return this.#families.get(key) === family;
  }

  /** @throws LockConfigurationError `KIND_CONFLICT` */
  note(key: string, name: string, family: string): void {
    const known = this.#families.get(key) ?? this.#former.get(key);
    if (known !== undefined && known !== family) {
      throw new LockConfigurationError(
        'KIND_CONFLICT',
        `"${name}" is a ${known} in this application, and cannot be a ${family} as well.`,
        name,
      );
    }
    if (this.#families.size >= REMEMBERED) {
      this.#former = this.#families;
      this.#families = new Map();
    }
    this.#families.set(key, family);
  }
}
