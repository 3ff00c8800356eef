/**
 * Defects of what is made of locks, and of counters: like those of planted.defects.mjs.
 * @type {readonly { name: string, defects: readonly { from: string, to: string }[] }[]}
 */
export const PLANTED_KINDS = [
  {
    name: 'a multi lock that fails and keeps what it got',
    defects: [
      {
        from: 'await release(held); if (now() >= end) throw this.#timeUp(',
        to: 'if (now() >= end) throw this.#timeUp(',
      },
    ],
  },
  {
    name: 'a multi lock that is held while one of its locks is lost',
    defects: [
      {
        from: 'return this.#count(({ isHeld }) => isHeld) >= this.#needed;',
        to: 'return this.#count(({ isHeld }) => isHeld) > 0;',
      },
    ],
  },
  {
    name: 'a multi lock that does not wait while Redis refuses',
    defects: [
      {
        from: 'error.cause instanceof RedisFailure && error.cause.isTransient;',
        to: 'error.code === "UNAVAILABLE";',
      },
    ],
  },
  {
    name: 'a leader that does not look at its lease',
    defects: [{ from: 'return this.handle.isHeld && !this.handle.isAborted;', to: 'return true;' }],
  },
  {
    name: 'a candidate that has led and does not campaign again',
    defects: [
      { from: 'if (!this.#hasLeft) await this.#rest.sleep(this.#pause());', to: 'await this.#left;' },
    ],
  },
];
