import { LockConfigurationError } from '../errors/lock.errors.js';

/** The most names that are remembered: names with an id in them come without end. */
const REMEMBERED = 10_000;

/**
 * Which family of kinds each name is used with. The kinds write different things under one name, or do not hear each other
 * (wire format 1.6), so two of them on one name are a mistake of the application.
 */
export class KindBook {
  readonly #families = new Map<string, string>();

  /** Whether the name is in use with that family, and need not be {@link note}d. */
  isNoted(key: string, family: string): boolean {
    // Nearly full, a name that is in use is noted again, and so kept; before, nobody has to go.
    return this.#families.size < REMEMBERED / 2 && this.#families.get(key) === family;
  }

  /** @throws LockConfigurationError `KIND_CONFLICT` */
  note(key: string, name: string, family: string): void {
    const known = this.#families.get(key);
    if (known === family) {
      this.#families.delete(key);
      this.#families.set(key, family);
      return;
    }
    if (known !== undefined) {
      throw new LockConfigurationError(
        'KIND_CONFLICT',
        `"${name}" is a ${known} in this application, and cannot be a ${family} as well.`,
        name,
      );
    }
    if (this.#families.size >= REMEMBERED) {
      const [oldest] = this.#families.keys();
      if (oldest !== undefined) this.#families.delete(oldest);
    }
    this.#families.set(key, family);
  }
}
