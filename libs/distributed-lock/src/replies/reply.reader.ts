import { RedisFailure } from '../redis/redis.failure.js';

/** Errors about a wrong type that do not name the key. */
const UNNAMED = /^WRONGTYPE (?:Operation|not a)\b/;

/** Reads a script's reply strictly: a reply that does not have the declared form is an error, never a guess. */
export class ReplyReader {
  private constructor(
    private readonly script: string,
    private readonly fields: readonly unknown[],
  ) {}

  /** @throws RedisFailure for an error row `{-1, message, type}` and for anything that is no row */
  static of(script: string, key: string, reply: unknown): ReplyReader {
    const reader = new ReplyReader(script, Array.isArray(reply) ? reply : [reply]);
    if (reader.integer(0) !== -1) return reader;
    const message = reader.text(1);
    const code = /^[A-Z]+/.exec(message)?.[0];
    // A script that has several keys names the wrong one itself.
    const type = UNNAMED.test(message) ? `: "${key}" is a ${reader.text(2)}` : '';
    throw new RedisFailure('refused', `${message}${type}`, code);
  }

  /** The number of its fields: a row of one number may be that number. */
  get size(): number {
    return this.fields.length;
  }

  integer(at: number): number {
    const value = Number(this.fields[at] ?? NaN);
    if (!Number.isSafeInteger(value)) throw this.malformed();
    return value;
  }

  text(at: number): string {
    const value = this.fields[at];
    if (typeof value !== 'string') throw this.malformed();
    return value;
  }

  texts(at: number): string[] {
    const value = this.fields[at];
    if (!Array.isArray(value)) throw this.malformed();
    return value.map(String);
  }

  malformed(): RedisFailure {
    return new RedisFailure(
      'refused',
      `${this.script} answered in an unknown form: ${JSON.stringify(this.fields)}`,
    );
  }
}
